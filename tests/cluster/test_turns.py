"""Scenarios of several workers, and who may be beside whom."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from queuecheck.cluster.turns import Turns

# Another worker: it has its turn as it is told to, and says when it comes and when it goes.
WORKER = """
import sys
from pathlib import Path
from queuecheck.cluster.turns import Turns
turns = Turns(Path(sys.argv[1]), "x7k2p")
turns.enter()
print("in", flush=True)
def turn(word):
    if word == "arrival":
        return turns.arrival(lambda: print("makes", flush=True))
    return turns.turn(alone=word == "alone")
for line in sys.stdin:
    with turn(line.strip()):
        print("begins", flush=True)
        sys.stdin.readline()
    print("over", flush=True)
turns.leave()
"""


class Worker:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def say(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def waits(self) -> bool:
        """Whether it stands at a lock: the kernel lists who does."""
        blocked = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
        return any(
            words[1] == "->" and words[5] == str(self._process.pid)
            for words in blocked
            if len(words) > 5
        )


@contextmanager
def worker(root: Path) -> Iterator[Worker]:
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdin is not None
        with process.stdin:
            found = Worker(process)
            assert found.said() == "in"
            yield found


@pytest.fixture
def turns(tmp_path: Path) -> Iterator[Turns]:
    found = Turns(tmp_path / "runs", "x7k2p")
    found.enter()
    yield found
    found.leave()


def test_most_are_side_by_side(turns: Turns, tmp_path: Path) -> None:
    with worker(tmp_path / "runs") as other, turns.turn(alone=False):
        other.say("shared")
        assert other.said() == "begins"
        other.say("go on")
        assert other.said() == "over"


def test_one_that_has_to_be_alone_waits_for_the_others(turns: Turns, tmp_path: Path) -> None:
    with worker(tmp_path / "runs") as other:
        with turns.turn(alone=False):
            other.say("alone")
            while not other.waits():
                pass
        assert other.said() == "begins"
        other.say("go on")


def test_others_wait_for_the_one_that_has_to_be_alone(turns: Turns, tmp_path: Path) -> None:
    with worker(tmp_path / "runs") as other:
        with turns.turn(alone=True):
            other.say("shared")
            while not other.waits():
                pass
        assert other.said() == "begins"
        other.say("go on")


def test_whoever_comes_later_does_not_go_before_one_that_waits_to_be_alone(
    turns: Turns, tmp_path: Path
) -> None:
    with worker(tmp_path / "runs") as lone, worker(tmp_path / "runs") as late:
        with turns.turn(alone=False):
            lone.say("alone")
            while not lone.waits():
                pass
            late.say("shared")
            while not late.waits():
                pass
        assert lone.said() == "begins"
        while not late.waits():
            pass
        lone.say("go on")
        assert late.said() == "begins"
        late.say("go on")


def test_whoever_arrives_late_makes_nothing_while_another_has_to_be_alone(
    turns: Turns, tmp_path: Path
) -> None:
    with worker(tmp_path / "runs") as late:
        with turns.turn(alone=True):
            late.say("arrival")
            while not late.waits():
                pass
        assert late.said() == "makes"
        assert late.said() == "begins"
        late.say("go on")


def test_whoever_arrives_is_beside_others_once_it_has_made_what_is_shared(
    turns: Turns, tmp_path: Path
) -> None:
    with worker(tmp_path / "runs") as other, turns.arrival(lambda: None):
        other.say("shared")
        assert other.said() == "begins"
        other.say("go on")
        assert other.said() == "over"


def test_one_that_has_to_be_alone_waits_for_whoever_arrives(turns: Turns, tmp_path: Path) -> None:
    with worker(tmp_path / "runs") as lone:
        with turns.arrival(lambda: None):
            lone.say("alone")
            while not lone.waits():
                pass
        assert lone.said() == "begins"
        lone.say("go on")


def test_two_do_not_make_what_is_shared_at_a_time(turns: Turns, tmp_path: Path) -> None:
    with worker(tmp_path / "runs") as late:

        def make() -> None:
            late.say("arrival")
            while not late.waits():
                pass

        with turns.arrival(make):
            assert late.said() == "makes"
            assert late.said() == "begins"
            late.say("go on")
            assert late.said() == "over"


def test_the_last_worker_is_told_so_and_leaves_nothing(turns: Turns, tmp_path: Path) -> None:
    other = Turns(tmp_path / "runs", "x7k2p")
    other.enter()
    assert not other.leave()
    assert turns.leave()
    assert [each.name for each in (tmp_path / "runs").iterdir()] == ["lock"]


def test_what_a_killed_run_has_left_goes_with_the_next(tmp_path: Path) -> None:
    (tmp_path / "runs" / "killd").mkdir(parents=True)
    found = Turns(tmp_path / "runs", "x7k2p")
    found.enter()
    assert not (tmp_path / "runs" / "killd").exists()
    found.leave()
