"""What keeps pods that are let in from running: nothing that the implementation does."""

from __future__ import annotations

from collections.abc import Iterable

from queuecheck.cluster.pods import waits
from queuecheck.kube import KubeObject

STARTING = frozenset({"ContainerCreating", "PodInitializing"})
IMAGES = (
    "nodes need the images that queuecheck workload writes, loaded, or pulled by --workload-image"
)


def obstacle(pods: Iterable[KubeObject]) -> str | None:
    """As a node or the scheduler tells it of the first pod that has one: the rest of a sentence."""
    return next(filter(None, map(_obstacle, pods)), None)


def _obstacle(pod: KubeObject) -> str | None:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable":
            return f"finds no node: {condition.get('message')}"
    for wait in waits(pod):
        if wait.reason not in STARTING:
            need = f"; {IMAGES}" if "Image" in wait.reason else ""
            return f"does not start on node {pod['spec'].get('nodeName')}: {wait}{need}"
    return None
