from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from queuecheck.cluster.machine import free_for_us, free_on_machine, processors_for_us

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


@pytest.fixture
def sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)


@pytest.mark.usefixtures("sixteen")
@pytest.mark.parametrize(
    ("files", "processors"),
    [
        pytest.param({}, 16, id="the machine's"),
        pytest.param({"sys/fs/cgroup/cpu.max": "max 100000\n"}, 16, id="no limit"),
        pytest.param({"sys/fs/cgroup/cpu.max": "150000 100000\n"}, 2, id="one and a half"),
        pytest.param({"sys/fs/cgroup/cpu.max": "5000 100000\n"}, 1, id="a part of one"),
        pytest.param({"sys/fs/cgroup/cpu.max": "9900000 100000\n"}, 16, id="more than it has"),
        pytest.param({"sys/fs/cgroup/cpu.max": "\n"}, 16, id="nothing is said"),
        pytest.param(
            {
                "sys/fs/cgroup/a/cpu.max": "300000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
            },
            3,
            id="above",
        ),
    ],
)
def test_no_more_processors_than_a_control_group_gives(
    tmp_path: Path, files: dict[str, str], processors: int
) -> None:
    assert (
        processors_for_us(laid(tmp_path, {**files, "proc/self/cgroup": "0::/a/b\n"})) == processors
    )


@pytest.mark.usefixtures("sixteen")
@pytest.mark.parametrize(("quota", "processors"), [("200000", 2), ("-1", 16)])
def test_processors_of_control_groups_of_the_first_version(
    tmp_path: Path, quota: str, processors: int
) -> None:
    files = {
        "proc/self/cgroup": "5:cpu,cpuacct:/docker/12ab\n4:memory:/\n",
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": f"{quota}\n",
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    }
    assert processors_for_us(laid(tmp_path, files)) == processors


def test_only_the_processors_that_we_are_bound_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert processors_for_us() == 1


def test_what_is_no_text_is_read_all_the_same(tmp_path: Path) -> None:
    laid(tmp_path, MEMORY)
    (tmp_path / "proc/self").mkdir()
    (tmp_path / "proc/self/cgroup").write_bytes(b"0::/\xff\n")
    assert free_for_us(tmp_path) == MACHINE


def test_this_machine_says_something_or_nothing() -> None:
    found = free_for_us()
    assert found is None or found > 0
