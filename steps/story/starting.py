"""A controller that has to start: where it does not, the fault is its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from queuecheck.implementation import ImplementationError


@contextmanager
def starts(how: str) -> Iterator[None]:
    """It has started before in this run: what keeps it from it now is what the scenario did."""
    try:
        yield
    except ImplementationError as error:
        raise AssertionError(f"the controller does not start {how}: {error}") from error
