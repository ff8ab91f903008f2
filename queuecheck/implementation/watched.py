"""Collections that are watched: for so long and no longer, or beside everything else."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from queuecheck.kube import (
    Api,
    Changed,
    Interrupted,
    KubeObject,
    Listed,
    ListWatch,
    Resource,
    WatchItem,
)

FIRST_SECONDS = 5.0


class Watched:
    """Iterates over the collection as it is now, and again after each change, till time is over.

    ``objects`` is what it was last, ``interruption`` why the server could not be followed.
    """

    def __init__(
        self,
        api: Api,
        resource: Resource,
        *,
        namespace: str,
        seconds: float,
        labels: str | None = None,
        fields: str | None = None,
    ) -> None:
        self.objects: tuple[KubeObject, ...] = ()
        self.interruption = ""
        self._seconds = seconds
        self._watch = ListWatch(
            api, resource, namespace=namespace, label_selector=labels, field_selector=fields
        )

    def __iter__(self) -> Iterator[tuple[KubeObject, ...]]:
        timer = threading.Timer(self._seconds, self._watch.stop)
        timer.daemon = True
        timer.start()
        known: dict[str, KubeObject] = {}
        try:
            for item in self._watch:
                if isinstance(item, Interrupted):
                    self.interruption = item.reason
                    continue
                _take(known, item)
                self.objects = tuple(known.values())
                yield self.objects
        finally:
            timer.cancel()
            self._watch.stop()


class Followed:
    """A collection as a watch of its own last showed it, from the first ``objects`` to ``stop``."""

    def __init__(self, api: Api, resource: Resource, *, namespace: str, labels: str) -> None:
        self._watch = ListWatch(api, resource, namespace=namespace, label_selector=labels)
        self._known: dict[str, KubeObject] = {}
        self._lock = threading.Lock()
        self._listed = threading.Event()
        self._thread: threading.Thread | None = None

    def objects(self) -> tuple[KubeObject, ...]:
        """All there are, a moment ago; none while the server has not answered yet."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._follow, name="pods", daemon=True)
                self._thread.start()
        self._listed.wait(FIRST_SECONDS)
        with self._lock:
            return tuple(self._known.values())

    def stop(self) -> None:
        """Ends the watch; harmless if there is none."""
        self._watch.stop()
        if self._thread is not None:
            self._thread.join(FIRST_SECONDS)

    def _follow(self) -> None:
        for item in self._watch:
            with self._lock:
                _take(self._known, item)
            if isinstance(item, Listed):
                self._listed.set()


def _take(known: dict[str, KubeObject], item: WatchItem) -> None:
    if isinstance(item, Listed):
        known.clear()
        known.update({each["metadata"]["uid"]: each for each in item.objects})
    elif isinstance(item, Changed):
        uid = item.object["metadata"]["uid"]
        if item.verb == "DELETED":
            known.pop(uid, None)
        else:
            known[uid] = item.object
