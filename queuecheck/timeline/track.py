"""Replaying observations: which conditions held after each write, in order of version.

``points[0]`` is how things stood at the start, with everything of a lower version applied; each
further point is one observation. With an order across kinds the points are in order of
resourceVersion; without one they are in order of arrival, which is an order only within a kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from queuecheck.kube import KubeObject
from queuecheck.timeline.observation import Observation, Position
from queuecheck.timeline.state import Condition, Key
from queuecheck.timeline.timeline import Timeline, concerns


@dataclass(frozen=True)
class Point:
    """A moment: the write that made it (None for the start), and what held after it."""

    resource_version: int
    at: float
    cause: Observation | None
    truths: tuple[bool, ...]


def kinds_of(conditions: Sequence[Condition]) -> frozenset[str]:
    """The kinds that the conditions look at."""
    return frozenset(leaf.subject.kind for condition in conditions for leaf in condition.leaves())


def streams_of(conditions: Sequence[Condition]) -> frozenset[tuple[str, str]]:
    """The (kind, namespace) pairs that the conditions look at."""
    return frozenset(
        (leaf.subject.kind, leaf.subject.namespace)
        for condition in conditions
        for leaf in condition.leaves()
    )


def relevant(
    observations: Sequence[Observation], conditions: Sequence[Condition]
) -> list[Observation]:
    """Those that bear on any of the conditions, in order of arrival."""
    subjects = [leaf.subject for condition in conditions for leaf in condition.leaves()]
    return [seen for seen in observations if any(concerns(seen, each) for each in subjects)]


def is_after(seen: Observation, since: Position, *, by_version: bool) -> bool:
    """Whether the write came after the position."""
    if by_version:
        return seen.resource_version > since.resource_version
    return seen.sequence >= since.sequence


class Track:
    """The points of some conditions from ``since`` on, kept up with what comes in.

    What arrives in order of version costs one look at the conditions; what arrives late makes
    the replay start again.
    """

    def __init__(
        self,
        timeline: Timeline,
        conditions: Sequence[Condition],
        *,
        since: Position,
        by_version: bool,
    ) -> None:
        self._timeline = timeline
        self._conditions = tuple(conditions)
        self._subjects = [leaf.subject for each in conditions for leaf in each.leaves()]
        self._streams = streams_of(conditions)
        self._since = since
        self._by_version = by_version
        self._read = 0
        self._applied: list[Observation] = []
        self._view: dict[Key, KubeObject] = {}
        self._points: list[Point] = []

    def points(self) -> list[Point]:
        """Up to now; the first is how things stood at ``since``. Not to be changed."""
        fresh = self._timeline.observations(self._streams, since=self._read)
        if fresh:
            self._read = fresh[-1].sequence + 1
        new = [each for each in fresh if any(concerns(each, one) for one in self._subjects)]
        if self._by_version:
            new.sort(key=_by_version)
        late = (
            bool(new and self._applied)
            and self._by_version
            and (_by_version(new[0]) < _by_version(self._applied[-1]))
        )
        before = bool(new) and not is_after(new[0], self._since, by_version=self._by_version)
        if late or before or not self._points:
            self._start_again(new)
        else:
            self._apply(new)
        return self._points

    def _start_again(self, new: Sequence[Observation]) -> None:
        everything = [*self._applied, *new]
        if self._by_version:
            everything.sort(key=_by_version)
        self._view.clear()
        self._applied = []
        for seen in everything:
            if not is_after(seen, self._since, by_version=self._by_version):
                self._applied.append(seen)
                _apply(self._view, seen)
        start = self._applied[-1] if self._applied else None
        self._points = [
            Point(
                start.resource_version if start else self._since.resource_version,
                start.at if start else self._since.at,
                start,
                self._truths(),
            )
        ]
        self._apply(everything[len(self._applied) :])

    def _apply(self, new: Sequence[Observation]) -> None:
        for seen in new:
            self._applied.append(seen)
            _apply(self._view, seen)
            self._points.append(Point(seen.resource_version, seen.at, seen, self._truths()))

    def _truths(self) -> tuple[bool, ...]:
        return tuple(condition.holds(self._view) for condition in self._conditions)


def _by_version(seen: Observation) -> tuple[int, int]:
    return seen.resource_version, seen.sequence


def _apply(view: dict[Key, KubeObject], seen: Observation) -> None:
    key = (seen.kind, seen.namespace, seen.name)
    if seen.live is None:
        view.pop(key, None)
    else:
        view[key] = seen.live
