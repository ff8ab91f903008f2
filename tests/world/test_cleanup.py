"""Clean-up: last in, first out, complete, bounded."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import pytest

from queuecheck.world import cleanup as cleanup_module
from queuecheck.world.cleanup import Cleanup, CleanupError
from tests.fault_server import PATIENCE
from tests.world.played import Hanging


def test_the_last_is_undone_first() -> None:
    done: list[int] = []
    cleanup = Cleanup()
    for number in (1, 2, 3):
        cleanup.add(partial(done.append, number), sentence=f"undo {number}")
    cleanup.run()
    assert done == [3, 2, 1]


def test_a_failure_keeps_nothing_else_from_being_undone() -> None:
    done: list[str] = []

    def fails() -> None:
        raise ValueError("no")

    cleanup = Cleanup()
    cleanup.add(lambda: done.append("first"), sentence="undo the first")
    cleanup.add(fails, sentence="undo the second")
    with pytest.raises(CleanupError, match=r"^undo the second: no$"):
        cleanup.run()
    assert done == ["first"]


def test_what_hangs_is_named_and_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = Hanging(monkeypatch)
    cleanup = Cleanup(deadline=0.05)
    cleanup.add(lambda: None, sentence="delete the namespace")
    cleanup.add(hanging, sentence="delete the Job")
    with pytest.raises(CleanupError) as told:
        cleanup.run()
    hanging.end()
    assert str(told.value) == "not done within 0.05 s: delete the Job; delete the namespace"


def test_of_what_is_not_even_begun_only_what_there_is_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Starved(threading.Thread):
        def run(self) -> None:
            begin.wait()
            super().run()

    begin = threading.Event()
    played = SimpleNamespace(Thread=Starved, Lock=threading.Lock)
    monkeypatch.setattr(cleanup_module, "threading", played)
    cleanup = Cleanup(deadline=0)
    cleanup.add(lambda: None, sentence="delete the namespace")
    with pytest.raises(CleanupError, match=r"^not done within 0 s: delete the namespace$"):
        cleanup.run()
    begin.set()


def test_an_action_may_add_another() -> None:
    done: list[str] = []
    cleanup = Cleanup()
    cleanup.add(
        lambda: cleanup.add(lambda: done.append("late"), sentence="undo that"), sentence="undo"
    )
    cleanup.run()
    assert done == ["late"]


def test_nothing_is_begun_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    hanging = Hanging(monkeypatch)
    cleanup = Cleanup(deadline=0.05)
    cleanup.add(lambda: done.append("close the slots"), sentence="close the slots")
    cleanup.add(hanging, sentence="restore")
    with pytest.raises(CleanupError):
        cleanup.run()
    assert cleanup.goes_on == "restore"
    hanging.end()
    assert cleanup.goes_on == ""
    assert done == []


def test_nothing_is_begun_after_an_interruption() -> None:
    done: list[str] = []
    turn, go_on = threading.Event(), threading.Event()
    main = threading.main_thread()

    def interrupts() -> None:
        while is_in(main, threading.Thread.start):
            turn.wait(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        go_on.wait()

    cleanup = Cleanup(deadline=PATIENCE)
    cleanup.add(lambda: done.append("close the slots"), sentence="close the slots")
    cleanup.add(interrupts, sentence="restore")
    with pytest.raises(KeyboardInterrupt):
        cleanup.run()
    assert cleanup.goes_on == "restore"
    go_on.set()
    while cleanup.goes_on:
        turn.wait(0.01)
    assert done == []


def is_in(thread: threading.Thread, function: Callable[..., object]) -> bool:
    assert thread.ident is not None
    stack = traceback.walk_stack(sys._current_frames()[thread.ident])
    return any(frame.f_code.co_qualname == function.__qualname__ for frame, _ in stack)


def test_what_is_shared_is_put_right_also_where_the_rest_is_kept() -> None:
    done: list[str] = []
    cleanup = Cleanup()
    cleanup.add(lambda: done.append("namespace"), sentence="delete the namespace")
    cleanup.add(lambda: done.append("restore"), sentence="restore", always=True)
    cleanup.add(lambda: done.append("job"), sentence="delete the Job")
    cleanup.run(keep=True)
    assert done == ["restore"]
