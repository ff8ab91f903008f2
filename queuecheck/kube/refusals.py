"""Going on with the rest where a server refuses one thing of many."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from queuecheck.kube.errors import ApiError, NotFound, Unreachable


@contextmanager
def going_on(told: list[str]) -> Iterator[None]:
    """What the server refuses in here is told in a line, and whoever asked goes on.

    Not to be there is what was wanted. Without an answer nothing further can be expected:
    Unreachable is raised.
    """
    try:
        yield
    except NotFound:
        pass
    except Unreachable:
        raise
    except ApiError as error:
        told.append(" ".join(str(error).split()))
