"""Waiting for a state of objects of one kind, by watching them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from queuecheck.cluster.errors import ClusterError
from queuecheck.kube import Api, Changed, KubeObject, Listed, ListWatch, Resource

Objects = Mapping[str, KubeObject]


def await_objects(
    api: Api,
    resource: Resource,
    condition: Callable[[Objects], bool],
    *,
    what: str,
    seconds: float,
    namespace: str | None = None,
) -> None:
    """Returns once the condition holds of the kind's objects by name. Raises ClusterError."""
    watch = ListWatch(api, resource, namespace=namespace)
    timer = threading.Timer(seconds, watch.stop)
    timer.daemon = True
    timer.start()
    objects: dict[str, KubeObject] = {}
    try:
        for item in watch:
            if isinstance(item, Listed):
                objects = {_name(each): each for each in item.objects}
            elif isinstance(item, Changed) and item.verb == "DELETED":
                objects.pop(_name(item.object), None)
            elif isinstance(item, Changed):
                objects[_name(item.object)] = item.object
            if condition(objects):
                return
    finally:
        timer.cancel()
        watch.stop()
    raise ClusterError(f"{what}: not seen within {seconds:g} s")


def _name(body: KubeObject) -> str:
    return str(body["metadata"]["name"])
