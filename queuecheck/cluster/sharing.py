"""What several processes use at a time: the first one in makes it, the last one out ends it.

All of it is in locks of the kernel, which gives them back when their holder ends, however that
comes: nobody has to be told that somebody died.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USERS = "users"


@contextmanager
def locked(file: Path, *, shared: bool = False) -> Iterator[None]:
    """Nobody else is inside at that time, but whoever shares it too. The file stays."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Nobody else is inside at that time. The directory is made where it is not there."""
    lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(lock):
        yield


class Membership:
    """One process's use of what is in a directory. To be called by who is ``alone``."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / USERS
        self._descriptor: int | None = None

    def enter(self) -> None:
        """From now on, until ``leave`` or our end, we use it."""
        self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def leave(self) -> bool:
        """Whether nobody uses it any more."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        return not used(self._file.parent)


def used(directory: Path) -> bool:
    """Whether any process uses what is there."""
    try:
        descriptor = os.open(directory / USERS, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
