"""From one run of a scenario to its chart: what was seen, and what its claims point at.

Everything before the act is how things came to be: its claims get neither numbers nor windows.
Numbers count places from left to right; two claims that point at one write share its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from queuecheck.report.html.axis import Instant
from queuecheck.report.html.chart import Chart, Cut, Lane, Numbered, Stretch, Window
from queuecheck.report.html.lanes import Clock, Lanes, Looks, background, lanes
from queuecheck.report.model import ScenarioRun
from queuecheck.report.picture import Claimed, Mark, Picture

ACT = "When"
WINDOWS = frozenset({"never", "stays"})
FAILED = "failed"
CULPRIT = "culprit"


@dataclass(frozen=True)
class Reading:
    """A chart, and the number that each mark of each claim has in it, by claim and mark."""

    chart: Chart
    numbers: Mapping[tuple[int, int], int]


def read(run: ScenarioRun, looks: Looks, *, ordered: bool) -> Reading | None:
    """None where nothing was recorded. ``ordered``: versions of different kinds compare."""
    picture = run.picture
    if picture is None:
        return None
    return _Reader(run, picture, looks, ordered=ordered).reading()


class _Reader:
    def __init__(self, run: ScenarioRun, picture: Picture, looks: Looks, *, ordered: bool) -> None:
        self.run = run
        self.picture = picture
        self.act = act_of(run)
        self.clock = Clock(_seen(run, picture), ordered=ordered)
        pointed_at = {
            (mark.kind, mark.namespace, mark.name)
            for _, claim in self._told()
            for mark in claim.marks
        }
        left_out = background(picture, looks) - pointed_at
        self.lanes: Lanes = lanes(picture, looks, self.clock, without=left_out)

    def reading(self) -> Reading:
        places = dict(self._places())
        order = sorted({(at, lane) for at, lane, _ in places.values()})
        number_of = {place: number for number, place in enumerate(order, start=1)}
        numbers = {key: number_of[at, lane] for key, (at, lane, _) in places.items()}
        sentences: dict[int, str] = {}
        for key, (_, _, sentence) in places.items():
            sentences.setdefault(numbers[key], sentence)
        chart = Chart(
            title=f"What was seen: {self.run.name}",
            lanes=tuple(_split(lane, order) for lane in self.lanes.lanes),
            numbered=tuple(
                Numbered(number, lane, at, sentences[number])
                for (at, lane), number in number_of.items()
            ),
            windows=(*self._windows(), *self._blanks()),
            act=self._cut(),
            broken=self._broken(),
        )
        return Reading(chart, numbers)

    def _told(self) -> Iterator[tuple[int, Claimed]]:
        """The claims from the act on, and any that failed."""
        for number, claim in enumerate(self.run.claims):
            if claim.step >= self.act or claim.outcome != "passed":
                yield number, claim

    def _places(self) -> Iterator[tuple[tuple[int, int], tuple[Instant, str, str]]]:
        """Instant, lane and sentence of each state that was seen, by claim and mark."""
        for number, claim in self._told():
            for index, mark in enumerate(claim.marks):
                lane = self._lane_of(mark)
                if mark.role == "state" and lane and mark.ms is not None:
                    at = self.clock.at(mark.ms, mark.version)
                    yield (number, index), (at, lane, mark.sentence)

    def _lane_of(self, mark: Mark) -> str:
        return self.lanes.of.get((mark.kind, mark.namespace, mark.name), "")

    def _cut(self) -> Cut | None:
        if self.act >= len(self.run.steps):
            return None
        step = self.run.steps[self.act]
        if step.outcome == "not-run":
            return None
        return Cut(f"{step.keyword} {step.text}", Instant(step.began))

    def _windows(self) -> Iterator[Window]:
        for _, claim in self._told():
            if claim.claim in WINDOWS:
                broken = claim.outcome == FAILED
                closed = "broken" if broken else closing(claim)
                start, end = Instant(claim.began), Instant(claim.ended)
                yield Window(f"{claim.sentence} · {closed}", start, end, broken=broken)

    def _blanks(self) -> Iterator[Window]:
        for blank in self.picture.blanks:
            end = self.picture.ended if blank.until is None else blank.until
            text = f"gap: {blank.kind} may have been missed here ({blank.reason})"
            yield Window(text, Instant(blank.ms), Instant(max(end, blank.ms)), broken=True)

    def _broken(self) -> Cut | None:
        for claim in self.run.claims:
            for mark in claim.marks:
                if mark.role == CULPRIT and mark.ms is not None:
                    return Cut("broken by this write", self.clock.at(mark.ms, mark.version))
        failed = [claim for claim in self.run.claims if claim.outcome == FAILED]
        if failed:
            return Cut("not seen until here", Instant(failed[-1].ended))
        return None


def _split(lane: Lane, places: Sequence[tuple[Instant, str]]) -> Lane:
    """A stretch begins anew at each number in it, so that the number stands before its words."""
    cuts = [at for at, name in places if name == lane.name]
    return replace(
        lane, stretches=tuple(part for each in lane.stretches for part in _parts(each, cuts))
    )


def _parts(stretch: Stretch, cuts: Sequence[Instant]) -> Iterator[Stretch]:
    start = stretch.start
    for at in cuts:
        if start < at and (stretch.end is None or at < stretch.end):
            yield replace(stretch, start=start, end=at)
            start = at
    yield replace(stretch, start=start)


def closing(claim: Claimed) -> str:
    """What closed the window of a claim, in words; "" for a claim without one."""
    fence = next((mark.sentence for mark in claim.marks if mark.role == "fence"), "")
    if claim.closed_by == "fence":
        return f"closed by a fence: {fence}" if fence else "closed by a fence"
    return "closed after a quiet period" if claim.closed_by == "quiet" else ""


def act_of(run: ScenarioRun) -> int:
    """The place of the first When; what has none is all act."""
    found = (number for number, step in enumerate(run.steps) if step.keyword.strip() == ACT)
    return next(found, 0)


def _seen(run: ScenarioRun, picture: Picture) -> Iterator[tuple[int, int]]:
    for lane in picture.lanes:
        yield from ((moment.ms, moment.version) for moment in lane.moments)
    yield from ((event.ms, event.version) for event in picture.events)
    marks: Sequence[Mark] = [mark for claim in run.claims for mark in claim.marks]
    yield from ((mark.ms, mark.version) for mark in marks if mark.ms is not None)
