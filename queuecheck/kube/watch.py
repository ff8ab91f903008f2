"""List, then watch, for ever: one kind, one thread, no event lost without being told.

The client library's own watch retries once with a version that may be gone, raises on a line cut
short, and ends quietly when the server closes. Here a watch that the server has ended properly, or
that has fallen silent, is opened again at the last version seen, and the server sends all that came
after it or says that it no longer can (410). That, and any other end of a stream, is an
``Interrupted`` followed by a fresh ``Listed``; what was missed between the two is for the reader
of the stream to judge.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import tenacity
import urllib3

from queuecheck.kube.client import Api, KubeObject
from queuecheck.kube.errors import ApiError, from_response
from queuecheck.kube.resource import Resource

Verb = Literal["ADDED", "MODIFIED", "DELETED"]
VERBS: frozenset[str] = frozenset({"ADDED", "MODIFIED", "DELETED"})
# A server that says nothing for so long may have lost us: of most kinds bookmarks come about once a
# minute. Of events none come, so that silence alone is no loss.
SERVER_TIMEOUT = 3600
READ_TIMEOUT = 90.0


@dataclass(frozen=True)
class Listed:
    """The whole collection as of ``resource_version``; the first item, and after a gap again."""

    objects: tuple[KubeObject, ...]
    resource_version: str


@dataclass(frozen=True)
class Changed:
    """One object as it was written; for DELETED as it last was, with the deletion's version."""

    verb: Verb
    object: KubeObject


@dataclass(frozen=True)
class Interrupted:
    """The stream broke for ``reason``. A list follows; what happened between was not seen."""

    reason: str


WatchItem = Listed | Changed | Interrupted


class ListWatch:
    """An endless, restartable stream of one kind. Iterate it in a thread; ``stop`` from any.

    ``alive`` is called in that thread before it waits for the server and whenever it has heard of
    it, so also where there is nothing to tell for hours.
    """

    def __init__(
        self,
        api: Api,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str | None = None,
        field_selector: str | None = None,
        read_timeout: float = READ_TIMEOUT,
        retry_delays: tuple[float, float] = (0.05, 5.0),
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        self._api = api
        self.resource = resource
        self.namespace = namespace
        self._selectors = {
            key: value
            for key, value in (("labelSelector", label_selector), ("fieldSelector", field_selector))
            if value is not None
        }
        self._read_timeout = read_timeout
        self._alive = alive
        first, self._longest = retry_delays
        self._ceiling = tenacity.wait_exponential(multiplier=first, max=self._longest)
        # Its own: a thread that draws from the shared generator spoils another one's seed.
        self._random = random.Random()  # noqa: S311 - a wait, no secret
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._response: urllib3.BaseHTTPResponse | None = None

    def stop(self) -> None:
        """Ends the iteration, also one that waits for an event, within milliseconds.

        One that waits for a list, or for a watch to open, ends when that is answered or given up.
        """
        self._stopped.set()
        with self._lock:
            if self._response is not None:
                with suppress(Exception):  # it may have just ended by itself
                    self._response.shutdown()

    def __iter__(self) -> Iterator[WatchItem]:
        failures = 0
        version = ""  # the last one seen; "" where a list is due
        while not self._stopped.is_set():
            self._alive()
            reason = ""
            try:
                if not version:
                    listed = self.list()
                    self._alive()
                    yield listed
                    version = listed.resource_version
                begun = time.monotonic()
                for seen, changed in self._watch(version):
                    version, failures = seen, 0
                    if changed is not None:
                        yield changed
                # A watch of hours in which nothing happened has not failed.
                failures = 0 if time.monotonic() - begun > self._longest else failures
            except ApiError as error:
                reason = str(error)
            except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
                reason = f"{type(error).__name__}: {error}"
            if self._stopped.is_set():
                return
            if reason:
                version = ""
                yield Interrupted(reason)
            failures += 1
            self._stopped.wait(self._delay(failures))

    def _delay(self, failures: int) -> float:
        state: Any = type("Attempt", (), {"attempt_number": failures})()
        return self._random.uniform(0, self._ceiling(state))

    def list(self) -> Listed:
        """The collection as it is now, beside the iteration. From any thread."""
        answer = self._api.list(
            self.resource,
            namespace=self.namespace,
            label_selector=self._selectors.get("labelSelector"),
            field_selector=self._selectors.get("fieldSelector"),
        )
        return Listed(answer.items, answer.resource_version)

    def _watch(self, version: str) -> Iterator[tuple[str, Changed | None]]:
        """What comes after the version, each with its own; None for a bookmark.

        Ends where the server does so properly, or says nothing for too long.
        """
        path = self.resource.path(namespace=self.namespace)
        query = {
            **self._selectors,
            "watch": "true",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(SERVER_TIMEOUT),
        }
        response = self._api.open_stream(path, query=query, read_timeout=self._read_timeout)
        with self._lock:
            self._response = response
        try:
            if self._stopped.is_set():
                return
            self._alive()
            for line in _lines(response):
                self._alive()
                event = _decode(line)
                if event["type"] == "ERROR":
                    status = event["object"]
                    raise from_response(
                        verb="WATCH",
                        path=path,
                        status=status["code"] if isinstance(status.get("code"), int) else 500,
                        body=json.dumps(status),
                        retry_after=None,
                    )
                version = _version(event["object"]) or version
                known = event["type"] in VERBS
                yield version, Changed(event["type"], event["object"]) if known else None
        finally:
            with self._lock:
                self._response = None
            response.close()


def _lines(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """Complete lines, until the stream ends or is silent for too long.

    Raises ValueError if what is left then was cut short and is no event.
    """
    rest = b""
    with suppress(urllib3.exceptions.ReadTimeoutError):
        for chunk in response.stream(amt=None, decode_content=False):
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line for line in whole if line.strip())
    if rest.strip():
        raise ValueError("the stream ended in the middle of an event")


def _version(found: KubeObject) -> str:
    metadata = found.get("metadata")
    return str(metadata.get("resourceVersion") or "") if isinstance(metadata, dict) else ""


def _decode(line: bytes) -> dict[str, Any]:
    event = json.loads(line)
    if not (
        isinstance(event, dict)
        and isinstance(event.get("type"), str)
        and isinstance(event.get("object"), dict)
    ):
        raise ValueError(f"not a watch event: {line[:80]!r}")
    return event
