"""What memory there is for us: what the machine has free, and what our control groups leave of it.

A container, or a CI job, often has a limit far below what its machine has. Linux alone says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")
KILOBYTE = 1024
# The files of a group that tell its limit, its use, and what of its use could be let go at once.
SECOND = ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")
FIRST = (
    "sys/fs/cgroup/memory",
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    "total_inactive_file",
)


def free_on_machine(root: Path = ROOT) -> int | None:
    """Bytes that the machine could still give; None where it does not say."""
    for name, *rest in _words(root / "proc/meminfo"):
        if name == "MemAvailable:" and rest and rest[0].isdecimal():
            return int(rest[0]) * KILOBYTE
    return None


def free_for_us(root: Path = ROOT) -> int | None:
    """Bytes that this process and its children may still take; None where nobody says."""
    machine = free_on_machine(root)
    return min([*_left_in_groups(root), *([] if machine is None else [machine])], default=None)


def _left_in_groups(root: Path) -> Iterator[int]:
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if "memory" not in controllers.split(",") and controllers:
            continue
        home, limit, use, idle = FIRST if controllers else SECOND
        # In a container the path may be the host's, and only the root of it is to be seen.
        place = Path(path.lstrip("/"))
        for group in (place, *place.parents):
            left = _left(root / home / group, limit, use, idle)
            if left is not None:
                yield left


def _left(group: Path, limit: str, use: str, idle: str) -> int | None:
    most, used = (_number(group / name) for name in (limit, use))
    if most is None or used is None:
        return None
    pages = (words[1] for words in _words(group / "memory.stat") if words[:1] == [idle])
    return max(most - used + int(next(pages, 0)), 0)


def _number(file: Path) -> int | None:
    text = "".join(_lines(file))
    return int(text) if text.isdecimal() else None  # "max": no limit


def _words(file: Path) -> list[list[str]]:
    return [line.split() for line in _lines(file)]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").splitlines()
    except OSError:
        return []
