"""Reading again and again, for the few things that no watch shows: metrics, logs, a process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from queuecheck.timeline.attempt import Attempt
from queuecheck.timeline.failure import Row

T = TypeVar("T")
INTERVAL = 0.1


def poll(
    attempt: Attempt,
    read: Callable[[], T],
    test: Callable[[T], bool],
    *,
    budget: str,
    describe: Callable[[T], str],
    transient: tuple[type[Exception], ...],
    hopeless: Sequence[Callable[[], str | None]],
) -> T:
    """The first reading that passes. Raises ClaimFailed with every distinct reading."""
    rows: list[Row] = []
    while True:
        try:
            reading = read()
        except transient as error:
            text = f"{type(error).__name__}: {error}"
        else:
            if test(reading):
                return reading
            text = describe(reading)
        if not rows or rows[-1].text != text:
            rows.append(Row(attempt.timeline.now(), 0, "reading", text))
        reason = next((said for each in hopeless if (said := each())), None)
        if reason:
            attempt.fail(f"it can no longer come true: {reason}", readings=rows)
        if not attempt.pause(INTERVAL):
            attempt.fail(f"not so within {attempt.seconds:g} s (budget {budget})", readings=rows)
