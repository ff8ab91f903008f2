"""Interruptions (Ctrl-C, and whatever ends a run in the same way) where they would do harm.

One comes between any two steps of a program: also after a process was started, and before anybody
knows its number.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held_back(*, once: bool = False) -> Iterator[None]:
    """What interrupts meanwhile does so in the end; with ``once`` a second time at once.

    A signal that is ignored, or that ends the process at once, goes on to do so. No thread but the
    main one is ever interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def keep(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if once and len(came) > 1:
            heed()

    def heed() -> None:
        if came:
            number = came[0]
            came.clear()
            signal.signal(number, before[number])
            signal.raise_signal(number)

    before = {
        int(number): handler for number in NUMBERS if callable(handler := signal.getsignal(number))
    }
    with ExitStack() as in_the_end:
        in_the_end.callback(heed)
        for number, handler in before.items():
            in_the_end.callback(signal.signal, number, handler)
            signal.signal(number, keep)
        yield
