"""A profile as a frozen value, read from its YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from queuecheck.kube.resource import Resource

PROFILES = Path(__file__).parent
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ProfileError(Exception):
    """There is no such profile, or its data is not usable; the message is one line."""


@dataclass(frozen=True)
class Wording:
    """How a state is told, if ``word`` is there and not 0, or is one of ``values``.

    ``text`` has words in braces; a part of it, up to a comma, whose word is not there is left out.
    ``tone`` is holds, marked, waits or over. Without a ``word`` it always applies.
    """

    text: str
    tone: str
    word: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Look:
    """The lane of a kind in a report's picture; ``lane`` names it, with ``{}`` for the object.

    ``together``: one lane for all objects of an owner. ``events``: those about it are in the lane.
    ``background``: drawn only when it changes. The first of ``states`` that applies tells a state.
    """

    lane: str
    states: tuple[Wording, ...]
    together: bool = False
    events: bool = False
    background: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of object that matters, and where it is recorded.

    ``shown`` are the field paths that a report shows, by the word for each; ``look`` says how its
    picture shows them, None for a kind that has no lane.
    ``fields`` are paths that scenarios cannot do without: a server has to keep what is written
    there.
    """

    group: str
    version: str
    plural: str
    kind: str
    in_scenario: bool
    in_queue_namespace: bool
    delete_first: bool
    shown: Mapping[str, str]
    look: Look | None
    fields: tuple[str, ...]

    @property
    def resource(self) -> Resource:
        """The kind's address."""
        # The client library takes half a second to import, and ``list`` has no use for it.
        from queuecheck.kube.resource import Resource  # noqa: PLC0415

        return Resource(self.group, self.version, self.plural, self.kind)


@dataclass(frozen=True)
class Feature:
    """Something an implementation may have. Without a required one a verdict is partial.

    A scenario that uses a slow one takes seconds. ``component`` is the one that an implementation
    needs by itself to have the feature, or "".
    """

    name: str
    text: str
    required: bool
    slow: bool
    component: str


@dataclass(frozen=True)
class Controllers:
    """How controllers that serve these kinds are recognised.

    ``leases`` are patterns of ``namespace/name``, ``images`` names without registry and tag.
    """

    leases: tuple[str, ...] = ()
    images: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Canary:
    """One unit of work, as objects with ``${name}`` and ``${namespace}``.

    The Job among them has to finish within ``timeout`` seconds.
    """

    timeout: float
    objects: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Timing:
    """Where a picture shows the moments between which a report measures.

    ``work`` is the kind that is submitted, ``unit`` the kind that stands for it. ``held``,
    ``marked`` and ``refused`` are words that the unit shows. A scenario that needs one of
    ``disturbing`` is not measured: it holds somebody up.
    """

    work: str
    unit: str
    held: str
    marked: str
    refused: str
    disturbing: frozenset[str]


@dataclass(frozen=True)
class Profile:
    """Everything the engine is told about one family of queues."""

    name: str
    title: str
    queue_namespace: str
    kinds: tuple[Kind, ...]
    features: Mapping[str, Feature]
    canary: Canary
    timing: Timing
    controllers: Controllers = Controllers()

    @property
    def quotas(self) -> Resource:
        """The kind that an implementation makes its queues of."""
        return next(kind.resource for kind in self.kinds if kind.delete_first)

    @property
    def queues(self) -> Resource:
        """The kind that the implementation keeps in its queue namespace, and nowhere else."""
        return next(
            kind.resource for kind in self.kinds if kind.in_queue_namespace and not kind.in_scenario
        )

    @property
    def looks(self) -> dict[str, Look]:
        """How a report's picture shows what it shows, by kind."""
        return {kind.kind: kind.look for kind in self.kinds if kind.look is not None}

    def resource(self, kind: str) -> Resource:
        """The address of a kind that the profile names, such as ``Job``. Raises ProfileError."""
        for known in self.kinds:
            if known.kind == kind:
                return known.resource
        names = ", ".join(known.kind for known in self.kinds)
        raise ProfileError(f"profile {self.name} has no kind {kind}; it has {names}")


def profile_names() -> tuple[str, ...]:
    """The profiles that this version carries."""
    return tuple(sorted(file.parent.name for file in PROFILES.glob("*/profile.yaml")))


def load_profile(name: str) -> Profile:
    """Reads ``<name>/profile.yaml``. Raises ProfileError."""
    file = PROFILES / name / "profile.yaml"
    if name not in profile_names():
        raise ProfileError(f"there is no profile {name!r}; there is {', '.join(profile_names())}")
    data = yaml.load(file.read_text("utf-8"), Loader=LOADER)  # noqa: S506 - a safe loader
    return Profile(
        name=data["name"],
        title=data["title"],
        queue_namespace=data["queueNamespace"],
        kinds=tuple(_kind(entry) for entry in data["kinds"]),
        features={
            key: Feature(
                key,
                entry["text"],
                bool(entry.get("required", False)),
                bool(entry.get("slow", False)),
                str(entry.get("component", "")),
            )
            for key, entry in data["features"].items()
        },
        canary=Canary(
            timeout=float(data["canary"]["timeout"]),
            objects=tuple(data["canary"]["objects"]),
        ),
        timing=Timing(
            **{**data["timing"], "disturbing": frozenset(data["timing"]["disturbing"])},
        ),
        controllers=Controllers(
            leases=tuple(data["controllers"]["leases"]),
            images=frozenset(data["controllers"]["images"]),
        ),
    )


def _kind(entry: Mapping[str, Any]) -> Kind:
    return Kind(
        group=entry["group"],
        version=entry["version"],
        plural=entry["plural"],
        kind=entry["kind"],
        in_scenario="scenario" in entry["recorded"],
        in_queue_namespace="queue" in entry["recorded"],
        delete_first=bool(entry.get("deleteFirst", False)),
        shown=entry.get("shown", {}),
        look=_look(entry["picture"]) if "picture" in entry else None,
        fields=tuple(entry.get("fields") or ()),
    )


def _look(entry: Mapping[str, Any]) -> Look:
    states = tuple(
        Wording(state["text"], state["tone"], state.get("word", ""), tuple(state.get("is", ())))
        for state in entry["states"]
    )
    return Look(**{**entry, "states": states})
