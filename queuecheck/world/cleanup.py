"""Taking away what a scenario made: last in, first out, and bounded.

An action that fails does not keep the others from running. All of them together have one
deadline; what has not been done by then is named. A failure here is never the implementation's:
it is an outcome of its own, ``cleanup-error``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

Action = Callable[[], object]
DEADLINE = 20.0


class CleanupError(Exception):
    """Something could not be taken away; the message says what and why."""


@dataclass(frozen=True)
class _Entry:
    sentence: str
    action: Action


class Cleanup:
    """A stack of actions. ``deadline`` is in seconds, for all of them."""

    def __init__(self, *, deadline: float = DEADLINE) -> None:
        self._deadline = deadline
        self._entries: list[_Entry] = []
        self._failures: list[str] = []
        self._current = ""

    def add(self, action: Action, *, sentence: str) -> None:
        """Runs ``action`` before all that were added earlier. ``sentence`` tells it in errors."""
        self._entries.append(_Entry(sentence, action))

    def run(self) -> None:
        """Runs and forgets all actions. Raises CleanupError, after the last of them."""
        # A request can hang for longer than the deadline, and a thread cannot be ended from
        # outside: so it is left behind, as a daemon, and what it was doing is reported.
        thread = threading.Thread(target=self._run, name="cleanup", daemon=True)
        thread.start()
        thread.join(self._deadline)
        if thread.is_alive():
            left = [self._current, *(entry.sentence for entry in reversed(self._entries))]
            raise CleanupError(f"not done within {self._deadline:g} s: {'; '.join(left)}")
        if self._failures:
            raise CleanupError("; ".join(self._failures))

    def _run(self) -> None:
        while self._entries:
            entry = self._entries.pop()
            self._current = entry.sentence
            try:
                entry.action()
            except Exception as error:  # noqa: BLE001 - the other actions are still owed
                self._failures.append(f"{entry.sentence}: {error}")
