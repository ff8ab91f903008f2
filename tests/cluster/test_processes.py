"""Children end with us, however we end; nothing here needs a control plane."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from queuecheck.cluster import Child, ProcessError
from queuecheck.cluster.processes import Supervisor, tail

PATIENCE = 60.0
SLEEP = ["/bin/sh", "-c", "echo started; exec sleep 600"]
# Ignores TERM, and has a child of its own that does so too.
STUBBORN = ["/bin/sh", "-c", "trap '' TERM; sleep 600 & echo $!; wait; sleep 600"]
PARENT = """
import sys, threading
from pathlib import Path
from queuecheck.cluster import Child
from queuecheck.cluster.processes import SUPERVISOR
directory = Path(sys.argv[1])
owned = directory / "owned"
owned.mkdir()
SUPERVISOR.own_directory(owned)
children = []
def start():
    for number in range(2):
        child = Child(sys.argv[2:], log=directory / f"{number}.log")
        child.start()
        children.append(child)
thread = threading.Thread(target=start)
thread.start()
thread.join()
print(*(child.pid for child in children), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    supervisor = Supervisor()
    yield supervisor
    supervisor.close()


def gone(pid: int) -> bool:
    """Blocks until the process has ended, without asking again and again."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    finally:
        os.close(descriptor)


def parent(directory: Path, command: list[str]) -> tuple[subprocess.Popen[str], list[int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(directory), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2
    return process, pids


def finish(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    process.wait()


@pytest.mark.parametrize("command", [SLEEP, STUBBORN], ids=["obedient", "stubborn"])
def test_children_and_directories_are_gone_after_the_parent_was_killed(
    tmp_path: Path, command: list[str]
) -> None:
    process, pids = parent(tmp_path, command)
    process.kill()
    assert all(gone(pid) for pid in pids)
    watchdog_has_removed(tmp_path / "owned")
    finish(process)


def test_children_are_gone_after_the_parent_ended_without_stopping_them(tmp_path: Path) -> None:
    process, pids = parent(tmp_path, SLEEP)
    finish(process)
    assert all(gone(pid) for pid in pids)
    watchdog_has_removed(tmp_path / "owned")


def test_ctrl_c_reaches_the_parent_alone(tmp_path: Path) -> None:
    process, pids = parent(tmp_path, SLEEP)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE) == -signal.SIGINT
    assert all(gone(pid) for pid in pids)
    finish(process)


def watchdog_has_removed(directory: Path) -> None:
    """It removes after it has ended the processes, so a little later."""
    event = threading.Event()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not directory.exists():
            return
        event.wait(0.01)
    pytest.fail(f"{directory} is still there")


def test_a_child_runs_on_when_the_thread_that_started_it_has_ended(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    child = Child(SLEEP, log=tmp_path / "log", supervisor=supervisor)
    thread = threading.Thread(target=child.start)
    thread.start()
    thread.join()
    assert child.wait(0.2) is None
    child.kill()


def test_stop_ends_an_obedient_child_by_term(tmp_path: Path, supervisor: Supervisor) -> None:
    child = started(SLEEP, tmp_path, supervisor)
    assert child.stop(seconds=PATIENCE) == -signal.SIGTERM


def test_stop_ends_a_stubborn_child_and_its_own_children_by_kill(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    child = started(STUBBORN, tmp_path, supervisor)
    assert child.stop(seconds=0.1) == -signal.SIGKILL
    assert gone(int(child.tail()))


def test_stop_is_harmless_before_the_start_and_twice(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    child = Child(SLEEP, log=tmp_path / "log", supervisor=supervisor)
    assert child.stop() is None
    child.start()
    child.stop()
    assert child.stop() is not None


def test_a_child_can_be_started_again_and_its_log_goes_on(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    child = Child(["/bin/sh", "-c", "echo once"], log=tmp_path / "log", supervisor=supervisor)
    for _ in range(2):
        child.start()
        assert child.wait(PATIENCE) == 0
        child.kill()
    assert child.tail() == "once\nonce"


def test_fate_says_how_a_child_ended(tmp_path: Path, supervisor: Supervisor) -> None:
    child = Child(["/bin/sh", "-c", "exit 3"], log=tmp_path / "log", supervisor=supervisor)
    assert child.fate() == "sh was not started"
    child.start()
    child.wait(PATIENCE)
    assert child.fate() == "sh ended with exit code 3"
    running = started(SLEEP, tmp_path, supervisor)
    assert running.fate() is None
    running.kill()
    assert running.fate() == "sh was ended by SIGKILL"


def test_the_environment_given_is_the_whole_one(tmp_path: Path, supervisor: Supervisor) -> None:
    child = Child(
        ["/bin/sh", "-c", 'echo "$GREETING ${HOME-none}"'],
        log=tmp_path / "log",
        env={"GREETING": "hello"},
        supervisor=supervisor,
    )
    child.start()
    child.wait(PATIENCE)
    assert child.tail() == "hello none"


@pytest.mark.parametrize("command", ["/nowhere/program", "no-such-program-anywhere"])
def test_a_program_that_is_not_there_is_named(
    tmp_path: Path, supervisor: Supervisor, command: str
) -> None:
    child = Child([command], log=tmp_path / "log", supervisor=supervisor)
    with pytest.raises(ProcessError, match=f"{command} is not a program that can be run"):
        child.start()


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path, supervisor: Supervisor) -> None:
    child = Child(SLEEP, log=tmp_path / "missing" / "log", supervisor=supervisor)
    with pytest.raises(ProcessError, match="missing/log: No such file or directory"):
        child.start()


def test_tail_gives_the_last_lines_of_a_long_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))
    assert tail(log, lines=2) == "line 99998\nline 99999"
    assert tail(tmp_path / "missing") == ""


def started(command: list[str], directory: Path, supervisor: Supervisor) -> Child:
    """Has printed its first line, so traps are set."""
    child = Child(command, log=directory / "started.log", supervisor=supervisor)
    child.start()
    event = threading.Event()
    while not child.tail():
        event.wait(0.01)
    return child
