"""Pods that are followed and tended, by one thread at a time.

Three kinds of threads come to them: the one that follows them, the one that does again what a lost
request has left undone, and whoever gives a command.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.owed import Owed
from queuecheck.kube import ListWatch, WatchItem

STOP_SECONDS = 5.0


class Tending:
    """``see`` gets what the watch brings, ``again`` the UID of a pod that is owed something.

    Both are called under the lock. Where either fails, that is told to whoever gives a command.
    """

    def __init__(
        self,
        watch: ListWatch,
        *,
        see: Callable[[WatchItem], None],
        again: Callable[[str], None],
    ) -> None:
        self.lock = threading.RLock()
        self._watch = watch
        self._see = see
        self._again = again
        self._owed = Owed(self._tend_again)
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._follow, name="nodes", daemon=True)

    def start(self) -> None:
        """Begins to follow the pods; once."""
        self._thread.start()

    def stop(self) -> None:
        """Nothing is followed and nothing owed any more."""
        self._owed.stop()
        self._watch.stop()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def owe(self, uid: str) -> None:
        """The pod is tended again a moment later: what was done for it has come to nothing."""
        self._owed.add(uid)

    def command(self) -> threading.RLock:
        """The lock. Raises ClusterError where nobody tends the pods any more."""
        if self._failure is not None:
            raise ClusterError(f"nobody tends the pods any more: {self._failure!r}")
        return self.lock

    def _follow(self) -> None:
        with self._failing():
            for item in self._watch:
                with self.lock:
                    self._see(item)

    def _tend_again(self, uids: frozenset[str]) -> None:
        with self.lock, self._failing():
            for uid in uids:
                self._again(uid)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._failure = error
            raise
