"""What keeps pods that are let in from running: nothing that the implementation does."""

from __future__ import annotations

from collections.abc import Iterable

from queuecheck.kube import KubeObject

STARTING = frozenset({"ContainerCreating", "PodInitializing"})
IMAGES = (
    "nodes need the images that queuecheck workload writes, loaded, or pulled by --workload-image"
)


def obstacle(pods: Iterable[KubeObject]) -> str | None:
    """As a node or the scheduler tells it of the first pod that has one: the rest of a sentence."""
    return next(filter(None, map(_obstacle, pods)), None)


def _obstacle(pod: KubeObject) -> str | None:
    status = pod.get("status") or {}
    for condition in status.get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable":
            return f"finds no node: {condition.get('message')}"
    for each in status.get("containerStatuses") or ():
        waiting = (each.get("state") or {}).get("waiting") or {}
        reason = waiting.get("reason")
        if reason and reason not in STARTING:
            need = f"; {IMAGES}" if "Image" in reason else ""
            node = pod["spec"].get("nodeName")
            return f"does not start on node {node}: {reason}: {waiting.get('message')}{need}"
    return None
