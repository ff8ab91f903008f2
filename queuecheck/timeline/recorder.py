"""Watches kinds into a timeline, one thread for each kind and namespace.

``catch_up`` makes order across streams safe to judge: it lists the collections that a claim looks
at, and returns when the streams have brought what the lists show. Each stream is in order, so
everything that was written before is then in the timeline. (What escapes is only an object both
made and deleted in the milliseconds for which its stream runs behind the list.)
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from queuecheck.kube import Api, ApiError, Changed, Interrupted, Listed, ListWatch, Resource
from queuecheck.timeline.failure import HarnessError
from queuecheck.timeline.timeline import Streams, Timeline

START_SECONDS = 20.0
STOP_SECONDS = 5.0


@dataclass
class _Stream:
    resource: Resource
    namespace: str
    watch: ListWatch
    thread: threading.Thread | None = None
    listed: threading.Event = field(default_factory=threading.Event)
    trouble: str = ""

    def brings(self, kind: str, namespace: str) -> bool:
        """Whether objects of that kind and namespace come from this stream."""
        return self.resource.kind == kind and self.namespace in {"", namespace}

    @property
    def label(self) -> str:
        where = f" in namespace {self.namespace}" if self.namespace else ""
        return f"{self.resource.plural}{where}"


class Recorder:
    """Fills ``timeline`` from the API server. ``namespace`` "" is all namespaces."""

    def __init__(
        self, api: Api, timeline: Timeline, watches: Sequence[tuple[Resource, str]]
    ) -> None:
        self._api = api
        self._timeline = timeline
        self._watches = tuple(watches)
        self._streams: list[_Stream] = []

    def start(self, *, within: float = START_SECONDS) -> None:
        """Returns when every first list is in. Raises HarnessError that names what is not."""
        self._timeline.attach(self.catch_up)
        self._open(self._watches, within=within)

    def add_namespace(
        self, namespace: str, resources: Sequence[Resource], *, within: float = START_SECONDS
    ) -> None:
        """Watches these kinds in one more namespace; returns when their first lists are in."""
        self._open([(resource, namespace) for resource in resources], within=within)

    def stop(self, *, within: float = STOP_SECONDS) -> None:
        """Ends every watch. Raises HarnessError that names one that does not end."""
        for stream in self._streams:
            stream.watch.stop()
        end = self._timeline.now() + within
        for stream in self._streams:
            if stream.thread is not None:
                stream.thread.join(max(0.0, end - self._timeline.now()))
        stuck = [s.label for s in self._streams if s.thread is not None and s.thread.is_alive()]
        self._streams.clear()
        if stuck:
            raise HarnessError(f"the watch of {', '.join(stuck)} did not end in {within} s")

    def catch_up(self, within: float, streams: Streams) -> None:
        """Returns when all that was written to these kinds and namespaces is in the timeline."""
        end = self._timeline.now() + within
        for stream in list(self._streams):
            if any(stream.brings(kind, namespace) for kind, namespace in streams):
                self._catch_up(stream, end=end, within=within)

    def _catch_up(self, stream: _Stream, *, end: float, within: float) -> None:
        try:
            listed = self._api.list(stream.resource, namespace=stream.namespace or None)
        except ApiError as error:
            raise HarnessError(f"cannot list {stream.label} to catch up: {error}") from error
        wanted = {
            (str(item["metadata"].get("namespace", "")), str(item["metadata"]["name"])): int(
                item["metadata"]["resourceVersion"]
            )
            for item in listed.items
        }
        while True:
            changes = self._timeline.changes()
            known = self._timeline.newest(stream.resource.kind, stream.namespace)
            behind = [
                key
                for key, version in wanted.items()
                if key not in known or known[key].resource_version < version
            ]
            stale = [
                key
                for key, seen in known.items()
                if key not in wanted
                and seen.live is not None
                and seen.resource_version <= int(listed.resource_version)
            ]
            if not behind and not stale:
                return
            if not self._timeline.wait(seen=changes, until=end):
                raise HarnessError(
                    f"the watch of {stream.label} is more than {within:g} s behind: "
                    f"{(behind + stale)[0][1]} is not as the server has it"
                )

    def _open(self, watches: Sequence[tuple[Resource, str]], *, within: float) -> None:
        opened = [
            _Stream(resource, namespace, self._list_watch(resource, namespace))
            for resource, namespace in watches
        ]
        for stream in opened:
            stream.thread = threading.Thread(
                target=self._run,
                args=(stream,),
                name=f"recorder of {stream.label}",
                daemon=True,
            )
            self._streams.append(stream)
            stream.thread.start()
        end = self._timeline.now() + within
        for stream in opened:
            if not stream.listed.wait(max(0.0, end - self._timeline.now())):
                trouble = f": {stream.trouble}" if stream.trouble else ""
                self.stop()
                raise HarnessError(
                    f"the first list of {stream.label} did not come within {within:g} s{trouble}"
                )

    def _list_watch(self, resource: Resource, namespace: str) -> ListWatch:
        return ListWatch(self._api, resource, namespace=namespace or None)

    def _run(self, stream: _Stream) -> None:
        try:
            self._record(stream)
        except Exception as error:  # noqa: BLE001  a thread's error must reach the claims
            self._timeline.fail(f"{stream.label}: {type(error).__name__}: {error}")

    def _record(self, stream: _Stream) -> None:
        kind = stream.resource.kind
        for item in stream.watch:
            match item:
                case Listed(objects, resource_version):
                    self._timeline.relist(
                        kind, stream.namespace, objects, resource_version=int(resource_version)
                    )
                    stream.listed.set()
                case Changed(verb, found):
                    self._timeline.observe(kind, verb, found)
                case Interrupted(reason):
                    stream.trouble = reason
                    if stream.listed.is_set():
                        self._timeline.gap(kind, stream.namespace, reason)
