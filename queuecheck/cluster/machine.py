"""What there is for us of memory and processors: the machine's, less what control groups hold back.

A container, or a CI job, often may use far less than its machine has. Linux alone says so.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")
KILOBYTE = 1024
GROUPS = Path("sys/fs/cgroup")


def free_on_machine(root: Path = ROOT) -> int | None:
    """Bytes that the machine could still give; None where it does not say."""
    for name, *rest in _words(root / "proc/meminfo"):
        if name == "MemAvailable:" and rest and rest[0].isdecimal():
            return int(rest[0]) * KILOBYTE
    return None


def free_for_us(root: Path = ROOT) -> int | None:
    """Bytes that this process and its children may still take; None where nobody says."""
    machine = free_on_machine(root)
    left = [
        _left(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        if first
        else _left(group, "memory.max", "memory.current", "inactive_file")
        for group, first in _groups(root, "memory")
    ]
    return min((each for each in [machine, *left] if each is not None), default=None)


def processors_for_us(root: Path = ROOT) -> int:
    """How many processors this process and its children may keep busy; at least 1."""
    shares = [
        _share(_number(group / "cpu.cfs_quota_us"), _number(group / "cpu.cfs_period_us"))
        if first
        else _share(*_quota(group / "cpu.max"))
        for group, first in _groups(root, "cpu")
    ]
    return min([_processors(), *(each for each in shares if each is not None)])


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _groups(root: Path, controller: str) -> Iterator[tuple[Path, bool]]:
    """The groups that we are in and those above them, and whether each is of the first version."""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers and controller not in controllers.split(","):
            continue
        home = root / GROUPS / controllers if controllers else root / GROUPS
        # In a container the path may be the host's, and only the root of it is to be seen.
        place = Path(path.lstrip("/"))
        for group in (place, *place.parents):
            yield home / group, bool(controllers)


def _left(group: Path, limit: str, use: str, idle: str) -> int | None:
    """Of a group's memory; what it could let go at once counts as left."""
    most, used = (_number(group / name) for name in (limit, use))
    if most is None or used is None:
        return None
    pages = (words[1] for words in _words(group / "memory.stat") if words[:1] == [idle])
    return max(most - used + int(next(pages, 0)), 0)


def _quota(file: Path) -> tuple[int | None, int | None]:
    words = next(iter(_words(file)), [])
    quota, period = (int(each) if each.isdecimal() else None for each in (*words, "", "")[:2])
    return quota, period


def _share(quota: int | None, period: int | None) -> int | None:
    """A group's processors, a part of one counted as a whole one."""
    return max(math.ceil(quota / period), 1) if quota is not None and period else None


def _number(file: Path) -> int | None:
    text = "".join(_lines(file))
    return int(text) if text.isdecimal() else None  # "max", or -1: no limit


def _words(file: Path) -> list[list[str]]:
    return [line.split() for line in _lines(file)]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
