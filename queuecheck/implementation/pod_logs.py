"""Lines of a container's log, each with the time at which the node wrote it down.

A node's clock is nobody else's, so a place in a log is the time of the last line before it, never
a time of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)")
SECOND = 1_000_000_000


@dataclass(frozen=True, order=True)
class Line:
    """``at`` is in nanoseconds since 1970."""

    at: int
    text: str


def parse(page: str) -> list[Line]:
    """The lines of a log that was asked for with timestamps; what has none belongs to the last."""
    found: list[Line] = []
    for row in page.splitlines():
        stamp, _, text = row.partition(" ")
        at = nanoseconds(stamp)
        if at is not None:
            found.append(Line(at, text))
        elif found:
            found.append(Line(found[-1].at, row))
    return found


def nanoseconds(stamp: str) -> int | None:
    """Of a time in RFC 3339, to the last digit; None if it is none."""
    match = STAMP.fullmatch(stamp)
    if match is None:
        return None
    whole, fraction, zone = match.groups()
    seconds = datetime.fromisoformat(f"{whole}{zone.replace('Z', '+00:00')}").timestamp()
    return int(seconds) * SECOND + int((fraction or "0")[:9].ljust(9, "0"))


def stamp(at: int) -> str:
    """The time, down to the second that it is in: servers take no more."""
    return datetime.fromtimestamp(at // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def text(lines: Iterable[Line], *, after: int = 0) -> str:
    """What was written after that place, oldest first."""
    return "".join(f"{line.text}\n" for line in sorted(lines, key=_at) if line.at > after)


def _at(line: Line) -> int:
    return line.at
