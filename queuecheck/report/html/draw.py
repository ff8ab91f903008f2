"""A chart as SVG: the same text for the same chart.

Places from left to right are percentages, heights and letters are pixels: a picture fills any
width, from a phone's to a desk's, and its words keep their size. What a bar has no room for fades
out; the whole words are in the element's title. Each tone has a strip of its own pattern and each
kind of dot its own shape, so that nothing hangs on colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from queuecheck.report.html.axis import Instant, Room, positions
from queuecheck.report.html.chart import Chart, Dot, Lane, Stretch, Window, shown
from queuecheck.report.html.svg import element, lines, percent, text
from queuecheck.report.html.tones import BAR, STYLE, definitions

# Room is made for words at the least width of a picture, and for numbers down to a phone's.
PAGE, PHONE = 680, 320
LETTER = 6.7
MOST_ROOM = 34.0
BADGE = 24
LABEL, DOTS, GAP = 18, 20, 12
CUT, WINDOW, AXIS = 26, 36, 24
DOTS_IN_A_ROW, DOT_ROWS = 3, 2
TICK_LETTER = 6.6
STANDALONE, MARGIN = 960, 24


def draw(chart: Chart, *, key: str, standalone: bool = False) -> str:
    """The SVG element. ``key`` makes its IDs unique in a page.

    In a page it takes its look from the page's ``STYLE`` and ``definitions``; standing alone it
    brings them.
    """
    return _Drawing(chart.bounded(), key).svg(standalone=standalone)


class _Drawing:
    def __init__(self, chart: Chart, key: str) -> None:
        self.chart = chart
        self.key = key
        known = list(chart.instants()) or [Instant(0)]
        self.last = max(known)
        # What is there in the end has to be seen too.
        self.end = Instant(self.last.ms + max(1, (self.last.ms - min(known).ms) // 30))
        self.places = positions([*known, self.end], list(self._rooms()))
        self.floor = (
            CUT * len(chart.cuts) + sum(map(_height, chart.lanes)) + WINDOW * len(chart.windows)
        )

    def svg(self, *, standalone: bool) -> str:
        title = element("title", text(self.chart.title), id=f"{self.key}-t")
        told = element("desc", text(self.chart.told()), id=f"{self.key}-d")
        labels = {"role": "img", "aria_labelledby": f"{self.key}-t {self.key}-d"}
        height = self.floor + AXIS
        body = lines([*self._guides(), *self._rows()])
        if not standalone:
            return element(
                "svg", title, told, body, class_="timeline", width="100%", height=height, **labels
            )
        plot = element(
            "svg", body, class_="timeline", x=MARGIN, y=MARGIN, width=STANDALONE - 2 * MARGIN,
            height=height,
        )  # fmt: skip
        total = height + 2 * MARGIN
        paper = element("rect", class_="paper", width=STANDALONE, height=total)
        style = element("style", f"\n{STYLE}\n")
        return element(
            "svg", f"\n{lines([title, told, style, definitions(), paper, plot])}\n",
            xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {STANDALONE} {total}", **labels,
        )  # fmt: skip

    def _rooms(self) -> Iterator[Room]:
        for lane in self.chart.lanes:
            numbered = self._numbered(lane)
            for earlier, later in pairwise([*numbered, self.end]):
                yield Room(earlier, later, BADGE / PHONE * 100, firm=True)
            for stretch in lane.stretches:
                offset = BADGE if stretch.start in numbered else 0
                yield Room(stretch.start, stretch.end or self.end, _wish(stretch.text, offset))
            for _, dot, after in self._dots(lane):
                yield Room(dot.at, after, _wish(dot.text, 12))

    def _numbered(self, lane: Lane) -> list[Instant]:
        return sorted(each.at for each in self.chart.numbered if each.lane == lane.name)

    def _dots(self, lane: Lane) -> Iterator[tuple[int, Dot, Instant]]:
        """Row, dot, and where the next one in that row stands."""
        for number, row in enumerate(_dot_rows(lane)):
            nexts = [*(dot.at for dot in row[1:]), self.end]
            for dot, after in zip(row, nexts, strict=True):
                yield number, dot, after

    def _guides(self) -> Iterator[str]:
        """Lines down to the axis, behind everything else."""
        top = CUT * len(self.chart.cuts)
        for lane in self.chart.lanes:
            for at in dict.fromkeys(self._numbered(lane)):
                yield self._upright(at, top + LABEL + BAR // 2, "guide")
            top += _height(lane)
        for number, (name, cut) in enumerate(self.chart.cuts):
            yield self._upright(cut.at, CUT * number + 20, name)

    def _upright(self, at: Instant, top: float, name: str) -> str:
        x = percent(self.places[at])
        return element("line", class_=name, x1=x, x2=x, y1=top, y2=self.floor)

    def _rows(self) -> Iterator[str]:
        top = 0
        for name, cut in self.chart.cuts:
            yield self._caption(cut.at, cut.at, top, cut.text, name)
            top += CUT
        for lane in self.chart.lanes:
            yield from self._lane(lane, top)
            top += _height(lane)
        for window in self.chart.windows:
            yield from self._window(window, top)
            top += WINDOW
        yield from self._axis(top)

    def _lane(self, lane: Lane, top: int) -> Iterator[str]:
        yield element("text", text(lane.name), class_="name", y=top + 12)
        numbered = self._numbered(lane)
        top += LABEL
        for stretch in lane.stretches:
            yield self._stretch(stretch, top, numbered=stretch.start in numbered)
        below = top + _bar(lane)
        for row, dot, after in self._dots(lane):
            yield self._dot(dot, after, below + row * DOTS)
        for each in self.chart.numbered:
            if each.lane == lane.name:
                circle = element("circle", cx=13, cy=11, r=9)
                figure = element("text", str(each.number), x=13, y=15)
                x = percent(self.places[each.at])
                yield element("svg", circle, figure, class_="number", x=x, y=top)

    def _stretch(self, stretch: Stretch, top: int, *, numbered: bool) -> str:
        left, width = self._span(stretch.start, stretch.end or self.end)
        need = _need(stretch.text, BADGE if numbered else 0)
        return element(
            "svg",
            element("title", text(f"{stretch.text}, {shown(stretch.start)}")),
            element("use", href="#bar"),
            element("text", text(stretch.text), x=BADGE + 2 if numbered else 8, y=16),
            *_fade(need, width),
            class_=stretch.tone.value, x=percent(left), y=top, width=percent(width), height=BAR,
        )  # fmt: skip

    def _dot(self, dot: Dot, after: Instant, top: int) -> str:
        left, width = self._span(dot.at, after)
        if dot.warning:
            shape = element("path", d="M1 13 L6 4 L11 13 Z")
        else:
            shape = element("circle", cx=6, cy=9, r=4)
        return element(
            "svg",
            element("title", text(f"{dot.text}, {shown(dot.at)}")),
            shape,
            element("text", text(dot.text), x=16, y=13),
            *_fade(_need(dot.text, 12), width),
            class_="dot", x=percent(left), y=top, width=percent(width), height=DOTS,
        )  # fmt: skip

    def _window(self, window: Window, top: int) -> Iterator[str]:
        left, width = self._span(window.start, window.end)
        name = "window broken" if window.broken else "window"
        yield element(
            "svg",
            element("line", x2="100%", y1=6, y2=6),
            element("line", y1=2, y2=10),
            element("line", x1="100%", x2="100%", y1=2, y2=10),
            class_=name, x=percent(left), y=top, width=percent(width), height=12,
        )  # fmt: skip
        yield self._caption(window.start, window.end, top + 10, window.text, name)

    def _caption(self, start: Instant, end: Instant, top: int, words: str, name: str) -> str:
        """Words at an instant, on whichever side of it there is room; else over the whole width."""
        left, right = self.places[start], self.places[end]
        wide = len(words) * LETTER / PAGE * 100
        rightward = left <= 100 - right or wide > right
        if wide > max(right, 100 - left):
            left = 0
        anchor = {} if rightward else {"text_anchor": "end"}
        return element(
            "svg",
            element("title", text(words)),
            element("text", text(words), x=0 if rightward else "100%", y=15, **anchor),
            class_=f"caption {name}", x=percent(left if rightward else 0), y=top,
            width=percent(100 - left if rightward else right), height=22,
        )  # fmt: skip

    def _axis(self, top: int) -> Iterator[str]:
        yield element("line", class_="axis", x2="100%", y1=top, y2=top)
        for at in self._ticks():
            place = self.places[at]
            x = percent(place)
            yield element("line", class_="axis", x1=x, x2=x, y1=top, y2=top + 5)
            anchor = {"text_anchor": _anchor(place)}
            yield element("text", shown(at), class_="tick", x=x, y=top + 19, **anchor)

    def _ticks(self) -> Sequence[Instant]:
        """The first, what is marked, the last: as many as do not touch on a phone."""
        cuts = [cut.at for _, cut in reversed(self.chart.cuts)]
        numbered = sorted(each.at for each in self.chart.numbered)
        taken: dict[Instant, tuple[float, float]] = {}
        for at in (min(self.places), *cuts, self.last, *numbered):
            left, right = _tick_span(self.places[at], shown(at))
            if all(right < other[0] or left > other[1] for other in taken.values()):
                taken[at] = (left, right)
        return sorted(taken)

    def _span(self, start: Instant, end: Instant) -> tuple[float, float]:
        left = self.places[start]
        return left, max(0.1, self.places[end] - left)


def _dot_rows(lane: Lane) -> list[tuple[Dot, ...]]:
    """A few dots in one row, more by turns in several, so that their words have room."""
    ordered = sorted(lane.dots, key=lambda dot: dot.at)
    rows = DOT_ROWS if len(ordered) > DOTS_IN_A_ROW else min(1, len(ordered))
    return [tuple(ordered[number::rows]) for number in range(rows)]


def _bar(lane: Lane) -> int:
    return BAR if lane.stretches or not lane.dots else 0


def _height(lane: Lane) -> int:
    return LABEL + _bar(lane) + len(_dot_rows(lane)) * DOTS + GAP


def _anchor(place: float) -> str:
    return "start" if place < 12 else "end" if place > 88 else "middle"


def _tick_span(place: float, words: str) -> tuple[float, float]:
    """Where the words of a tick are on a phone, in percent."""
    width = len(words) * TICK_LETTER / PHONE * 100
    left = {"start": place, "middle": place - width / 2, "end": place - width}[_anchor(place)]
    return left, left + width


def _wish(words: str, offset: float) -> float:
    return min(MOST_ROOM, _need(words, offset))


def _need(words: str, offset: float) -> float:
    """How wide words are in a picture of the least width, in percent."""
    return (len(words) * LETTER + offset + 18) / PAGE * 100


def _fade(need: float, width: float) -> tuple[str, ...]:
    """Over the end of words that have no room; a page has thousands of words that have it."""
    return (element("use", href="#fade", x="100%"),) if need > width else ()
