"""What the recorder saw: one object at one resourceVersion, or that it may have missed some.

Within one kind the resourceVersion is the order. ``sequence`` is the order of arrival, which says
nothing about the order of writes of different kinds: watch streams run apart from one another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from queuecheck.kube import KubeObject

Verb = Literal["LISTED", "ADDED", "MODIFIED", "DELETED"]


@dataclass(frozen=True)
class Observation:
    """One object as it was written, or for DELETED as it last was.

    ``at`` is in seconds since the timeline began. A deletion found by a list carries the list's
    resourceVersion: the object went at that version or before.
    """

    sequence: int
    kind: str
    verb: Verb
    namespace: str
    name: str
    uid: str
    resource_version: int
    at: float
    object: KubeObject

    @property
    def live(self) -> KubeObject | None:
        """The object, or None once it is deleted."""
        return None if self.verb == "DELETED" else self.object


@dataclass(frozen=True)
class Gap:
    """Writes of a kind that may have been missed: after version ``after``, until ``until``.

    ``until`` and ``closed_at`` are None while no fresh list has come. ``namespace`` is "" for all
    namespaces.
    """

    kind: str
    namespace: str
    at: float
    reason: str
    sequence: int
    after: int
    until: int | None = None
    closed_at: float | None = None

    def covers(self, *, kind: str, namespace: str) -> bool:
        """Whether objects of this kind and namespace come from the interrupted stream."""
        return self.kind == kind and self.namespace in {"", namespace}


@dataclass(frozen=True)
class Position:
    """A place in the timeline, to say "from here on".

    ``sequence`` observations had arrived, the highest version known of was ``resource_version``,
    and of each kind ``versions``. What arrives later with a version up to that happened before.
    """

    sequence: int
    resource_version: int
    at: float
    versions: Mapping[str, int] = field(default_factory=dict, hash=False)

    def within(self, kind: str) -> Position:
        """The place in the order of one kind alone, whose versions count on a clock of their own.

        Of a kind that was not known yet, everything comes after it.
        """
        return replace(self, resource_version=self.versions.get(kind, 0))
