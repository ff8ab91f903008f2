"""What is said of a run while it goes."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.live import Live

from queuecheck.plugin.display import Block, Display, Log
from queuecheck.plugin.progress import Board, ending, fit, headline, plain_line, rows
from queuecheck.plugin.whereabouts import Doing, Whereabouts, look
from queuecheck.report import ScenarioRun
from queuecheck.verdict import Outcome
from tests.plugin.project import Project

pytest_plugins = ["pytester"]


def run(outcome: Outcome, reason: str = "it was not seen") -> ScenarioRun:
    return ScenarioRun(
        requirements=("KQ-QTA-01",),
        name="It counts",
        feature="Quota",
        rule="",
        file="features/quota.feature",
        line=7,
        tags=(),
        text="",
        outcome=str(outcome),
        reason=reason,
    )


def counted(outcomes: Iterable[Outcome]) -> Board:
    board = Board(total=9)
    for outcome in outcomes:
        board = board.counted(outcome)
    return board


@given(st.lists(st.sampled_from(Outcome)))
def test_every_ending_is_counted_once_and_no_failure_is_lost(outcomes: list[Outcome]) -> None:
    board = counted(outcomes)
    assert board.done == len(outcomes)
    assert board.failed == outcomes.count(Outcome.FAILED)
    silent = sum(not ending(run(each), told=frozenset()) for each in outcomes)
    assert board.failed + board.unjudged + silent == len(outcomes)


@given(st.lists(st.builds(Doing, st.text(), st.text(), st.text(), st.floats(0, 1e6))))
def test_no_row_is_wider_than_the_terminal(doing: list[Doing]) -> None:
    assert all(len(row) <= 40 for row in rows(doing, 40))


def test_the_headline_counts() -> None:
    assert headline(counted([Outcome.PASSED]), 65.9) == "1 of 9 scenarios, 0 failed, 1:05"
    board = counted([Outcome.FAILED, Outcome.ENVIRONMENT, Outcome.SKIPPED])
    assert headline(board, 1) == "3 of 9 scenarios, 1 failed, 1 not judged, 0:01"


def test_a_log_is_told_the_longest_wait_where_it_is_long() -> None:
    short = Doing("gw0", "KQ-SEQ-01", 'Then "low" is marked', 2)
    long = Doing("gw1", "KQ-OBS-10", "Then nothing is written", 7.4)
    assert plain_line(Board(9), 8, [short]) == "0 of 9 scenarios, 0 failed, 0:08"
    assert plain_line(Board(9), 8, [short, long]) == (
        "0 of 9 scenarios, 0 failed, 0:08; for 7 s: KQ-OBS-10 Then nothing is written"
    )


def test_what_did_not_pass_is_a_line_and_a_broken_environment_one_for_all() -> None:
    assert ending(run(Outcome.FAILED), told=frozenset()) == (
        "FAIL: KQ-QTA-01 It counts (features/quota.feature:7): it was not seen"
    )
    told = frozenset({"it was not seen"})
    assert ending(run(Outcome.FAILED), told=told) != ""
    assert ending(run(Outcome.ENVIRONMENT), told=told) == ""
    assert ending(run(Outcome.NOT_SUPPORTED), told=frozenset()) == ""


def test_a_line_is_cut_with_an_ellipsis() -> None:
    assert fit("abcdef", 6) == "abcdef"
    assert fit("abcdef", 4) == "abc…"


def test_a_worker_tells_its_step_until_its_scenario_is_over(tmp_path: Path) -> None:
    there = Whereabouts(tmp_path, worker="gw1")
    there._tell("Then it waits")
    (found,) = look(tmp_path)
    assert (found.worker, found.step) == ("gw1", "Then it waits")
    there.pytest_runtest_logfinish()
    assert list(look(tmp_path)) == []


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_log_has_every_failure_and_the_sum_and_no_dots(
    project: Project,
    workers: tuple[str, ...],
) -> None:
    project.feature()
    project.feature(then="the claim fails", id="KQ-QTA-02", name="It fails", file="other")
    words = ("--qc-implementation=limited.yaml", "--qc-progress", "-p", "no:terminalprogress")
    found = project.pytester.runpytest_subprocess("features", *words, *workers, timeout=120)
    found.stdout.fnmatch_lines(
        [
            "FAIL: KQ-QTA-02 It fails (features/other.feature:8): low is marked: not seen",
            "2 of 2 scenarios, 1 failed, 0:*",
            "*= FAILURES =*",
            "*not conformant*",
        ]
    )
    assert not re.search(r"^\.|\.F|F\.", found.stdout.str(), re.MULTILINE)
    assert found.ret == 1


def test_a_terminal_keeps_what_is_said_of_a_worker_that_died(
    project: Project,
) -> None:
    project.feature(then="the worker dies")
    project.feature(id="KQ-QTA-02", name="It passes", file="other")
    shown = on_a_terminal(
        project.pytester.path, "--qc-implementation=limited.yaml", "--qc-progress", "-n", "2"
    )
    kept = after_all_is_drawn(shown)
    assert "HARNESS ERROR: " in kept
    assert "2 of 2 scenarios, 0 failed, 1 not judged" in kept
    assert "no verdict" in kept


def test_a_terminal_without_colour_has_the_same_words(
    project: Project,
) -> None:
    project.feature(then="the claim fails")
    words = ("--qc-implementation=limited.yaml", "--qc-progress")
    shown = on_a_terminal(project.pytester.path, *words, NO_COLOR="1")
    assert "FAIL: KQ-QTA-01 It counts" in after_all_is_drawn(shown)
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown)


def test_a_block_that_ctrl_c_keeps_from_being_drawn_leaves_the_screen_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Live) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(Live, "refresh", interrupted)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream:
        display = cast("Display", SimpleNamespace(board=Board(9), seconds=1, directory=tmp_path))
        writer = SimpleNamespace(_file=stream)
        block = Block(display, stream, cast("pytest.TerminalReporter", SimpleNamespace(_tw=writer)))
        with pytest.raises(KeyboardInterrupt):
            block.start()
        monkeypatch.undo()
        block.stop()
        assert writer._file is stream
    shown = all_from(ours)
    assert re.findall(r"\x1b\[\?25([hl])", shown)[-1] == "h"  # the cursor


def test_a_log_that_ctrl_c_keeps_from_being_begun_is_ended_all_the_same(tmp_path: Path) -> None:
    stream = StringIO()
    display = cast("Display", SimpleNamespace(board=Board(9), seconds=1, directory=tmp_path))
    Log(display, stream).stop()
    assert stream.getvalue() == "0 of 9 scenarios, 0 failed, 0:01\n"


def on_a_terminal(directory: Path, *words: str, **environment: str) -> str:
    """All that pytest writes on a terminal of 24 lines and 100 columns."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "24", **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "features", *words],
        cwd=directory,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = all_from(ours)
    process.wait(timeout=60)
    return shown


def all_from(terminal: int) -> str:
    """What is shown on it, until its other side is closed; then it is closed, too."""
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return shown.decode("utf-8", "replace")


def after_all_is_drawn(shown: str) -> str:
    """What is left on the screen: a small terminal that knows the sequences rich uses."""
    lines, row = [""], 0
    for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+|\x1b", shown):
        if piece == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif re.fullmatch(r"\x1b\[(\d*)A", piece):
            row = max(0, row - int(piece[2:-1] or 1))
        elif re.fullmatch(r"\x1b\[[02]?K", piece):
            lines[row] = ""
        elif not piece.startswith(("\x1b", "\r")):
            lines[row] += piece
    return "\n".join(lines)
