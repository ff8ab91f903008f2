"""Verdicts on what an attempt has seen: of a window, and of a table of states in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from queuecheck.timeline.attempt import Attempt, Sighting
from queuecheck.timeline.failure import HarnessError, moment
from queuecheck.timeline.order import Broken, Scan, Step, conditions_of, scan, scan_by_kind
from queuecheck.timeline.state import Condition
from queuecheck.timeline.track import Point, kinds_of
from queuecheck.timeline.window import Fence, Window


def survey(
    attempt: Attempt, state: Condition, fence: Condition | None, *, holds: bool
) -> tuple[Point | None, Point | None]:
    """The first point in the window that breaks the claim, and the point that closes it.

    Raises HarnessError if the fence holds at the start, of which it makes sure first.
    """
    if fence is None:
        points = attempt.points((state,))
        return next((point for point in points if point.truths[0] is not holds), None), None
    together = attempt.ordered((state, fence))
    points = attempt.points((state, fence) if together else (state,))
    gates = points if together else attempt.points((fence,))
    column = 1 if together else 0
    if gates[0].truths[column] and not attempt.certain(gates[0]):
        attempt.catch_up()
        points = attempt.points((state, fence) if together else (state,))
        gates = points if together else attempt.points((fence,))
    if gates[0].truths[column]:
        raise HarnessError(
            f"{attempt.sentence}: {fence.sentence} was so already at the start; "
            "a fence must come after it"
        )
    end = next((point for point in gates if point.truths[column]), None)
    if together and end is not None:
        points = points[: points.index(end) + 1]
    return next((point for point in points if point.truths[0] is not holds), None), end


def until(window: Window, attempt: Attempt) -> str:
    """What closes the window, in words."""
    if isinstance(window, Fence):
        why = f" ({window.sentence})" if window.sentence else ""
        return f"until: {window.state.sentence}{why}"
    return f"for {attempt.seconds:g} s (budget {window.budget})"


def when(bad: Point, *, holds: bool) -> str:
    """Why a claim about a window is broken. ``holds`` is what was claimed."""
    what = "it was not so" if holds else "it was so"
    if bad.cause is None:
        return f"{what} at the start"
    return f"{what} at {moment(bad.at)}, resourceVersion {bad.resource_version}"


def scan_steps(attempt: Attempt, steps: Sequence[Step]) -> Scan:
    """How far the table is matched by now, and what has broken it."""
    if attempt.ordered(attempt.conditions):
        return scan(steps, attempt.points(conditions_of(steps)))
    return scan_by_kind(steps, attempt.points)


def judge(
    attempt: Attempt, steps: Sequence[Step], found: Scan, *, otherwise: str
) -> tuple[Sighting, ...]:
    """The sightings of a complete table; else a failure, or Unknown if there was a gap.

    ``otherwise`` says why a table that is neither complete nor broken is given up.
    """
    last = found.matched[-1] if found.matched else None
    end = found.broken.point if found.broken else last if found.complete(len(steps)) else None
    attempt.refuse_gap(until=end.resource_version if end else None)
    if found.complete(len(steps)):
        return tuple(
            attempt.sighting(step.state, point)
            for step, point in zip(steps, found.matched, strict=True)
        )
    for step, point in zip(steps, found.matched, strict=False):
        attempt.sighting(step.state, point)
    attempt.expected = tuple(_progress(steps, found))
    if found.broken is None:
        due = len(found.matched)
        return attempt.fail(f"step {due + 1}, {steps[due].state.sentence}: {otherwise}")
    return attempt.fail(
        _why_broken(steps, found.matched, found.broken), culprit=found.broken.point.cause
    )


def _why_broken(steps: Sequence[Step], matched: Sequence[Point], broken: Broken) -> str:
    point, step = broken.point, steps[broken.step]
    number = broken.step + 1
    where = f"at {moment(point.at)}, resourceVersion {point.resource_version}"
    if broken.how == "between":
        place = f"between steps {number - 1} and {number}" if matched else "before step 1"
        forbidden = step.without.sentence if step.without is not None else ""
        return f"{place}: {forbidden}, {where}"
    earlier = f"step {number - 1}, {steps[broken.step - 1].state.sentence}"
    how = "in the same write as" if matched[-1] == point else "before"
    return f"step {number}, {step.state.sentence}, came too early, {where}, {how} {earlier}"


def _progress(steps: Sequence[Step], found: Scan) -> Iterator[str]:
    broken_words = {"early": "came too early", "between": "not reached in order"}
    for number, step in enumerate(steps):
        if number < len(found.matched):
            point = found.matched[number]
            outcome = f"seen at {moment(point.at)}, rv {point.resource_version}"
        elif found.broken is not None and found.broken.step == number:
            outcome = broken_words[found.broken.how]
        else:
            outcome = "not seen in its turn"
        yield f"{number + 1}. {step.state.sentence}: {outcome}"
        if step.without is not None:
            yield f"   without: {step.without.sentence}"


def named_kinds(conditions: Sequence[Condition]) -> str:
    """The kinds that the conditions look at, in words."""
    return " and ".join(sorted(kinds_of(conditions)))
