"""A collection that is watched for so long and no longer."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from queuecheck.kube import Api, Interrupted, KubeObject, Listed, ListWatch, Resource


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
                if isinstance(item, Listed):
                    known = {each["metadata"]["uid"]: each for each in item.objects}
                elif item.verb == "DELETED":
                    known.pop(item.object["metadata"]["uid"], None)
                else:
                    known[item.object["metadata"]["uid"]] = item.object
                self.objects = tuple(known.values())
                yield self.objects
        finally:
            timer.cancel()
            self._watch.stop()
