"""Judging an order of states over replayed points: a pure function, and its verdicts.

Step by step, each state is matched by its *first* point after the match of the step before.
Two things break the order, and nothing that comes later can mend it:

- a state is seen *before its turn*: it holds already when the step before is matched. It may have
  held earlier, and gone: "queued, admitted, queued" is an order of three states;
- a forbidden state holds somewhere from the match of the step before up to this step's own.

"After" is a strictly larger resourceVersion, or for a step with ``may_coincide`` the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from queuecheck.timeline.failure import Unknown
from queuecheck.timeline.state import Condition
from queuecheck.timeline.track import Point, kinds_of


@dataclass(frozen=True)
class Step:
    """One row of the table.

    ``without`` must not hold between the step before and this one. ``may_coincide`` allows one
    write to bring both states. ``caused``: the write of the step before causes this one, which
    is an order even where versions of different kinds cannot be compared.
    """

    state: Condition
    without: Condition | None = None
    may_coincide: bool = False
    caused: bool = False


@dataclass(frozen=True)
class Broken:
    """Step ``step`` (from 0) is broken at ``point``.

    Either its own state came "early", or its ``without`` came "between" it and the step before.
    """

    step: int
    point: Point
    how: Literal["early", "between"]


@dataclass(frozen=True)
class Scan:
    """The points that match the first steps, and what broke the next one, if anything."""

    matched: tuple[Point, ...]
    broken: Broken | None = None

    @property
    def points(self) -> tuple[Point, ...]:
        """All that the scan rests on."""
        return (*self.matched, *([self.broken.point] if self.broken else []))

    def complete(self, steps: int) -> bool:
        """Whether all of so many steps are matched."""
        return len(self.matched) == steps and self.broken is None

    def decided(self, steps: int) -> bool:
        """Whether later observations can no longer change the verdict."""
        return self.broken is not None or self.complete(steps)


def conditions_of(steps: Sequence[Step]) -> tuple[Condition, ...]:
    """What ``scan`` needs the truths of, in its order: each step's state, each ``without``."""
    forbidden = tuple(step.without for step in steps if step.without is not None)
    return (*(step.state for step in steps), *forbidden)


def scan(steps: Sequence[Step], points: Sequence[Point]) -> Scan:
    """``points`` carry the truths of ``conditions_of(steps)``."""
    matched: list[int] = []
    column = len(steps)
    for number, step in enumerate(steps):
        forbidden = column if step.without is not None else None
        column += forbidden is not None
        early = _early(steps, points, matched, number)
        if early is not None:
            return Scan(_points(points, matched), early)
        found = _first(points, number, _from(points, matched, may_coincide=step.may_coincide))
        if forbidden is not None:
            first = matched[-1] if matched else 0
            at = _first(points, forbidden, first, found)
            if at is not None:
                return Scan(_points(points, matched), Broken(number, points[at], "between"))
        if found is None:
            break
        matched.append(found)
    return Scan(_points(points, matched))


def _early(
    steps: Sequence[Step], points: Sequence[Point], matched: Sequence[int], number: int
) -> Broken | None:
    """The point since which the state held when the step before was matched, if it did."""
    if not matched or not points[matched[-1]].truths[number]:
        return None
    since = matched[-1]
    while since > 0 and points[since - 1].truths[number]:
        since -= 1
    if steps[number].may_coincide and since == matched[-1]:
        return None
    return Broken(number, points[since], "early")


def _from(points: Sequence[Point], matched: Sequence[int], *, may_coincide: bool) -> int:
    if not matched:
        return 0
    if may_coincide:
        return matched[-1]
    version = points[matched[-1]].resource_version
    start = matched[-1] + 1
    while start < len(points) and points[start].resource_version <= version:
        start += 1
    return start


def _first(points: Sequence[Point], column: int, start: int, end: int | None = None) -> int | None:
    stop = len(points) if end is None else end
    return next((at for at in range(start, stop) if points[at].truths[column]), None)


def _points(points: Sequence[Point], matched: Sequence[int]) -> tuple[Point, ...]:
    return tuple(points[at] for at in matched)


def refuse_unknown_order(steps: Sequence[Step]) -> None:
    """Raises Unknown unless each pair of different kinds is one where a write causes the next."""
    for number, step in enumerate(steps):
        parts = [step.state, *([step.without] if step.without is not None else [])]
        if number and step.without is not None:
            parts.append(steps[number - 1].state)
        if len(kinds_of(parts)) > 1:
            raise _unknown(step, kinds_of(parts))
        if number and not step.caused:
            pair = kinds_of((steps[number - 1].state, step.state))
            if len(pair) > 1:
                raise _unknown(step, pair)


def scan_by_kind(
    steps: Sequence[Step], points: Callable[[Sequence[Condition]], Sequence[Point]]
) -> Scan:
    """Scans the steps of each kind by themselves; causes order the kinds among one another."""
    found: dict[int, Point] = {}
    broken: list[Broken] = []
    for kind in sorted({kind for step in steps for kind in kinds_of((step.state,))}):
        numbers = [at for at, step in enumerate(steps) if kind in kinds_of((step.state,))]
        own = [steps[number] for number in numbers]
        part = scan(own, points(conditions_of(own)))
        found.update(zip(numbers, part.matched, strict=False))
        if part.broken is not None:
            broken.append(replace(part.broken, step=numbers[part.broken.step]))
    first = min(broken, key=lambda each: each.step, default=None)
    matched: list[Point] = []
    for number in range(len(steps)):
        if number not in found or (first is not None and number >= first.step):
            break
        matched.append(found[number])
    return Scan(tuple(matched), first)


def _unknown(step: Step, kinds: frozenset[str]) -> Unknown:
    return Unknown(
        f"{step.state.sentence}: this cluster promises no order of {' and '.join(sorted(kinds))}"
    )
