"""Charts for tests: one that looks like the worked example, and any at all."""

from __future__ import annotations

from hypothesis import strategies as st

from queuecheck.report.html.axis import Instant
from queuecheck.report.html.chart import (
    Chart,
    Cut,
    Dot,
    Lane,
    Numbered,
    Stretch,
    Tone,
    Window,
)


def example(*, broken: bool = False) -> Chart:
    return Chart(
        title="The victim is emptied before the preemptor comes in",
        lanes=(
            Lane(
                "unit low",
                (
                    Stretch("waits", Tone.WAITS, Instant(30, 10), Instant(52, 14)),
                    Stretch("holds 1", Tone.HOLDS, Instant(52, 14), Instant(350, 30)),
                    Stretch("marked for 1", Tone.MARKED, Instant(350, 30), Instant(402, 36)),
                    Stretch("waits", Tone.WAITS, Instant(402, 36)),
                ),
                (Dot("Preempted", Instant(351, 31)), Dot("Odd", Instant(352, 32), warning=True)),
            ),
            Lane(
                "unit high",
                (
                    Stretch("waits", Tone.WAITS, Instant(340, 28), Instant(420, 40)),
                    Stretch("holds 1", Tone.HOLDS, Instant(420, 40)),
                ),
            ),
            Lane("pods of low", (Stretch("gone", Tone.OVER, Instant(380, 33)),)),
        ),
        numbered=(
            Numbered(1, "unit low", Instant(350, 30), "low is marked"),
            Numbered(2, "pods of low", Instant(380, 33), "low's pods are gone"),
            Numbered(3, "unit low", Instant(402, 36), "low reserves nothing"),
            Numbered(4, "unit high", Instant(420, 40), "high is admitted"),
        ),
        windows=(Window("never: high is admitted", Instant(325), Instant(402, 36)),),
        act=Cut("When high is submitted", Instant(325)),
        broken=Cut("broken here", Instant(402, 36)) if broken else None,
    )


words = st.text(max_size=12)
instants = st.builds(Instant, st.integers(0, 10**6), st.integers(0, 10**6))


@st.composite
def lanes(draw: st.DrawFn, name: str) -> Lane:
    bounds = sorted(draw(st.sets(instants, max_size=6)))
    pairs = list(zip(bounds, [*bounds[1:], None], strict=True)) if bounds else []
    stretches = tuple(
        Stretch(draw(words), draw(st.sampled_from(Tone)), start, end) for start, end in pairs
    )
    dots = draw(st.lists(st.builds(Dot, words, instants, st.booleans()), max_size=4))
    return Lane(name, stretches, tuple(dots))


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    names = draw(st.lists(st.text(min_size=1, max_size=20), max_size=3, unique=True))
    found = tuple(draw(lanes(name)) for name in names)
    numbered = tuple(
        Numbered(number, lane.name, stretch.start, draw(words))
        for number, (lane, stretch) in enumerate(
            (
                (lane, stretch)
                for lane in found
                for stretch in lane.stretches
                if draw(st.booleans())
            ),
            start=1,
        )
    )
    spans = draw(st.lists(st.tuples(words, instants, instants, st.booleans()), max_size=2))
    cuts = st.none() | st.builds(Cut, words, instants)
    return Chart(
        title=draw(words),
        lanes=found,
        numbered=numbered,
        windows=tuple(
            Window(text, min(one, other), max(one, other), broken)
            for text, one, other, broken in spans
        ),
        act=draw(cuts),
        broken=draw(cuts),
    )
