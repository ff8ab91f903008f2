"""Pods that a real kubelet shall start and end when told to: what is written into them, and when.

Before its Job is created, a pod's spec gets a *scheduling gate* with the name of its slot and, for
each container, an image that does not exist. So the scheduler does not look at it before the gate
is taken away, and no container of it starts before its image is replaced. Both may be changed in a
pod that is there, as little else may. A container whose image is replaced while it runs is started
again with the new one, whatever the restart policy: that is how it ends when told to.

What a pod asks for is made small right before its gate is taken away: queue, Job and unit keep the
numbers of the text, and a node of two processors has room for all of it.

All functions are pure; patches are JSON patches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from queuecheck.cluster.pods import waits
from queuecheck.cluster.workload import Workload
from queuecheck.kube import KubeObject

GATE_DOMAIN = "slot.queuecheck.dev"
SMALL = "10m"
# A container is held to its limit from its first moment on, and needs some to start at all.
SMALL_LIMIT = "100m"
MILLI = re.compile(r"(\d+)m")
KINDS = ("initContainers", "containers")
# A SIGTERM that comes before a program waits for it is lost, and then this goes by. Kubelets make
# two seconds of it.
GRACE_SECONDS = 1
LACKING = frozenset({"ErrImageNeverPull", "ImagePullBackOff"})
JsonPatch = list[KubeObject]


def held(pod: KubeObject, slot: str, workload: Workload) -> KubeObject:
    """The spec of a pod that waits for the slot, and then for an image.

    The commands go: the images have programs of their own. So does the token of the service
    account, which nothing in them would use and a node would have to fetch. There is no reason to
    be patient with them when they are to end, unless the text gives one.
    """
    gate = {"name": f"{GATE_DOMAIN}/{slot}"}
    containers = {
        kind: [_held_container(each, workload) for each in pod[kind]]
        for kind in KINDS
        if kind in pod
    }
    return {
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        **pod,
        **containers,
        "automountServiceAccountToken": False,
        "schedulingGates": [*(pod.get("schedulingGates") or ()), gate],
    }


def slot_of(pod: KubeObject) -> str | None:
    """The slot that a pod waits for; None if for none, or not any more."""
    for gate in _gates(pod):
        if gate.startswith(f"{GATE_DOMAIN}/"):
            return gate.removeprefix(f"{GATE_DOMAIN}/")
    return None


def shrinking(pod: KubeObject) -> JsonPatch:
    """For the subresource ``resize``: no container asks for more cpu than it needs."""
    return list(_shrinking(pod))


def letting_in(pod: KubeObject, workload: Workload, *, start: bool) -> JsonPatch:
    """The gate is gone; with ``start``, the images are there at once, too."""
    places = [place for place, gate in enumerate(_gates(pod)) if gate.startswith(f"{GATE_DOMAIN}/")]
    gone = [{"op": "remove", "path": f"/spec/schedulingGates/{place}"} for place in places]
    return [*gone, *(starting(pod, workload) if start else ())]


def starting(pod: KubeObject, workload: Workload) -> JsonPatch:
    """Every container has something to run; what comes before the others ends by itself."""
    images = []
    for kind, container in _containers(pod):
        first = kind == "initContainers" and container.get("restartPolicy") != "Always"
        images.append(workload.succeeds if first else workload.runs)
    return _images(pod, images)


def ending(pod: KubeObject, workload: Workload, phase: str) -> JsonPatch:
    """Every container ends so that the pod ends in that phase; sidecars are ended by the node."""
    end = workload.succeeds if phase == "Succeeded" else workload.fails
    images = [
        end if kind == "containers" else container["image"] for kind, container in _containers(pod)
    ]
    return _images(pod, images)


def starts(pod: KubeObject, workload: Workload) -> bool:
    """Whether no container of it is held back any more."""
    return all(container["image"] != workload.held for _, container in _containers(pod))


def lacking_image(pod: KubeObject, workload: Workload) -> str | None:
    """A node's own words where it has not, and does not get, what a container shall run.

    That the image which holds a container back is nowhere is no such lack, nor is a first pull that
    has failed: the node tries again.
    """
    for wait in waits(pod):
        # The words may still be about the image before this one.
        if wait.reason in LACKING and workload.held not in (wait.image, *wait.message.split('"')):
            return f"a pod does not start on node {pod['spec'].get('nodeName')}: {wait}"
    return None


def _held_container(container: KubeObject, workload: Workload) -> KubeObject:
    kept = {key: value for key, value in container.items() if key not in {"command", "args"}}
    return {**kept, "image": workload.held, "imagePullPolicy": workload.policy}


def _gates(pod: KubeObject) -> list[str]:
    return [str(gate["name"]) for gate in pod["spec"].get("schedulingGates") or ()]


def _containers(pod: KubeObject) -> Iterator[tuple[str, KubeObject]]:
    return ((kind, each) for kind in KINDS for each in pod["spec"].get(kind) or ())


def _images(pod: KubeObject, images: Iterable[str]) -> JsonPatch:
    patch: JsonPatch = []
    counts = dict.fromkeys(KINDS, 0)
    for (kind, container), image in zip(_containers(pod), images, strict=True):
        if container["image"] != image:
            path = f"/spec/{kind}/{counts[kind]}/image"
            patch.append({"op": "replace", "path": path, "value": image})
        counts[kind] += 1
    return patch


def _shrinking(pod: KubeObject) -> Iterator[KubeObject]:
    # What an init container asks for cannot be changed.
    for place, container in enumerate(pod["spec"]["containers"]):
        resources: dict[str, Any] = container.get("resources") or {}
        asked = (resources.get("requests") or {}).get("cpu")
        limit = (resources.get("limits") or {}).get("cpu")
        path = f"/spec/containers/{place}/resources"
        if limit is not None and limit == asked:
            # To be of the class Guaranteed, or not to be, is what a resize may not change.
            small = SMALL_LIMIT
            if not _within(limit, small):
                yield {"op": "replace", "path": f"{path}/limits/cpu", "value": small}
        else:
            small = SMALL
        if asked is not None and not _within(asked, small):
            yield {"op": "replace", "path": f"{path}/requests/cpu", "value": small}


def _within(quantity: object, small: str) -> bool:
    """Whether it is that little, as the server writes quantities."""
    text = str(quantity)
    found, most = MILLI.fullmatch(text), MILLI.fullmatch(small)
    assert most is not None
    return text == "0" or (found is not None and int(found[1]) <= int(most[1]))
