"""What can go wrong with a request, and which requests it happens to."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from queuecheck.faults.request import Request

LEASES = "leases"
REASONS = {
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
}


@dataclass(frozen=True)
class Target:
    """Which requests; what is "" or None is not looked at.

    A write is one of the objects that matter: a leader's renewals, which come by the clock, are
    meant only where their plural is named.
    """

    what: Literal["write", "list", "watch", "any"] = "any"
    plural: str = ""
    name: str = ""
    subresource: str | None = None
    method: str = ""

    def fits(self, request: Request) -> bool:
        """Whether it describes the request."""
        kinds = {
            "any": True,
            "write": request.write and (self.plural == LEASES or request.plural != LEASES),
            "list": request.list,
            "watch": request.watch,
        }
        return (
            kinds[self.what]
            and self.plural in {"", request.plural}
            and self.name in {"", request.name}
            and self.subresource in {None, request.subresource}
            and self.method in {"", request.method}
        )


@dataclass(frozen=True)
class Refuse:
    """Answered with that status, and never passed on."""

    status: int
    retry_after: int | None = None

    @property
    def body(self) -> bytes:
        """The Status object that a server would answer with."""
        return status_object(self.status)


@dataclass(frozen=True)
class Delay:
    """Passed on so many seconds later."""

    seconds: float


@dataclass(frozen=True)
class Drop:
    """The connection breaks: before the request is passed on, or after, in place of its answer."""

    passed_on: bool = False


@dataclass(frozen=True)
class EndWatch:
    """A watch ends after so many events; ``gone``: with the server's word that it is too old.

    Where it begins with all that is there, that does not count.
    """

    events: int = 1
    gone: bool = False


@dataclass(frozen=True)
class Meanwhile:
    """Something else happens just before the request is passed on."""

    act: Callable[[], object]


@dataclass(frozen=True)
class Halt:
    """From this request on nothing passes, in neither direction: a moment to end somebody in.

    The request itself does not reach the server, or with ``passed_on`` it does and its answer
    does not come back.
    """

    passed_on: bool = False


Fault = Refuse | Delay | Drop | EndWatch | Meanwhile | Halt


class Rule:
    """A fault for the requests of a target: from number ``first`` on, ``times`` of them.

    Without ``times`` it holds until it is taken back. With ``every`` 2 it strikes every other one.
    ``for_each_kind``: every kind of object is counted by itself.
    """

    def __init__(
        self,
        target: Target,
        fault: Fault,
        *,
        first: int = 1,
        times: int | None = 1,
        every: int = 1,
        for_each_kind: bool = False,
    ) -> None:
        self.target = target
        self.fault = fault
        self._first = first
        self._times = times
        self._every = every
        self._for_each_kind = for_each_kind
        self._seen: Counter[str] = Counter()
        self._struck: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._hits: list[Request] = []

    @property
    def hits(self) -> tuple[Request, ...]:
        """The requests that it has happened to."""
        with self._lock:
            return tuple(self._hits)

    def strikes(self, request: Request) -> bool:
        """Whether it happens to this request; asked once for each."""
        if not self.target.fits(request):
            return False
        with self._lock:
            kind = request.plural if self._for_each_kind else ""
            self._seen[kind] += 1
            beyond = self._seen[kind] - self._first
            due = beyond >= 0 and beyond % self._every == 0
            if not due or (self._times is not None and self._struck[kind] >= self._times):
                return False
            self._struck[kind] += 1
            self._hits.append(request)
            return True


def status_object(code: int) -> bytes:
    """A Status of the API server."""
    return json.dumps(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "made on purpose by the suite",
            "reason": REASONS.get(code, ""),
            "code": code,
        }
    ).encode()
