"""Watches that scenarios share: a kind is watched once for a worker, not once for a scenario.

A stream has readers, each a timeline and the namespace that it wants of the stream. A feed that is
``wide`` watches all namespaces at once and keeps its streams to the end; another one watches only
the namespaces that are read, each for as long as somebody reads it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from queuecheck.kube import (
    Api,
    ApiError,
    Changed,
    Interrupted,
    KubeObject,
    Listed,
    ListWatch,
    Resource,
)
from queuecheck.timeline.failure import HarnessError
from queuecheck.timeline.timeline import Timeline

STOP_SECONDS = 15.0  # one that is just being opened waits for its server first
Watch = tuple[Resource, str]


@dataclass(frozen=True)
class _Reader:
    timeline: Timeline
    namespace: str  # "" is all of them
    selects: bool  # it does not want all that the stream brings

    def wants(self, found: KubeObject) -> bool:
        return not self.selects or found["metadata"].get("namespace", "") == self.namespace


@dataclass
class _Stream:
    """One watch; ``namespace`` "" is all of them. ``lock`` orders readers and what comes in."""

    resource: Resource
    namespace: str
    watch: ListWatch
    lock: threading.Lock = field(default_factory=threading.Lock)
    readers: list[_Reader] = field(default_factory=list)
    listed: threading.Event = field(default_factory=threading.Event)
    trouble: str = ""
    interrupted: str = ""  # why it brings nothing at present, until the next list
    thread: threading.Thread | None = None

    @property
    def label(self) -> str:
        return label(self.resource, self.namespace)

    def reader(self, timeline: Timeline, namespace: str) -> _Reader:
        """Who wants that namespace of it."""
        return _Reader(timeline, namespace, selects=namespace != self.namespace)

    def join(self, timeline: Timeline, namespace: str) -> None:
        """One more reader gets what comes from now on."""
        with self.lock:
            reader = self.reader(timeline, namespace)
            self.readers.append(reader)
            self._tell_of_gap(reader)

    def relist(self, reader: _Reader, listed: Listed) -> None:
        """A list of the reader's own. If the stream is interrupted, it still is after that."""
        with self.lock:
            _relist(self.resource, reader, listed)
            self._tell_of_gap(reader)

    def _tell_of_gap(self, reader: _Reader) -> None:
        if self.interrupted:
            reader.timeline.gap(self.resource.kind, reader.namespace, self.interrupted)

    def take(self, item: Listed | Changed | Interrupted) -> None:
        """Gives each reader what it wants of the item."""
        with self.lock:
            match item:
                case Listed():
                    self.interrupted = ""
                case Interrupted(reason) if self.listed.is_set():
                    self.interrupted = reason
            for reader in self.readers:
                match item:
                    case Listed():
                        _relist(self.resource, reader, item)
                    case Changed(verb, found) if reader.wants(found):
                        reader.timeline.observe(self.resource.kind, verb, found)
                    case Interrupted():
                        self._tell_of_gap(reader)
        if isinstance(item, Listed):
            self.listed.set()
        elif isinstance(item, Interrupted):
            self.trouble = item.reason

    def fail(self, reason: str) -> None:
        """Breaks what the readers claim from now on."""
        with self.lock:
            for reader in self.readers:
                reader.timeline.fail(reason)


class Feed:
    """The streams of one worker. Safe to use from many threads."""

    def __init__(self, api: Api, *, wide: bool) -> None:
        self._api = api
        self._wide = wide
        self._lock = threading.Lock()
        self._streams: dict[tuple[Resource, str], _Stream] = {}

    def join(
        self,
        timeline: Timeline,
        watches: Sequence[Watch],
        *,
        fresh: Collection[str] = (),
        within: float,
    ) -> None:
        """The timeline gets what is written from now on; returns when what there was is in it.

        The namespaces in ``fresh`` were made just now: nothing in them has to be listed. Raises
        HarnessError that names a kind whose first list does not come ``within`` so many seconds.
        """
        end = time.monotonic() + within
        joined = [self._join(timeline, resource, namespace) for resource, namespace in watches]
        for (resource, namespace), (stream, opened) in zip(watches, joined, strict=True):
            if not stream.listed.wait(max(0.0, end - time.monotonic())):
                trouble = f": {stream.trouble}" if stream.trouble else ""
                raise HarnessError(
                    f"the first list of {stream.label} did not come within {within:g} s{trouble}"
                )
            if not opened and namespace not in fresh:
                # The stream brings changes only, and may be a moment behind what is there.
                listed = self.list(resource, namespace)
                stream.relist(stream.reader(timeline, namespace), listed)

    def leave(self, timeline: Timeline, *, within: float = STOP_SECONDS) -> None:
        """Nothing more comes to the timeline. Raises HarnessError for a watch that does not end."""
        unread = []
        with self._lock:
            for key, stream in list(self._streams.items()):
                with stream.lock:
                    stream.readers = [r for r in stream.readers if r.timeline is not timeline]
                if not stream.readers and not self._wide:
                    unread.append(self._streams.pop(key))
        _end(unread, within=within)

    def stop(self, *, within: float = STOP_SECONDS) -> None:
        """Ends every watch. Raises HarnessError that names one that does not end."""
        with self._lock:
            streams = list(self._streams.values())
            self._streams.clear()
        _end(streams, within=within)

    def list(self, resource: Resource, namespace: str) -> Listed:
        """The collection as the server has it now. Raises HarnessError."""
        try:
            found = self._api.list(resource, namespace=namespace or None)
        except ApiError as error:
            where = label(resource, namespace)
            raise HarnessError(f"cannot list {where}: {error}") from error
        return Listed(found.items, found.resource_version)

    def _join(self, timeline: Timeline, resource: Resource, namespace: str) -> tuple[_Stream, bool]:
        """The stream, and whether it had to be opened: then its first list goes to the reader."""
        scope = "" if self._wide else namespace
        with self._lock:
            stream = self._streams.get((resource, scope))
            if opened := stream is None:
                watch = ListWatch(self._api, resource, namespace=scope or None)
                stream = self._streams[resource, scope] = _Stream(resource, scope, watch)
            stream.join(timeline, namespace)
            if opened:
                self._start(stream)
        return stream, opened

    def _start(self, stream: _Stream) -> None:
        stream.thread = threading.Thread(
            target=self._run, args=(stream,), name=f"watch of {stream.label}", daemon=True
        )
        stream.thread.start()

    def _run(self, stream: _Stream) -> None:
        try:
            for item in stream.watch:
                stream.take(item)
        except Exception as error:  # noqa: BLE001  a thread's error must reach the claims
            with self._lock:
                if self._streams.get((stream.resource, stream.namespace)) is stream:
                    del self._streams[stream.resource, stream.namespace]  # the next opens it anew
            stream.fail(f"{stream.label}: {type(error).__name__}: {error}")


def label(resource: Resource, namespace: str) -> str:
    """A stream's name in messages."""
    return f"{resource.plural} in namespace {namespace}" if namespace else resource.plural


def _relist(resource: Resource, reader: _Reader, listed: Listed) -> None:
    reader.timeline.relist(
        resource.kind,
        reader.namespace,
        [found for found in listed.objects if reader.wants(found)],
        resource_version=int(listed.resource_version),
    )


def _end(streams: list[_Stream], *, within: float) -> None:
    for stream in streams:
        stream.watch.stop()
    end = time.monotonic() + within
    for stream in streams:
        if stream.thread is not None:
            stream.thread.join(max(0.0, end - time.monotonic()))
    stuck = [s.label for s in streams if s.thread is not None and s.thread.is_alive()]
    if stuck:
        raise HarnessError(f"the watch of {', '.join(stuck)} did not end in {within:g} s")
