"""Several processes that use one thing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from queuecheck.cluster.sharing import Membership, alone, used

OTHER = """
import sys
from pathlib import Path
from queuecheck.cluster.sharing import Membership
Membership(Path(sys.argv[1])).enter()
print("in", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that is in."""
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"in\n"
    with process:
        yield process


def test_the_last_one_out_is_told_so(tmp_path: Path) -> None:
    first, second = Membership(tmp_path), Membership(tmp_path)
    first.enter()
    second.enter()
    assert not first.leave()
    assert second.leave()


def test_who_has_left_does_not_count(tmp_path: Path) -> None:
    member = Membership(tmp_path)
    assert not used(tmp_path)
    member.enter()
    assert used(tmp_path)
    member.leave()
    assert not used(tmp_path)


def test_who_was_killed_does_not_count(tmp_path: Path, other: subprocess.Popen[bytes]) -> None:
    member = Membership(tmp_path)
    member.enter()
    assert used(tmp_path)
    other.kill()
    other.wait()
    assert member.leave()


def test_another_process_counts(tmp_path: Path, other: subprocess.Popen[bytes]) -> None:
    member = Membership(tmp_path)
    member.enter()
    assert not member.leave()


def test_two_are_not_inside_at_a_time(tmp_path: Path) -> None:
    script = """
import fcntl, sys
with open(sys.argv[1]) as file:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("outside")
    else:
        print("inside")
"""
    command = [sys.executable, "-c", script, str(tmp_path / "lock")]
    with alone(tmp_path / "lock"):
        assert subprocess.check_output(command, text=True) == "outside\n"
    assert subprocess.check_output(command, text=True) == "inside\n"
