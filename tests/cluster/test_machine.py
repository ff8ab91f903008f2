from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from queuecheck.cluster.machine import free_for_us, free_on_machine

MEMORY = {"proc/meminfo": "MemTotal:  9000000 kB\nMemFree:  100 kB\nMemAvailable:  4000 kB\n"}
MACHINE = 4000 * 1024


def laid(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return root


def group(
    place: str, *, limit: str, used: int, idle: int = 0, first: bool = False
) -> dict[str, str]:
    names = ("memory.max", "memory.current", "inactive_file")
    if first:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    home = f"sys/fs/cgroup/memory/{place}" if first else f"sys/fs/cgroup/{place}"
    stat = f"anon 7\n{names[2]} {idle}\n"
    return {
        f"{home}/{names[0]}": f"{limit}\n",
        f"{home}/{names[1]}": f"{used}\n",
        f"{home}/memory.stat": stat,
    }


def test_what_the_machine_could_still_give(tmp_path: Path) -> None:
    assert free_on_machine(laid(tmp_path, MEMORY)) == MACHINE
    assert free_for_us(tmp_path) == MACHINE


@pytest.mark.parametrize("files", [{}, {"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:\n"}])
def test_nothing_is_known_where_nobody_says(tmp_path: Path, files: dict[str, str]) -> None:
    assert free_for_us(laid(tmp_path, files)) is None


@pytest.mark.parametrize(
    ("groups", "left"),
    [
        pytest.param(group("", limit="1000", used=300), 700, id="a container's own"),
        pytest.param(group("", limit="1000", used=300, idle=200), 900, id="but for the cache"),
        pytest.param(group("", limit="1000", used=1300), 0, id="more than it may"),
        pytest.param(group("", limit="max", used=300), MACHINE, id="no limit"),
        pytest.param(
            group("a/b", limit="900", used=0) | group("a", limit="1000", used=600), 400, id="above"
        ),
        pytest.param(group("other", limit="1", used=0), MACHINE, id="somebody else's"),
        pytest.param(group("", limit="9" * 19, used=0), MACHINE, id="more than there is"),
        pytest.param({"sys/fs/cgroup/memory.max": "10\n"}, MACHINE, id="its use is not known"),
    ],
)
def test_no_more_than_a_control_group_leaves(
    tmp_path: Path, groups: dict[str, str], left: int
) -> None:
    files = {**MEMORY, **groups, "proc/self/cgroup": "0::/a/b\n"}
    assert free_for_us(laid(tmp_path, files)) == left


def test_control_groups_of_the_first_version(tmp_path: Path) -> None:
    files = {
        **MEMORY,
        "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/docker/12ab\n0::/\n",
        **group("", limit="1000", used=300, idle=100, first=True),
    }
    assert free_for_us(laid(tmp_path, files)) == 800


def test_this_machine_says_something_or_nothing() -> None:
    found = free_for_us()
    assert found is None or found > 0
