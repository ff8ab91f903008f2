"""The process's one stop: asked for by a signal, or forced by a thread that crashed."""

import queue
import threading
import traceback
from collections.abc import Callable

from controller.shell.logs import Journal
from controller.shell.signs import Signs

TRACEBACK_LEVEL = 4


class Stopping(Exception):
    """The process stops; whatever is under way is given up."""


class Lifecycle:
    """Threads started through ``spawn`` take the whole process with them when they crash."""

    def __init__(self, journal: Journal) -> None:
        self.stop = threading.Event()
        self.cut = threading.Event()  # set when even last words must end
        self.crashed = False
        self.signs = Signs()
        self._journal = journal
        self._asked: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def spawn(self, name: str, target: Callable[[], None]) -> threading.Thread:
        """Runs ``target`` in a thread that does not keep the process alive."""
        thread = threading.Thread(target=self._guard, args=(name, target), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def ailment(self) -> str:
        """Why only a new start can help, or ""."""
        if self.crashed:
            return "a component has stopped"
        return "; ".join(self._missing())

    def ask(self) -> None:
        """Asks for the stop from a signal handler, where taking a lock could hang for ever."""
        self._asked.put(None)

    def heed(self) -> None:
        """Turns the first ``ask`` into the stop. Run it in a thread."""
        self._asked.get()
        self.stop.set()

    def join(self, deadline: Callable[[], float]) -> None:
        """Waits for the threads, no longer than the seconds that ``deadline`` still gives."""
        for problem in self._missing():  # a kubelet shows nobody what a probe was answered
            self._journal.fail(problem)
        for thread in self._threads:
            thread.join(max(deadline(), 0.0))
        left = ", ".join(thread.name for thread in self._threads if thread.is_alive())
        if left:
            self._journal.say(TRACEBACK_LEVEL, f"threads left behind: {left}")

    def _missing(self) -> list[str]:
        return [
            f"{name} has given no sign of life for {since:.0f} s"
            for name, since in self.signs.missing().items()
        ]

    def _guard(self, name: str, target: Callable[[], None]) -> None:
        try:
            target()
        except Stopping:
            return
        except BaseException as error:  # noqa: BLE001 - half a controller is worse than none
            self.crashed = True
            self._journal.fail(f"thread {name} crashed: {type(error).__name__}: {error}")
            if self._journal.shows(TRACEBACK_LEVEL):
                self._journal.fail("".join(traceback.format_exception(error)))
            self.stop.set()
