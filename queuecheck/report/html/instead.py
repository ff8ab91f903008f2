"""What became of the objects of a claim whose wait was given up: what was seen in its place."""

from __future__ import annotations

from collections.abc import Iterator

from queuecheck.profiles import Look
from queuecheck.report.html.axis import Instant
from queuecheck.report.html.chart import shown
from queuecheck.report.html.lanes import Looks, told
from queuecheck.report.html.reading import CULPRIT
from queuecheck.report.picture import Claimed, Lane, Picture


def instead(claim: Claimed, picture: Picture | None, looks: Looks) -> tuple[str, ...]:
    """A sentence for each object that the claim names; none where a write broke the claim."""
    if picture is None or any(mark.role == CULPRIT for mark in claim.marks):
        return ()
    waited_for = [claim.sentence, *(m.sentence for m in claim.marks if m.role == "missing")]
    return tuple(
        f"{lane.kind} {lane.alias} {_last(lane, look)}"
        for lane in picture.lanes
        if (look := looks.get(lane.kind)) is not None
        and lane.moments
        and any(f'{lane.kind} "{lane.alias}"' in sentence for sentence in waited_for)
    )


def _last(lane: Lane, look: Look) -> str:
    """The last state in words, and since when it has been so."""
    *_, (ms, words) = _states(lane, look)
    return f"{words} from {shown(Instant(ms))} on"


def _states(lane: Lane, look: Look) -> Iterator[tuple[int, str]]:
    before = ""
    for moment in lane.moments:
        words = "was gone" if moment.verb == "deleted" else f"was: {told(moment, look)[0]},"
        if words != before:
            yield moment.ms, words
        before = words
