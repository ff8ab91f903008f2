"""Saying how a long errand goes: what, how far, for how long.

On a terminal one line is rewritten; elsewhere a line is written when something new begins, and
then at most every few seconds, so that a log stays short.
"""

from __future__ import annotations

import sys
import time
from typing import TextIO

LINE_EVERY = 10.0
REWRITE_EVERY = 0.2


class Progress:
    """Lines on a stream, standard error by default."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._rewrites = self._stream.isatty()
        self._began = time.monotonic()
        self._shown_at = float("-inf")
        self._task = ""
        self._open_line = False

    def begin(self, task: str) -> None:
        """A new task, whose time counts from now."""
        self.done()
        self._task = task
        self._began = time.monotonic()
        self._show("", force=True)

    def step(self, detail: str) -> None:
        """Where the task is now; shown if the last time was long enough ago."""
        self._show(detail, force=False)

    def done(self) -> None:
        """The end of the line."""
        if self._open_line:
            self._stream.write("\n")
            self._open_line = False
        self._shown_at = float("-inf")

    def say(self, sentence: str) -> None:
        """One line by itself."""
        self.done()
        self._stream.write(f"queuecheck: {sentence}\n")
        self._stream.flush()

    def _show(self, detail: str, *, force: bool) -> None:
        now = time.monotonic()
        if not force and now - self._shown_at < (REWRITE_EVERY if self._rewrites else LINE_EVERY):
            return
        self._shown_at = now
        seconds = int(now - self._began)
        parts = [self._task, detail, f"{seconds // 60}:{seconds % 60:02d}" if seconds else ""]
        line = "queuecheck: " + " · ".join(part for part in parts if part)
        if self._rewrites:
            self._stream.write(f"\r\x1b[K{line}")
            self._open_line = True
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()
