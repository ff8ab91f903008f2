"""Reading again and again, for the few things that no watch shows: metrics, logs, a process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import tenacity

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

    def note(text: str) -> None:
        if not rows or rows[-1].text != text:
            rows.append(Row(attempt.timeline.now(), 0, "reading", text))

    def passing() -> T:
        try:
            reading = read()
        except transient as error:
            note(f"{type(error).__name__}: {error}")
        else:
            if test(reading):
                return reading
            note(describe(reading))
        for each in hopeless:
            if reason := each():
                attempt.fail(f"it can no longer come true: {reason}", readings=rows)
        raise tenacity.TryAgain

    def give_up(_: tenacity.RetryCallState) -> T:
        return attempt.fail(f"not so within {attempt.seconds:g} s (budget {budget})", readings=rows)

    retrying = tenacity.Retrying(
        retry=tenacity.retry_never,
        wait=tenacity.wait_fixed(INTERVAL),
        stop=lambda _: attempt.over,
        sleep=attempt.timeline.sleep,
        retry_error_callback=give_up,
    )
    return retrying(passing)


def throughout(
    attempt: Attempt,
    read: Callable[[], T],
    test: Callable[[T], bool],
    *,
    describe: Callable[[T], str],
    transient: tuple[type[Exception], ...],
    hopeless: Sequence[Callable[[], str | None]],
) -> None:
    """Every reading passes until the attempt is over, and there is at least one."""
    rows: list[Row] = []
    readings = 0

    def note(text: str) -> None:
        if not rows or rows[-1].text != text:
            rows.append(Row(attempt.timeline.now(), 0, "reading", text))

    while True:
        try:
            reading = read()
        except transient as error:
            note(f"{type(error).__name__}: {error}")
        else:
            readings += 1
            note(describe(reading))
            if not test(reading):
                attempt.fail("it was not so", readings=rows)
        for each in hopeless:
            if reason := each():
                attempt.fail(f"silence proves nothing: {reason}", readings=rows)
        if attempt.over:
            break
        attempt.timeline.sleep(INTERVAL)
    if not readings:
        attempt.fail("there was nothing to read", readings=rows)
