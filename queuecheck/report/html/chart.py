"""What a picture of a timeline shows, as values: lanes over time, and marks on them.

An ``Instant`` is where everything stands. Lanes hold stretches (what an object was, from when to
when) and dots (what happened once). On them lie the numbered states of ordered claims, the windows
of claims that say "never" or "stays", the scenario's act, and the write that broke a claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from queuecheck.report.html.axis import Instant

# More than this nobody reads; how much more there is the page says in words.
MOST_LANES, MOST_STRETCHES, MOST_DOTS, MOST_WINDOWS = 24, 60, 60, 6


class Tone(StrEnum):
    """What a state means to the quota, which is what its bar shows."""

    HOLDS = "holds"
    MARKED = "marked"
    WAITS = "waits"
    OVER = "over"


@dataclass(frozen=True)
class Stretch:
    """What an object was from ``start`` to ``end``, None for to the end of the picture."""

    text: str
    tone: Tone
    start: Instant
    end: Instant | None = None


@dataclass(frozen=True)
class Dot:
    """Something that happened once, such as an event; ``warning`` gives it another shape."""

    text: str
    at: Instant
    warning: bool = False


@dataclass(frozen=True)
class Lane:
    """One object's states, and the events about it."""

    name: str
    stretches: tuple[Stretch, ...] = ()
    dots: tuple[Dot, ...] = ()


@dataclass(frozen=True)
class Numbered:
    """A state of an ordered claim, in the lane of its object; ``lane`` is its name."""

    number: int
    lane: str
    at: Instant
    text: str


@dataclass(frozen=True)
class Window:
    """The time that a claim of "never" or "stays" was about; ``text`` says what closed it."""

    text: str
    start: Instant
    end: Instant
    broken: bool = False


@dataclass(frozen=True)
class Cut:
    """An instant that goes through all lanes: the act, or what broke the claim."""

    text: str
    at: Instant


@dataclass(frozen=True)
class Chart:
    """Everything to be drawn. Lanes have names of their own."""

    title: str
    lanes: tuple[Lane, ...] = ()
    numbered: tuple[Numbered, ...] = ()
    windows: tuple[Window, ...] = ()
    act: Cut | None = None
    broken: Cut | None = None

    @property
    def cuts(self) -> tuple[tuple[str, Cut], ...]:
        """Those that there are, by name."""
        both = (("act", self.act), ("broken", self.broken))
        return tuple((name, cut) for name, cut in both if cut is not None)

    def bounded(self) -> Chart:
        """No more than can be looked at; what comes first is kept."""
        lanes = tuple(
            replace(lane, stretches=lane.stretches[:MOST_STRETCHES], dots=lane.dots[:MOST_DOTS])
            for lane in self.lanes[:MOST_LANES]
        )
        kept = {lane.name for lane in lanes}
        return replace(
            self,
            lanes=lanes,
            numbered=tuple(each for each in self.numbered if each.lane in kept),
            windows=self.windows[:MOST_WINDOWS],
        )

    def instants(self) -> Iterator[Instant]:
        """Where something stands."""
        for lane in self.lanes:
            for stretch in lane.stretches:
                yield from (at for at in (stretch.start, stretch.end) if at is not None)
            yield from (dot.at for dot in lane.dots)
        yield from (each.at for each in self.numbered)
        for window in self.windows:
            yield from (window.start, window.end)
        yield from (cut.at for _, cut in self.cuts)

    def told(self) -> str:
        """The picture in words, for those who do not see it."""
        parts = ["Lanes, from left to right in time."]
        for lane in self.lanes:
            states = [each.text for each in lane.stretches]
            states += [dot.text for dot in lane.dots]
            parts.append(f"{lane.name}: {', then '.join(states) or 'nothing'}.")
        if self.numbered:
            numbered = [f"{each.number} {each.text}" for each in self.numbered]
            parts.append(f"In this order: {'; '.join(numbered)}.")
        parts += [f"{window.text}." for window in self.windows]
        if self.broken is not None:
            parts.append(f"{self.broken.text}, {shown(self.broken.at)}.")
        return " ".join(parts)


def shown(at: Instant) -> str:
    """``+412 ms``, from ten seconds on ``+12.3 s``."""
    return f"+{at.ms} ms" if at.ms < 10_000 else f"+{at.ms / 1000:.1f} s"
