"""Time, and waiting for news, behind one small protocol so that tests can own both."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """A monotonic clock in seconds, and the only way in which the timeline waits."""

    def now(self) -> float:
        """Seconds since a moment of the clock's own."""

    def wait(self, condition: threading.Condition, timeout: float) -> None:
        """Returns on a notification, or after ``timeout`` seconds. The caller holds the lock."""


class SystemClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """Seconds, unaffected by changes of the date."""
        return time.monotonic()

    def wait(self, condition: threading.Condition, timeout: float) -> None:
        """Waits on the condition."""
        condition.wait(timeout)
