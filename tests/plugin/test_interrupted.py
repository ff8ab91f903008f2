"""What is told of a run that Ctrl-C ended."""

from __future__ import annotations

import dis
import inspect
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from unittest.mock import Mock

import pytest

from queuecheck.plugin.summary import Summary
from queuecheck.report import Report
from queuecheck.report.document import read_report
from tests.plugin.project import CONFTEST, Project

pytest_plugins = ["pytester"]
REPORT = "--qc-report=out"
WAITS = """

import os
import signal
import time


@then("it waits for ever")
def waits():
    Path("waiting").open("w").close()
    # Not in an Event: where Ctrl-C comes as it lets go of its lock, a RuntimeError takes its place.
    while True:
        time.sleep(0.05)  # and one that comes as a wait begins is heeded at its end


@then("the worker dies")
def dies():
    os._exit(1)


@then("it does not heed Ctrl-C")
def waits_on():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    waits()
"""
LEAVES = """

import pytest
from queuecheck.world import CleanupError


@pytest.fixture(autouse=True, scope="session")
def clumsy():
    yield
    raise CleanupError("the Queue stays")
"""
TOLD = """
from pathlib import Path

import pytest


class Told:
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        if report.failed:
            Path("told").open("w").close()


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Told())
"""
STARTS = """

import time


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    if getattr(session.config, "workerinput", {}).get("workerid") == "gw2":
        Path("starting").open("w").close()
        while True:
            time.sleep(0.05)
"""
IMPATIENT = """
from xdist.workermanage import NodeManager

NodeManager.EXIT_TIMEOUT = 0.5
"""


@pytest.mark.timeout(100)
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_ctrl_c_leaves_a_report_of_what_was_done(
    project: Project,
    workers: tuple[str, ...],
) -> None:
    report, code = interrupted(project, "it waits for ever", *workers)
    assert report.run.ended_early
    assert [run.outcome for run in report.scenarios] == ["failed"]
    assert code == report.judgement.exit_code == 1


@pytest.mark.timeout(100)
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_ctrl_c_tells_what_could_not_be_taken_down(
    project: Project, workers: tuple[str, ...]
) -> None:
    report, _ = interrupted(project, "it waits for ever", *workers, more=LEAVES)
    assert report.run.ended_early.endswith("; not all was taken down: the Queue stays")


@pytest.mark.timeout(100)
def test_ctrl_c_tells_of_a_worker_that_had_to_be_killed(project: Project) -> None:
    project.pytester.makepyfile(impatient=IMPATIENT)
    words = ("-n", "2", "-p", "impatient")
    report, _ = interrupted(project, "it does not heed Ctrl-C", *words)
    assert re.search(
        r"; worker gw[01] was ended before it had taken all down$", report.run.ended_early
    )


@pytest.mark.timeout(100)
def test_ctrl_c_does_not_tell_again_of_a_worker_that_died_before(project: Project) -> None:
    report, _ = interrupted(project, "it waits for ever", "-n", "2", first="the worker dies")
    assert [run.outcome for run in report.scenarios] == ["harness-error"]
    assert report.run.ended_early == "interrupted"


@pytest.mark.timeout(100)
def test_ctrl_c_does_not_tell_of_a_worker_that_has_not_begun(project: Project) -> None:
    words = ("it waits for ever", "-n", "2")
    report, _ = interrupted(project, *words, first="the worker dies", starts=STARTS)
    assert report.run.ended_early == "interrupted"


@pytest.mark.timeout(100)
def test_a_terminal_that_is_closed_costs_no_report(project: Project) -> None:
    with on_a_terminal() as (terminal, close):
        words = ("--qc-progress",)
        report, _ = interrupted(project, "it waits for ever", *words, output=terminal, before=close)
    assert report.run.ended_early == "interrupted"
    assert [run.outcome for run in report.scenarios] == ["failed"]
    left = project.pytester.path / "tmp"
    assert list(left.glob("queuecheck-run-*")) == []


@contextmanager
def on_a_terminal() -> Iterator[tuple[int, Callable[[], None]]]:
    """A terminal that somebody looks at, and what closes it."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(["cat"], stdin=ours, stdout=subprocess.DEVNULL) as looks:
        os.close(ours)

        def close() -> None:
            looks.kill()
            looks.wait()

        yield theirs, close
    os.close(theirs)


def test_an_interruption_between_two_lines_is_told_too() -> None:
    with pytest.raises(KeyboardInterrupt) as between:
        raise KeyboardInterrupt().with_traceback(traceback_without_line())
    with pytest.raises(TypeError):  # as long as pytest cannot, this is needed
        between.getrepr()
    Summary.pytest_keyboard_interrupt(Mock(Summary), between)
    told = between.getrepr(funcargs=True)
    assert told.reprcrash is not None
    assert told.reprcrash.path == __file__


def traceback_without_line() -> TracebackType:
    """Of a frame that stands at what the compiler has added to the end of a ``with``."""

    def waits() -> FrameType | None:
        with suppress(KeyError):
            return inspect.currentframe()
        return None

    frame = waits()
    assert frame is not None
    added = [
        each.offset
        for each in dis.get_instructions(frame.f_code)
        if each.positions is not None and each.positions.lineno is None
    ]
    return TracebackType(None, frame, added[0], -1)


def interrupted(
    project: Project,
    step: str,
    *words: str,
    more: str = "",
    first: str = "the claim fails",
    starts: str = "",
    output: int = subprocess.DEVNULL,
    before: Callable[[], None] = lambda: None,
) -> tuple[Report, int]:
    """The report and exit code after a Ctrl-C, one scenario having failed and one being there.

    With ``starts``, which tells of it, a worker that takes the place of another is starting.
    ``before`` is called just before the Ctrl-C.
    """
    own = project.pytester.path / "tmp"
    own.mkdir()
    (project.features / "conftest.py").write_text(CONFTEST + WAITS + more, encoding="utf-8")
    project.feature(then=first, file="a")
    project.feature(id="KQ-QTA-02", then=step, file="b")
    project.pytester.makeconftest(TOLD + starts)
    names = ("told", "waiting", "starting") if starts else ("told", "waiting")
    fifos = [project.pytester.path / name for name in names]
    for fifo in fifos:
        os.mkfifo(fifo)
    given = ["features", "--qc-implementation=limited.yaml", REPORT, *words]
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *given],
        cwd=project.pytester.path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([".", *sys.path]),
            "TERM": "xterm",
            "TMPDIR": str(own),
        },
        stdout=output,
        start_new_session=True,
    ) as process:
        try:
            # The first one's result has come in, and whoever is to wait waits.
            for fifo in fifos:
                fifo.read_text("utf-8")
            before()
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return read_report(project.pytester.path / "out"), process.returncode
