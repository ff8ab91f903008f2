"""The descriptor of an implementation: one YAML file, checked against ``schema.json``.

Unknown keys and words are refused: a misspelt feature would silently take scenarios away.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from queuecheck import resources
from queuecheck.catalogue import KnownFailure
from queuecheck.implementation.deployed import Deployed, parse_deployments
from queuecheck.implementation.errors import DescriptorError
from queuecheck.profiles import Profile, ProfileError, load_profile
from queuecheck.reading import LOADER, Unreadable, read_yaml
from queuecheck.secrecy import of_command
from queuecheck.suggestion import did_you_mean

PLACEHOLDERS = frozenset({"python", "kubeconfig", "config", "metrics_address", "instance"})
PLACEHOLDERS_OF_VERBS = frozenset({"python", "kubeconfig", "instance"})


@dataclass(frozen=True)
class Page:
    """What a process shows over HTTP: at ``{metrics_address}`` unless it has a port of its own."""

    path: str
    port: int | None = None


@dataclass(frozen=True)
class Process:
    """How to run one component.

    ``user`` is a user of the cluster, with the rights of the service account ``account``
    (``namespace/name``); without it the process is an administrator. It is ready when the page
    ``ready`` answers, or when its log has the text ``ready_line``.
    """

    component: str
    command: tuple[str, ...]
    user: str | None
    account: str | None
    ready: Page | None
    ready_line: str | None
    metrics: Page | None

    @property
    def own_ports(self) -> tuple[int, ...]:
        """The ports that the program itself has chosen: two copies of it cannot both have them."""
        pages = (self.ready, self.metrics)
        return tuple(sorted({page.port for page in pages if page and page.port is not None}))

    @property
    def reads_config(self) -> bool:
        """Whether it is given the configuration: another one is nothing to the others."""
        return any("{config}" in word for word in self.command)


@dataclass(frozen=True)
class Descriptor:
    """Who an implementation is, what it can do and how to run it."""

    name: str
    version: str
    url: str
    profile: Profile
    features: frozenset[str]
    queue_namespace: str
    instances: int | None
    config: Mapping[str, Any] | None
    processes: tuple[Process, ...]
    baseline: tuple[KnownFailure, ...]
    deployments: tuple[Deployed, ...] = ()
    manifests: tuple[Path, ...] = ()
    verbs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    def secrets(self) -> Iterator[str]:
        """What its commands are given that must not be written down."""
        for command in (*(process.command for process in self.processes), *self.verbs.values()):
            yield from of_command(command)


def packaged_descriptor(name: str) -> Descriptor:
    """A descriptor that comes with the suite.

    Our tests hold it to the schema, so it is not checked again: that costs a quarter of a second.
    """
    file = resources.implementations_root() / f"{name}.yaml"
    data = yaml.load(file.read_text("utf-8"), Loader=LOADER)  # noqa: S506 - safe
    return _descriptor(data, file.parent)


def load_descriptor(file: Path) -> Descriptor:
    """Reads and checks a descriptor. Raises DescriptorError."""
    try:
        data = read_yaml(file)
    except Unreadable as error:
        raise DescriptorError(f"implementation {error}") from error
    try:
        descriptor = parse_descriptor(data, directory=file.parent)
        _check_there(descriptor.manifests)
        return descriptor
    except (DescriptorError, ProfileError) as error:
        raise DescriptorError(f"implementation {file}: {error}") from error


def parse_descriptor(data: object, *, directory: Path = Path()) -> Descriptor:
    """A descriptor from the content of its file, which is in ``directory``.

    Raises DescriptorError or ProfileError.
    """
    if not isinstance(data, Mapping):
        raise DescriptorError(
            "it has to be a mapping with name, version, profile, features, and processes or "
            "deployments"
        )
    _check(data)
    if ("processes" in data) == ("deployments" in data):
        raise DescriptorError("it needs either processes or deployments, and not both")
    return _descriptor(data, directory)


def _descriptor(data: Mapping[str, Any], directory: Path) -> Descriptor:
    profile = load_profile(data["profile"])
    for feature in data["features"]:
        if feature not in profile.features:
            raise DescriptorError(
                f"features: unknown feature {feature!r}{did_you_mean(feature, profile.features)}"
            )
    processes = tuple(_process(entry) for entry in data.get("processes", ()))
    deployments = parse_deployments(data)
    names = [each.component for each in processes] + [each.component for each in deployments]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        what = "processes" if processes else "deployments"
        raise DescriptorError(f"{what}: component {twice} is there twice")
    for feature in data["features"]:
        needed = profile.features[feature].component
        if needed and needed not in names:
            raise DescriptorError(
                f"features: {feature} needs a component {needed}, and there is "
                f"{', '.join(names)}; leave it out"
            )
    return Descriptor(
        name=data["name"],
        version=data["version"],
        url=data.get("url", ""),
        profile=profile,
        features=frozenset(data["features"]),
        queue_namespace=data.get("queueNamespace", profile.queue_namespace),
        instances=data.get("instances"),
        config=data.get("config"),
        processes=processes,
        baseline=tuple(
            KnownFailure(
                entry["id"].upper(),
                " ".join(entry["reason"].split()),
                entry.get("link", ""),
                intermittent=entry.get("intermittent", False),
            )
            for entry in data.get("baseline", ())
        ),
        deployments=deployments,
        manifests=tuple(directory / each for each in data.get("manifests", ())),
        verbs=_verbs(data.get("verbs", {})),
    )


def _check_there(manifests: Sequence[Path]) -> None:
    for path in manifests:
        if not path.exists():
            raise DescriptorError(f"manifests: {path}: no such file or directory")


def _process(entry: Mapping[str, Any]) -> Process:
    component = entry["component"]
    _check_placeholders(entry["command"], PLACEHOLDERS, where=f"processes.{component}.command")
    return Process(
        component=component,
        command=tuple(entry["command"]),
        user=entry.get("user"),
        account=entry.get("account"),
        ready=_page(entry.get("ready")),
        ready_line=(entry.get("ready") or {}).get("log"),
        metrics=_page(entry.get("metrics")),
    )


def _page(entry: Mapping[str, Any] | None) -> Page | None:
    return Page(entry["path"], entry.get("port")) if entry and "path" in entry else None


def _verbs(data: Mapping[str, list[str]]) -> Mapping[str, tuple[str, ...]]:
    for verb, command in data.items():
        known = PLACEHOLDERS_OF_VERBS | ({"config"} if verb == "reconfigure" else set())
        _check_placeholders(command, known, where=f"verbs.{verb}")
    for one, other in (("hold", "release"), ("release", "hold")):
        if one in data and other not in data:
            raise DescriptorError(f"verbs: {one} is a command, so {other} has to be one too")
    # What a command has started, nothing but commands can reach.
    missing = [verb for verb in ("stop", "restart", "kill") if verb not in data]
    if "start" in data and missing:
        raise DescriptorError(
            f"verbs: start is a command, so {' and '.join(missing)} have to be commands too"
            if len(missing) > 1
            else f"verbs: start is a command, so {missing[0]} has to be one too"
        )
    return {verb: tuple(command) for verb, command in data.items()}


def _check_placeholders(command: list[str], known: frozenset[str], *, where: str) -> None:
    for word in command:
        for name in _placeholders(word):
            if name not in known:
                hint = did_you_mean(name, known)
                raise DescriptorError(f"{where}: unknown placeholder {{{name}}}{hint}")


def _placeholders(word: str) -> list[str]:
    return [part.split("}", 1)[0] for part in word.split("{")[1:] if "}" in part]


def _check(data: Mapping[str, Any]) -> None:
    # A quarter of a second to import, and wanted only where a descriptor is read.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    schema = json.loads((Path(__file__).parent / "schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    errors = sorted(validator.iter_errors(data), key=lambda error: list(map(str, error.path)))
    if not errors:
        _check_json(data.get("config"), "config")
        return
    error = errors[0]
    path = ".".join(str(step) for step in error.path)
    place = f"{path}: " if path else ""
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        unknown = next(key for key in error.instance if key not in known)
        raise DescriptorError(f"{place}unknown key {unknown!r}{did_you_mean(str(unknown), known)}")
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        raise DescriptorError(f"{place}missing key {missing!r}")
    if error.validator == "type":
        kind = _shown(error.instance)
        raise DescriptorError(f"{place}{kind} is not of type {error.validator_value}")
    raise DescriptorError(f"{place}{error.message}")


def _check_json(value: object, place: str) -> None:
    """YAML has more than JSON, as which an implementation gets its configuration."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            _check_json(each, f"{place}.{key}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            _check_json(each, f"{place}.{number}")
    elif not isinstance(value, str | int | float | None) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise DescriptorError(f"{place}: JSON has no {value}; put it in quotes")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
