"""Getting the programs that are not on this machine yet: by download, else by a build.

One run at a time: the others wait for the lock, and then find what the first has put there.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from queuecheck.cluster.build import build
from queuecheck.cluster.download import Unavailable, download, no_room
from queuecheck.cluster.errors import ProgramsError
from queuecheck.cluster.go import NoGo
from queuecheck.cluster.programs import (
    ASSETS,
    ETCD,
    KUBECTL,
    Programs,
    cache_directory,
    chosen,
    machine,
    missing,
    present,
    system,
)
from queuecheck.cluster.progress import Progress


def provide(progress: Progress | None = None) -> Programs:
    """All server programs: at once if they are there, in minutes if they must be built.

    Raises ProgramsError, whose text says what was tried and what to do instead.
    """
    assets = os.environ.get(ASSETS)
    if assets and not Path(assets).is_dir():
        raise ProgramsError(f"{ASSETS}: {assets} is no directory; correct or unset it")
    found = present()
    if not missing(found):
        return chosen(found)
    told = progress or Progress()
    directory = cache_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _lock(directory / "lock", told):
            found = present()
            if absent := missing(found):
                told.say(f"not on this machine yet: {', '.join(absent)} (kept in {directory})")
                _get(directory, told)
                found = present()
    except OSError as error:
        _explain(error, directory)
    if absent := missing(found):
        raise ProgramsError(
            f"{', '.join(absent)}: neither downloaded nor built; set {ASSETS} to a directory "
            f"that has the programs"
        )
    return chosen(found)


def _get(directory: Path, progress: Progress) -> None:
    """Each site is asked for itself: one may be out of reach and the other not."""
    reasons: list[str] = []
    found = present()
    absent = missing(found)
    etcd = tuple(name for name in absent if name == ETCD)
    kubernetes = tuple(name for name in absent if name != ETCD)
    if kubernetes and KUBECTL not in found:
        kubernetes += (KUBECTL,)
    for names in (etcd, kubernetes):
        try:
            download(names, directory, system=system(), machine=machine(), progress=progress)
        except Unavailable as error:
            reasons.append(str(error))
            progress.say(f"no release to be had, building instead ({error})")
    rest = missing(present())
    if not rest:
        return
    try:
        build(rest, directory, progress=progress)
    except NoGo as error:
        raise ProgramsError(
            f"{', '.join(rest)}: no release ({'; '.join(reasons)}) and no build ({error}); "
            f"set {ASSETS} to a directory that has the programs"
        ) from error


@contextmanager
def _lock(path: Path, progress: Progress) -> Iterator[None]:
    """The kernel gives the lock back when its holder ends, however it ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say("another run is getting the programs of the control plane; waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _explain(error: OSError, directory: Path) -> NoReturn:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        raise no_room(directory) from error
    raise ProgramsError(
        f"cache directory {directory}: {error.strerror}; set XDG_CACHE_HOME to one that can be "
        f"written, or {ASSETS} to a directory that has the programs"
    ) from error
