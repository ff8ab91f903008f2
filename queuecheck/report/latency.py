"""How long an implementation took, read off the pictures of scenarios. Nothing of it is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from queuecheck.profiles import Timing
from queuecheck.report.model import Latency
from queuecheck.report.picture import Lane, Moment, Picture

SUBMIT_ADMIT = "submit to admit"
SUBMIT_MARK = "submit to mark"
MARK_RECLAIMED = "mark to reclaimed"
NAMES = (SUBMIT_ADMIT, SUBMIT_MARK, MARK_RECLAIMED)


def measure(picture: Picture, timing: Timing) -> dict[str, tuple[int, ...]]:
    """Milliseconds by what was measured; only what was seen at least once.

    From submission to admission only for what was never refused: the rest waits for others. From
    submission to mark: from the last work that was submitted before the mark.
    """
    made = [
        (lane, moment.ms)
        for lane in picture.lanes
        if lane.kind == timing.work
        for moment in lane.moments
        if moment.verb == "added"
    ]
    units = [lane for lane in picture.lanes if lane.kind == timing.unit]
    found = {name: tuple(values) for name, values in _measured(made, units, timing).items()}
    return {name: values for name, values in found.items() if values}


def summarise(runs: Iterable[Mapping[str, Sequence[int]]]) -> tuple[Latency, ...]:
    """The median and the 95th percentile over many scenarios."""
    collected: dict[str, list[int]] = {name: [] for name in NAMES}
    for run in runs:
        for name, values in run.items():
            collected.setdefault(name, []).extend(values)
    return tuple(
        Latency(name, len(values), percentile(values, 50), percentile(values, 95))
        for name, values in collected.items()
        if values
    )


def percentile(values: Sequence[int], percent: int) -> int:
    """The smallest value that so many percent of the values do not exceed. Not of nothing."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]


def _measured(
    made: Sequence[tuple[Lane, int]], units: Sequence[Lane], timing: Timing
) -> dict[str, list[int]]:
    values: dict[str, list[int]] = {name: [] for name in NAMES}
    for unit in units:
        submitted = next((ms for lane, ms in made if _stands_for(unit, lane)), None)
        admitted = _first_admission(unit, timing)
        if submitted is not None and admitted is not None and admitted >= submitted:
            values[SUBMIT_ADMIT].append(admitted - submitted)
        for start, end in _marks(unit, timing):
            others = [ms for lane, ms in made if ms <= start and not _stands_for(unit, lane)]
            if others:
                values[SUBMIT_MARK].append(start - max(others))
            if end is not None:
                values[MARK_RECLAIMED].append(end - start)
    return values


def _stands_for(unit: Lane, work: Lane) -> bool:
    same = (unit.namespace, unit.name) == (work.namespace, work.name)
    return same or (unit.namespace == work.namespace and unit.owner == f"{work.kind}/{work.name}")


def _first_admission(unit: Lane, timing: Timing) -> int | None:
    """None where something was refused before, or nothing ever admitted."""
    for moment in unit.moments:
        if _number(moment, timing.held):
            return moment.ms
        if moment.shown.get(timing.refused):
            return None
    return None


def _marks(unit: Lane, timing: Timing) -> Iterator[tuple[int, int | None]]:
    """From each moment at which a mark appears to the one at which there is none any more."""
    start: int | None = None
    for moment in unit.moments:
        marked = _number(moment, timing.marked)
        if marked and start is None:
            start = moment.ms
        elif not marked and start is not None:
            yield start, moment.ms
            start = None
    if start is not None:
        yield start, None


def _number(moment: Moment, word: str) -> int:
    """The sum of what a word shows, such as ``2, 1``."""
    parts = moment.shown.get(word, "").split(", ")
    return sum(int(part) for part in parts if part.isdigit())
