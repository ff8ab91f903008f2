"""Waiting for programs that say over HTTPS whether they are ready.

None of the endpoints can be watched, so they are asked again and again: often, since the asking
costs a millisecond, and until a long limit, since a slow machine is no fault.
"""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Callable
from pathlib import Path

from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.ports import LOOPBACK
from queuecheck.cluster.processes import Child

ASK_EVERY = 0.02


class ProgramFailed(ClusterError):
    """A program ended or never became ready. ``log`` is the end of what it said."""

    def __init__(self, sentence: str, *, log: str) -> None:
        super().__init__(f"{sentence}; its last lines:\n{log}" if log else sentence)
        self.log = log


def wait_until(
    condition: Callable[[], bool],
    *,
    what: str,
    children: tuple[Child, ...],
    seconds: float,
) -> None:
    """Raises ProgramFailed when a child ends meanwhile, or at the limit, with its last lines.

    The last of ``children`` is the one that is waited for.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        for child in children:
            if (fate := child.fate()) is not None:
                # Which program it was matters where somebody else's are used.
                raise ProgramFailed(f"{fate} ({child.command[0]})", log=child.tail())
        if time.monotonic() > deadline:
            stalled = children[-1]
            raise ProgramFailed(
                f"{stalled.name}: {what} not seen within {seconds:g} s", log=stalled.tail()
            )
        time.sleep(ASK_EVERY)


def answers_ok(port: int, path: str, *, authority: Path, token: str | None = None) -> bool:
    """Whether a GET on loopback, with the certificate checked, is answered with 200."""
    try:
        context = ssl.create_default_context(cafile=str(authority))
        connection = http.client.HTTPSConnection(LOOPBACK, port, timeout=5, context=context)
        try:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status == 200
        finally:
            connection.close()
    except (OSError, http.client.HTTPException):
        return False
