"""Ctrl-C stays Ctrl-C, whatever fails for it.

Where it comes as a wait begins, Python's own locks fail while it is passed on, and what fails last
is what is raised: the scenario would have an error, and the run would go on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest


class Heeding:
    """The hooks of a process that runs scenarios, around all that is done in one."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """A world is made."""
        with _heeded():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """The steps are gone through."""
        with _heeded():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """The world is taken away."""
        with _heeded():
            return (yield)


@contextmanager
def _heeded() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if came_of_ctrl_c(error):
            raise KeyboardInterrupt from error
        raise


def came_of_ctrl_c(error: BaseException | None) -> bool:
    """Whether it was raised while a Ctrl-C was passed on."""
    if error is None or isinstance(error, KeyboardInterrupt):
        return error is not None
    context, cause = error.__context__, error.__cause__
    before = (context,) if cause is context else (context, cause)
    parts = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return any(map(came_of_ctrl_c, (*before, *parts)))
