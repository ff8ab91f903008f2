"""Interruptions that are held back for a moment."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from queuecheck.interruption import NUMBERS, held_back


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """As in a run: Ctrl-C and SIGTERM interrupt it, SIGHUP is ignored after nohup."""
    before = {number: signal.getsignal(number) for number in NUMBERS}
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def steps(number: signal.Signals, *, once: bool) -> list[str]:
    """What is done of two steps in the middle of each of which the signal comes."""
    done = []
    try:
        with held_back(once=once):
            for step in ("first", "second"):
                signal.raise_signal(number)
                done.append(step)
    except KeyboardInterrupt:
        return [*done, "interrupted"]
    return done


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("once", [False, True])
def test_what_comes_meanwhile_comes_in_the_end(number: signal.Signals, *, once: bool) -> None:
    done = ["first", "interrupted"] if once else ["first", "second", "interrupted"]
    assert steps(number, once=once) == done
    assert signal.getsignal(number) is signal.default_int_handler


def test_nothing_comes_of_nothing() -> None:
    with held_back():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def failing() -> None:
    with held_back():
        signal.raise_signal(signal.SIGINT)
        raise ValueError("no")


def test_an_error_does_not_hide_what_came() -> None:
    with pytest.raises(KeyboardInterrupt) as came:
        failing()
    assert isinstance(came.value.__context__, ValueError)


def test_another_thread_has_nothing_to_hold_back() -> None:
    done: list[object] = []

    def work() -> None:
        with held_back():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]
