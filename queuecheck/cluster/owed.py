"""What a request that came to nothing has left undone: done again a moment later, until it is.

Nothing runs while nothing is owed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

AGAIN_SECONDS = 0.5
STOP_SECONDS = 5.0


class Owed:
    """UIDs of pods that have to be tended again. Safe to use from many threads.

    ``tend`` gets all that are owed, in a thread of its own; whatever fails again is added again.
    """

    def __init__(self, tend: Callable[[frozenset[str]], None]) -> None:
        self._tend = tend
        self._lock = threading.Lock()
        self._uids: set[str] = set()
        self._timer: threading.Timer | None = None
        self._threads: list[threading.Thread] = []  # that wait, or tend
        self._stopped = False

    def add(self, uid: str) -> None:
        """It is tended again after ``AGAIN_SECONDS``, with all others that are owed then."""
        with self._lock:
            if self._stopped:
                return
            self._uids.add(uid)
            if self._timer is None:
                self._timer = threading.Timer(AGAIN_SECONDS, self._again)
                self._timer.daemon = True
                self._timer.start()
                alive = [each for each in self._threads if each.is_alive()]
                self._threads = [*alive, self._timer]

    def stop(self) -> None:
        """Nothing is tended any more: what is under way is waited for."""
        with self._lock:
            self._stopped = True
            if self._timer is not None:
                self._timer.cancel()
            threads = self._threads
        end = time.monotonic() + STOP_SECONDS
        for each in threads:
            each.join(max(0.0, end - time.monotonic()))

    def _again(self) -> None:
        with self._lock:
            uids, self._uids, self._timer = frozenset(self._uids), set(), None
            if self._stopped:
                return
        self._tend(uids)
