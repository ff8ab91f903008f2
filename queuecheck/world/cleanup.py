"""Taking away what a scenario made: last in, first out, and bounded.

An action that fails does not keep the others from running. All of them together have one
deadline; what has not been done by then is named, and only what is being done at that moment still
goes on. A failure here is never the implementation's: it is an outcome of its own,
``cleanup-error``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Action = Callable[[], object]
DEADLINE = 20.0


class CleanupError(Exception):
    """Something could not be taken away; the message says what and why."""


def together(texts: Iterable[str]) -> str:
    """A line with what each of them begins with, then their other lines."""
    parts = [text.partition("\n") for text in texts]
    firsts = "; ".join(dict.fromkeys(first for first, _, _ in parts))
    lines = [line for _, _, rest in parts for line in rest.splitlines()]
    return "\n".join([firsts, *dict.fromkeys(lines)])


@dataclass(frozen=True)
class _Entry:
    sentence: str
    action: Action
    always: bool


class Cleanup:
    """A stack of actions. ``deadline`` is in seconds, for all of them."""

    def __init__(self, *, deadline: float = DEADLINE) -> None:
        self._deadline = deadline
        self._entries: list[_Entry] = []
        self._failures: list[str] = []
        self._lock = threading.Lock()
        self._current = ""
        self._abandoned = False
        # Had by the thread that undoes, until it has ended. The thread itself does not tell that:
        # one whose join was interrupted counts as ended before Python 3.13.
        self._under_way = threading.Lock()

    def add(self, action: Action, *, sentence: str, always: bool = False) -> None:
        """Runs ``action`` before all that were added earlier. ``sentence`` tells it in errors.

        What has to be done ``always`` is so also where the rest is kept.
        """
        self._entries.append(_Entry(sentence, action, always))

    def run(self, *, keep: bool = False) -> None:
        """Runs and forgets all actions, with ``keep`` only those that have to be done always.

        Raises CleanupError, after the last of them.
        """
        # A request can hang for longer than the deadline, and a thread cannot be ended from
        # outside: so it is left behind, as a daemon, and what it was doing is reported.
        thread = threading.Thread(target=self._run, args=(keep,), name="cleanup", daemon=True)
        self._under_way.acquire()
        try:
            thread.start()
            if self._under_way.acquire(timeout=self._deadline):
                self._under_way.release()
        finally:
            left = self._abandon() if self._under_way.locked() else []
        if left:
            raise CleanupError(f"not done within {self._deadline:g} s: {'; '.join(left)}")
        if self._failures:
            raise CleanupError("; ".join(self._failures))

    @property
    def goes_on(self) -> str:
        """What is still being done, past the deadline; "" for nothing."""
        return self._current if self._under_way.locked() else ""

    def _abandon(self) -> list[str]:
        """Nothing further is begun; gives what is not done, as sentences."""
        with self._lock:
            self._abandoned = True
            current = [self._current] if self._current else []  # it may not have begun
            return [*current, *(entry.sentence for entry in reversed(self._entries))]

    def _run(self, keep: bool) -> None:
        try:
            while (entry := self._next(keep)) is not None:
                try:
                    entry.action()
                except Exception as error:  # noqa: BLE001 - the other actions are still owed
                    self._failures.append(f"{entry.sentence}: {error}")
        finally:
            self._under_way.release()

    def _next(self, keep: bool) -> _Entry | None:
        with self._lock:
            while self._entries and not self._abandoned:
                entry = self._entries.pop()
                if entry.always or not keep:
                    self._current = entry.sentence
                    return entry
        return None
