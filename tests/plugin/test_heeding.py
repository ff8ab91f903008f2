"""Ctrl-C where it comes in the middle of something."""

from __future__ import annotations

import itertools
import signal
from typing import Any
from unittest.mock import Mock

import pytest

from queuecheck.plugin import fixtures, summary
from queuecheck.plugin.heeding import came_of_ctrl_c
from queuecheck.report.document import read_report
from queuecheck.report.publish import publish
from queuecheck.secrecy import Secrets
from tests.plugin.project import CONFTEST, Project

pytest_plugins = ["pytester"]
REPORT = "--qc-report=out"
WAITS = """

import threading


class Lock:
    def __init__(self):
        self.lock = threading.Lock()
        self.acquire = self.lock.acquire
        self.came = False

    def __enter__(self):
        self.lock.acquire()

    def __exit__(self, *error):
        self.release()

    def release(self):
        self.lock.release()
        if not self.came:
            self.came = True
            raise KeyboardInterrupt


@then("Ctrl-C comes as a wait begins")
def waits():
    condition = threading.Condition(Lock())
    with condition:
        condition.wait()
"""
SET_UP = """

@pytest.fixture(autouse=True)
def around(request):
    waits()
"""
TAKE_DOWN = """

@pytest.fixture(autouse=True)
def around():
    yield
    waits()
"""


@pytest.mark.parametrize(
    ("more", "then", "outcomes"),
    [
        ("", "Ctrl-C comes as a wait begins", []),
        (SET_UP, "all is well", []),
        (TAKE_DOWN, "all is well", ["passed"]),
    ],
    ids=["step", "set-up", "take-down"],
)
def test_ctrl_c_stays_one_where_a_lock_fails_for_it(
    project: Project, more: str, then: str, outcomes: list[str]
) -> None:
    (project.features / "conftest.py").write_text(CONFTEST + WAITS + more, encoding="utf-8")
    project.feature(file="a", then=then)
    project.feature(file="b", id="KQ-QTA-02")
    assert project.run(REPORT).ret == 5
    report = read_report(project.pytester.path / "out")
    assert report.run.ended_early == "interrupted"
    assert [run.outcome for run in report.scenarios] == outcomes


AT_THE_END = """

@pytest.fixture(autouse=True, scope="session")
def interrupted():
    yield
    raise KeyboardInterrupt
"""


def test_ctrl_c_that_comes_again_while_all_is_taken_down_costs_no_report(project: Project) -> None:
    (project.features / "conftest.py").write_text(CONFTEST + AT_THE_END, encoding="utf-8")
    project.feature(file="a", then="the claim fails")
    project.feature(file="b", id="KQ-QTA-02", then="the user interrupts")
    assert project.run(REPORT).ret == 1
    report = read_report(project.pytester.path / "out")
    assert report.run.ended_early == "interrupted"
    assert [run.outcome for run in report.scenarios] == ["failed"]


LAST = """
import pytest


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        raise KeyboardInterrupt
"""


def test_ctrl_c_that_comes_after_all_workers_have_ended_costs_no_report(project: Project) -> None:
    project.pytester.makeconftest(LAST)
    project.feature(then="the claim fails")
    assert project.run("-n", "1", REPORT).ret == 1
    report = read_report(project.pytester.path / "out")
    assert report.run.ended_early == "interrupted"
    assert [run.outcome for run in report.scenarios] == ["failed"]


def test_ctrl_c_that_comes_while_the_report_is_written_comes_too_late(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*words: Any, **how: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        publish(*words, **how)

    monkeypatch.setattr(summary, "publish", interrupted)
    project.requires("KQ-QTA-01")
    project.feature()
    assert project.run(REPORT).ret == 0
    assert read_report(project.pytester.path / "out").run.ended_early == ""


def test_a_worker_that_ctrl_c_reaches_first_has_not_crashed(project: Project) -> None:
    project.feature(file="a", then="the user interrupts")
    result = project.run("-n", "1", REPORT)
    assert result.ret == 5
    assert "crashed while running" not in result.stdout.str()
    report = read_report(project.pytester.path / "out")
    assert report.run.ended_early == "interrupted"
    assert report.scenarios == ()


ON_STAGE = """

@pytest.fixture(autouse=True, scope="session")
def on_stage(qc_stage):
    pass
"""
BROKEN_OFF = "interrupted; not all was taken down: interrupted"


@pytest.mark.parametrize(
    ("then", "times", "closed", "early"),
    [
        ("all is well", 1, ["closed"], "interrupted"),
        ("all is well", 2, [], BROKEN_OFF),
        ("the user interrupts", 0, ["closed"], "interrupted"),
        ("the user interrupts", 1, [], BROKEN_OFF),
    ],
)
def test_the_first_ctrl_c_takes_all_down_and_the_second_breaks_that_off(  # noqa: PLR0917
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    then: str,
    times: int,
    closed: list[str],
    early: str,
) -> None:
    done: list[str] = []

    def close() -> None:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        done.append("closed")

    stage = Mock(capabilities=frozenset(), reason="here", server_version="1", secrets=Secrets())
    stage.close = close
    monkeypatch.setattr(fixtures, "Stage", lambda **_: stage)
    (project.features / "conftest.py").write_text(CONFTEST + ON_STAGE, encoding="utf-8")
    project.feature(then=then)
    assert project.run(REPORT).ret == 5
    assert read_report(project.pytester.path / "out").run.ended_early == early
    assert done == closed


def test_of_several_errors_one_may_come_of_ctrl_c() -> None:
    failed = RuntimeError("release unlocked lock")
    failed.__context__ = KeyboardInterrupt()
    errors = [ValueError("no"), failed]
    assert came_of_ctrl_c(BaseExceptionGroup("errors while tearing down", errors))
    assert not came_of_ctrl_c(BaseExceptionGroup("errors while tearing down", errors[:1]))


def test_each_error_of_a_chain_is_looked_at_once() -> None:
    looked_at: list[BaseException] = []

    class Seen(Exception):
        def __getattribute__(self, name: str) -> object:
            if name == "__context__":
                looked_at.append(self)
            return super().__getattribute__(name)

    chain = [Seen() for _ in range(10)]
    for cause, error in itertools.pairwise(chain):
        error.__context__ = error.__cause__ = cause
    assert not came_of_ctrl_c(chain[-1])
    assert looked_at == chain[::-1]
