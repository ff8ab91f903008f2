"""Sentences about objects that are true or false of what was seen at one moment.

A ``State`` judges one object, a ``SetState`` every object of a selection, a ``Compound`` joins
several, each taken as it was at the same moment. What a state means comes in from outside, as a
sentence and a predicate; nothing here knows any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from queuecheck.kube import KubeObject
from queuecheck.timeline.failure import HarnessError

Key = tuple[str, str, str]
View = Mapping[Key, KubeObject]


@dataclass(frozen=True)
class Subject:
    """One object by name, of whatever UID. ``alias`` is what the scenario calls it."""

    kind: str
    namespace: str
    name: str
    alias: str = ""

    @property
    def key(self) -> Key:
        """What identifies the object in a view."""
        return self.kind, self.namespace, self.name

    @property
    def label(self) -> str:
        """How a failure names it."""
        if not self.alias or self.alias == self.name:
            return f'{self.kind} "{self.name}"'
        return f'{self.kind} "{self.alias}" ({self.name})'

    def covers(self, *, kind: str, namespace: str, name: str) -> bool:
        """Whether an observation of that object bears on this subject."""
        return self.key == (kind, namespace, name)


@dataclass(frozen=True)
class Selection:
    """Every object of a kind and namespace for which ``where`` is true, whatever its name."""

    kind: str
    namespace: str
    where: Callable[[KubeObject], bool]
    alias: str

    @property
    def label(self) -> str:
        """How a failure names it."""
        return self.alias

    def covers(self, *, kind: str, namespace: str, name: str) -> bool:  # noqa: ARG002
        """Whether an observation of that object may bear on this selection."""
        return (self.kind, self.namespace) == (kind, namespace)

    def of(self, view: View) -> tuple[KubeObject, ...]:
        """The selected objects, by name."""
        keys = sorted(key for key in view if key[:2] == (self.kind, self.namespace))
        return tuple(view[key] for key in keys if self.where(view[key]))


@dataclass(frozen=True)
class State:
    """``test`` is given the subject as it is, or None while it does not exist.

    ``fields`` are the dotted paths that a failure shows, such as
    ``status.admissions[0].replicas``. ``may_return``: a deleted subject may come back under the
    same name, so that its deletion does not end the wait.
    """

    subject: Subject
    sentence: str
    test: Callable[[KubeObject | None], bool]
    fields: tuple[str, ...] = ()
    may_return: bool = False

    def holds(self, view: View) -> bool:
        """Raises HarnessError if the predicate itself breaks."""
        return _tried(self.sentence, lambda: self.test(view.get(self.subject.key)))

    def leaves(self) -> Iterator[State | SetState]:
        """The states about objects that this one is made of."""
        yield self


@dataclass(frozen=True)
class SetState:
    """``test`` is given the selected objects, by name; possibly none."""

    subject: Selection
    sentence: str
    test: Callable[[tuple[KubeObject, ...]], bool]
    fields: tuple[str, ...] = ()

    def holds(self, view: View) -> bool:
        """Raises HarnessError if the predicate itself breaks."""
        return _tried(self.sentence, lambda: self.test(self.subject.of(view)))

    def leaves(self) -> Iterator[State | SetState]:
        """The states about objects that this one is made of."""
        yield self


@dataclass(frozen=True)
class Compound:
    """Several states judged together, on every object as it was at the same moment."""

    joined: Literal["all", "any", "none"]
    parts: tuple[Condition, ...]
    sentence: str

    def holds(self, view: View) -> bool:
        """Raises HarnessError if a predicate itself breaks."""
        truths = [part.holds(view) for part in self.parts]
        if self.joined == "all":
            return all(truths)
        return any(truths) if self.joined == "any" else not any(truths)

    def leaves(self) -> Iterator[State | SetState]:
        """The states about objects that this one is made of."""
        for part in self.parts:
            yield from part.leaves()


Condition = State | SetState | Compound


def all_of(*parts: Condition, sentence: str = "") -> Compound:
    """True when every part is, at one and the same moment."""
    return Compound("all", parts, sentence or " and ".join(part.sentence for part in parts))


def any_of(*parts: Condition, sentence: str = "") -> Compound:
    """True when at least one part is."""
    return Compound("any", parts, sentence or " or ".join(part.sentence for part in parts))


def negate(part: Condition, sentence: str = "") -> Compound:
    """True when the part is not."""
    return Compound("none", (part,), sentence or f"not: {part.sentence}")


def exists(subject: Subject) -> State:
    """The object is there."""
    return State(subject, f"{subject.label} exists", lambda found: found is not None)


def absent(subject: Subject) -> State:
    """The object is not there: not yet, or no more."""
    return State(subject, f"{subject.label} is gone", lambda found: found is None)


def labelled(labels: Mapping[str, str]) -> Callable[[KubeObject], bool]:
    """A selection's ``where``: the object carries all these labels."""
    wanted = dict(labels).items()
    return lambda found: wanted <= (found["metadata"].get("labels") or {}).items()


def owned_by(uid: str) -> Callable[[KubeObject], bool]:
    """A selection's ``where``: an owner reference names this UID."""
    return lambda found: any(
        owner.get("uid") == uid for owner in found["metadata"].get("ownerReferences") or ()
    )


def _tried(sentence: str, test: Callable[[], bool]) -> bool:
    try:
        return bool(test())
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise HarnessError(
            f"the predicate of {sentence!r} broke: {type(error).__name__}: {error}"
        ) from error
