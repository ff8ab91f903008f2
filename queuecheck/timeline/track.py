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
from queuecheck.timeline.timeline import concerns


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


def replay(
    observations: Sequence[Observation],
    conditions: Sequence[Condition],
    *,
    since: Position,
    by_version: bool,
) -> list[Point]:
    """The points from ``since`` on; the first of them is how things stood there."""
    chosen = relevant(observations, conditions)
    if by_version:
        chosen.sort(key=lambda seen: (seen.resource_version, seen.sequence))
    view: dict[Key, KubeObject] = {}
    start: Observation | None = None
    later: list[Observation] = []
    for seen in chosen:
        if is_after(seen, since, by_version=by_version):
            later.append(seen)
        else:
            start = seen
            _apply(view, seen)
    points = [
        Point(
            start.resource_version if start else since.resource_version,
            start.at if start else since.at,
            start,
            tuple(condition.holds(view) for condition in conditions),
        )
    ]
    for seen in later:
        _apply(view, seen)
        truths = tuple(condition.holds(view) for condition in conditions)
        points.append(Point(seen.resource_version, seen.at, seen, truths))
    return points


def _apply(view: dict[Key, KubeObject], seen: Observation) -> None:
    key = (seen.kind, seen.namespace, seen.name)
    if seen.live is None:
        gone = view.get(key)
        # A late word about a namesake's predecessor takes nothing away from the namesake.
        if gone is not None and str(gone["metadata"].get("uid", "")) == seen.uid:
            del view[key]
    else:
        view[key] = seen.live
