"""Why a claim failed, as a value and as a text that explains itself.

Two kinds of error are kept apart: ``ClaimFailed`` says that the implementation did not do what is
asked of it, ``HarnessError`` that nobody can tell.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

WIDTH = 100
INDENT = "  "
SHOWN_ROWS = 40


@dataclass(frozen=True)
class Row:
    """Something seen at a moment: seconds since the timeline began, version, what, in words.

    ``resource_version`` is 0 for a reading that has none.
    """

    at: float
    resource_version: int
    what: str
    text: str
    culprit: bool = False


@dataclass(frozen=True)
class LastState:
    """A subject as it was last: its fields by path, or that it is not there."""

    label: str
    summary: str
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Failure:
    """All that is known about a failed claim.

    ``sentence`` is what was claimed, ``reason`` what was the matter in a few words, ``expected``
    the sentences and field paths judged, ``changes`` the difference that the last write (or the
    wait as a whole) made, ``command`` runs the scenario alone.
    """

    claim: str
    sentence: str
    reason: str
    expected: tuple[str, ...] = ()
    last: tuple[LastState, ...] = ()
    changes: tuple[str, ...] = ()
    changes_title: str = "changed"
    seen: tuple[Row, ...] = ()
    events: tuple[Row, ...] = ()
    waited: float = 0.0
    began: float = 0.0
    ended: float = 0.0
    command: str = ""


class ClaimFailed(AssertionError):
    """The implementation did not do what the sentence says."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure

    def __str__(self) -> str:
        return render(self.failure)


class HarnessError(Exception):
    """The claim could not be judged, through no fault of the implementation."""


class Unknown(HarnessError):
    """The order, or what happened in a gap, is not known."""


def render(failure: Failure) -> str:
    """Plain text, at most 100 columns wide."""
    lines = _wrapped(f"{failure.sentence}: {failure.reason}", first="", rest=INDENT)
    lines += _section("expected", list(failure.expected))
    last: list[str] = []
    for state in failure.last:
        last.append(f"{state.label}: {state.summary}")
        width = max((len(path) for path, _ in state.fields), default=0)
        last += [f"{INDENT}{path:<{width}}  {value}" for path, value in state.fields]
    lines += _section("last state", last)
    lines += _section(failure.changes_title, list(failure.changes))
    lines += _table("every distinct state seen", failure.seen)
    lines += _table("events", failure.events)
    lines += _section(
        "waited",
        [f"{failure.waited:.2f} s, {moment(failure.began)} to {moment(failure.ended)}"],
    )
    if failure.command:
        lines += _section("to run it alone", [failure.command])
    return "\n".join(lines)


def moment(at: float) -> str:
    """A time since the timeline began, as ``+1234ms``."""
    return f"+{max(at, 0) * 1000:.0f}ms"


def _table(title: str, rows: tuple[Row, ...]) -> list[str]:
    if not rows:
        return []
    shown = rows
    left_out = len(rows) - SHOWN_ROWS
    if left_out > 0:
        half = SHOWN_ROWS // 2
        shown = rows[:half] + rows[-half:]
    at = max(len(moment(row.at)) for row in shown)
    versions = [f"  rv {row.resource_version}" if row.resource_version else "" for row in shown]
    version = max(len(text) for text in versions)
    what = min(max(len(row.what) for row in shown), WIDTH // 2)
    lines = [f"{INDENT}{title}:"]
    for number, (row, said) in enumerate(zip(shown, versions, strict=True)):
        if left_out > 0 and number == SHOWN_ROWS // 2:
            lines.append(f"{INDENT * 3}… {left_out} more …")
        mark = "> " if row.culprit else INDENT
        prefix = f"{INDENT * 2}{mark}{moment(row.at):>{at}}{said:<{version}}  {row.what:<{what}}  "
        rest = " " * min(len(prefix), WIDTH // 2)
        lines += [line.rstrip() for line in _wrapped(row.text, first=prefix, rest=rest)]
    return lines


def _section(title: str, body: list[str]) -> list[str]:
    if not body:
        return []
    lines = [f"{INDENT}{title}:"]
    for line in body:
        indent = INDENT * 2 + line[: len(line) - len(line.lstrip())]
        lines += _wrapped(line.strip(), first=indent, rest=indent + INDENT * 2)
    return lines


def _wrapped(text: str, *, first: str, rest: str) -> list[str]:
    if len(first) + len(text) <= WIDTH:
        return [first + text]
    if len(first) > WIDTH // 2 and first.strip():
        return [first.rstrip()[:WIDTH], *_wrapped(text, first=rest, rest=rest)]
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
