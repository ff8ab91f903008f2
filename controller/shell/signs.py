"""Signs of life: each thread gives one every time round, and says for how long it means to sleep.

A thread that hangs, in a decision, in a lock or in an answer without an end, gives none. Then the
process is not healthy, and whoever probes it starts it again: nothing else could free the thread.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from queuecheck.kube.client import CONNECT_TIMEOUT
from queuecheck.kube.watch import READ_TIMEOUT

# Nobody awake waits for anything longer than a watch does for its server's next word. That is a
# time-out of each silence, and a long answer on a slow line has several; so three of them.
LONGEST_SILENCE = 3 * (CONNECT_TIMEOUT + READ_TIMEOUT)


@dataclass(frozen=True)
class Sign:
    """When a thread gave its last sign, and for how many seconds it meant to sleep from then."""

    at: float
    asleep: float = 0.0


def silent(signs: Mapping[str, Sign], now: float, bound: float) -> dict[str, float]:
    """Who has been silent for longer than ``bound`` beyond its sleep, and since how many seconds.

    The longest silence comes first.
    """
    since = {
        name: now - sign.at for name, sign in signs.items() if now - sign.at > sign.asleep + bound
    }
    return dict(sorted(since.items(), key=lambda item: -item[1]))


class Signs:
    """The last sign of each thread, by the thread's name. Safe to use from all threads."""

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._lock = threading.Lock()
        self._last: dict[str, Sign] = {}

    def give(self, *, asleep: float = 0.0) -> None:
        """The calling thread lives, and may be silent for that many seconds as it sleeps."""
        with self._lock:
            self._last[threading.current_thread().name] = Sign(self._steady(), asleep)

    def missing(self) -> dict[str, float]:
        """Who has been silent for too long, and since how many seconds."""
        with self._lock:
            return silent(self._last, self._steady(), LONGEST_SILENCE)
