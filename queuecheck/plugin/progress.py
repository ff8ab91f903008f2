"""How a run goes, in words: pure text of what is done, what failed, who waits for what.

Beside every colour and place there is a word. ``Board`` counts; ``headline`` and ``rows`` are
what a terminal shows, ``plain_line`` what a log does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from queuecheck.plugin.whereabouts import Doing
from queuecheck.report import ScenarioRun
from queuecheck.verdict import Outcome

FINE = frozenset({Outcome.PASSED, Outcome.NOT_SUPPORTED, Outcome.SKIPPED})
LONG_WAIT = 5.0
PLAIN_WIDTH = 160


@dataclass(frozen=True)
class Board:
    """How many scenarios there are, are done, failed, or could not be judged."""

    total: int = 0
    done: int = 0
    failed: int = 0
    unjudged: int = 0

    def counted(self, outcome: Outcome) -> Board:
        """With the ending of one more scenario. What ends twice, cleaned up badly, counts once."""
        failed = self.failed + (outcome is Outcome.FAILED)
        unjudged = self.unjudged + (outcome not in FINE | {Outcome.FAILED})
        return replace(self, done=self.done + 1, failed=failed, unjudged=unjudged)


def headline(board: Board, seconds: float) -> str:
    """``120 of 336 scenarios, 2 failed, 1:05``."""
    of = f" of {board.total}" if board.total else ""
    parts = [f"{board.done}{of} scenarios", f"{board.failed} failed"]
    parts += [f"{board.unjudged} not judged"] if board.unjudged else []
    return ", ".join([*parts, clock(seconds)])


def rows(doing: Iterable[Doing], width: int) -> list[str]:
    """A line for each worker, no wider than the terminal."""
    found = []
    for each in doing:
        age = f"{each.seconds:>4.0f} s"
        found.append(fit(f"{each.worker:<4} {age}  {each.requirement:<11} {each.step}", width))
    return found


def plain_line(board: Board, seconds: float, doing: Sequence[Doing]) -> str:
    """The headline, and the longest wait where it is long."""
    line = headline(board, seconds)
    longest = max(doing, key=lambda each: each.seconds, default=None)
    if longest is None or longest.seconds < LONG_WAIT:
        return line
    wait = f"{longest.requirement} {longest.step}"
    return fit(f"{line}; for {longest.seconds:.0f} s: {wait}", PLAIN_WIDTH)


def ending(run: ScenarioRun, *, told: frozenset[str]) -> str:
    """The line of a scenario that did not pass; "" for one that did, or whose cause was told."""
    outcome = Outcome(run.outcome)
    if outcome in FINE or (outcome is Outcome.ENVIRONMENT and run.reason in told):
        return ""
    ids = ", ".join(run.requirements) or run.name
    return f"{outcome.word}: {ids} {run.name} ({run.place}): {run.reason}"


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def fit(line: str, width: int) -> str:
    """The line, cut with an ellipsis where it is too long."""
    return line if len(line) <= width else f"{line[: max(width - 1, 0)]}…"
