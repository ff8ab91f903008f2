"""core/v1 Events: those that must exist are written at once, the others by a thread of their own.

A ``once`` event has a name of its own and exists at most once, whatever is repeated. All others
are named by what they say, so that a repetition is counted up in the one that is there.
"""

import hashlib
import math
import queue
from datetime import UTC, datetime

from controller.core.decisions import EmitEvent
from controller.shell.kinds import RESOURCES
from controller.shell.logs import Journal
from controller.shell.requests import Postponed, Requests, namespace_goes
from controller.shell.signs import Signs
from queuecheck.kube import AlreadyExists, Api, ApiError, Conflict, KubeObject, NotFound
from queuecheck.kube.resource import EVENTS

LONGEST_MESSAGE = 1024
LONGEST_NAME = 253
BACKLOG = 2000
CONFLICTS = 5


def body(event: EmitEvent, *, uid: str, component: str, now: datetime) -> KubeObject:
    """The Event object. ``uid`` is the target's."""
    target, resource = event.target, RESOURCES[event.target.kind]
    stamp = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    message = shortened(event.message)
    namespace = {"namespace": target.namespace} if target.namespace else {}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": event.once or _name(event, uid=uid, message=message),
            "namespace": target.namespace or "default",
        },
        "involvedObject": {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "name": target.name,
            **namespace,
            **({"uid": uid} if uid else {}),
        },
        "type": event.type,
        "reason": event.reason,
        "message": message,
        "source": {"component": f"queuecheck-{component}"},
        "count": 1,
        "firstTimestamp": stamp,
        "lastTimestamp": stamp,
    }


def shortened(message: str) -> str:
    """At most 1024 bytes of UTF-8, which is all that the server takes."""
    raw = message.encode()
    if len(raw) <= LONGEST_MESSAGE:
        return message
    return raw[: LONGEST_MESSAGE - len("…".encode())].decode(errors="ignore") + "…"


def _name(event: EmitEvent, *, uid: str, message: str) -> str:
    parts = (event.target.kind.value, str(event.target), uid, event.type, event.reason, message)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return f"{event.target.name[: LONGEST_NAME - 17].rstrip('-.')}.{digest}"


class EventWriter:
    """Writes events. ``submit`` and ``write_once`` from one thread, ``run`` in another."""

    def __init__(
        self,
        *,
        api: Api,
        requests: Requests,
        journal: Journal,
        component: str,
        signs: Signs,
        backlog: int = BACKLOG,
    ) -> None:
        self._api = api
        self._requests = requests
        self._journal = journal
        self._signs = signs
        self._manager = f"queuecheck-controller/{component}"
        self._backlog = backlog
        self._waiting: queue.SimpleQueue[KubeObject | None] = queue.SimpleQueue()

    def write_once(self, event: KubeObject) -> None:
        """Returns when the event is there. Raises ApiError or Postponed if it cannot be."""
        try:
            self._create(event)
        except AlreadyExists:
            return
        except ApiError as error:
            if not (error.status == 404 or namespace_goes(error)):
                raise

    def submit(self, event: KubeObject) -> None:
        """Hands the event over and returns at once; when too many wait, it is dropped."""
        if self._waiting.qsize() >= self._backlog:
            self._journal.warn("too many events wait to be written; one was dropped", _told(event))
        else:
            self._waiting.put(event)

    def run(self) -> None:
        """Writes what was submitted, until ``close``."""
        while (event := self._next()) is not None:
            try:
                self._count(event)
            except (ApiError, Postponed) as error:
                if not (isinstance(error, ApiError) and namespace_goes(error)):
                    self._journal.warn(f"event not written: {error}", _told(event))

    def _next(self) -> KubeObject | None:
        self._signs.give(asleep=math.inf)
        return self._waiting.get()

    def close(self) -> None:
        """Ends ``run`` once what waits is written."""
        self._waiting.put(None)

    def _count(self, event: KubeObject) -> None:
        for _ in range(CONFLICTS):
            try:
                self._create(event)
                return
            except AlreadyExists:
                pass
            try:
                self._again(event)
                return
            except (Conflict, NotFound):  # somebody counted first, or it has just expired
                continue
        self._journal.warn("event not written: others keep writing it", _told(event))

    def _create(self, event: KubeObject) -> KubeObject:
        return self._requests.send(
            "create",
            "Event",
            lambda: self._api.create(
                EVENTS,
                event,
                namespace=event["metadata"]["namespace"],
                field_manager=self._manager,
            ),
        )

    def _again(self, event: KubeObject) -> None:
        name, namespace = event["metadata"]["name"], event["metadata"]["namespace"]
        known = self._requests.send(
            "get", "Event", lambda: self._api.get(EVENTS, name, namespace=namespace)
        )
        change = {
            "count": int(known.get("count") or 1) + 1,
            "lastTimestamp": event["lastTimestamp"],
        }
        self._requests.send(
            "patch",
            "Event",
            lambda: self._api.patch(
                EVENTS,
                name,
                change,
                namespace=namespace,
                resource_version=known["metadata"]["resourceVersion"],
                field_manager=self._manager,
            ),
        )


def _told(event: KubeObject) -> dict[str, str]:
    about = event["involvedObject"]
    return {
        "reason": event["reason"],
        "object": f"{about['kind']} {about.get('namespace', '')}/{about['name']}",
    }
