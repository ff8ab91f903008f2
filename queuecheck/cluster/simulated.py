"""Nodes without machines: Node objects, and one thread that plays the kubelet of all of them.

Each open slot has a node of its own, labelled with it, that takes as many pods as were asked for;
so the real scheduler does the binding. The kubelet follows the bound pods by a watch and writes
their status; it finishes the deletion of bound pods, which nobody else does. A node goes back to
the pool when its slot is closed and its last pod is gone.

On a cluster that is not ours alone others have nodes too: only pods on the nodes made here are
touched, the nodes say by a heartbeat that they are alive, and ``remove`` takes them away.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from queuecheck.cluster.nodes import SLOT_LABEL
from queuecheck.cluster.orders import Order
from queuecheck.cluster.pods import is_leaving, phase, uid, version
from queuecheck.cluster.tending import Tending
from queuecheck.kube import (
    Api,
    ApiError,
    Changed,
    Conflict,
    KubeObject,
    Listed,
    ListWatch,
    NotFound,
    WatchItem,
    going_on,
)
from queuecheck.kube.resource import NODES, PODS

POOL = 8
# A control plane that looks after its nodes gives one up that has been silent for 40 s.
HEARTBEAT_SECONDS = 10.0
ALLOCATABLE = {"cpu": "100000", "memory": "100Ti", "ephemeral-storage": "100Ti"}


class SimulatedNodes:
    """A NodeDriver that makes its nodes itself.

    They are called ``<prefix>-0`` and so on, carry ``labels``, and have a heartbeat if asked for.
    """

    def __init__(
        self,
        api: Api,
        *,
        prefix: str = "simulated",
        labels: Mapping[str, str] | None = None,
        heartbeat: bool = False,
    ) -> None:
        self._api = api
        self._prefix = prefix
        self._labels = dict(labels or {})
        self._born = _now()
        self._stopped = threading.Event()
        self._heart = (
            threading.Thread(target=self._beat, name="heartbeat", daemon=True)
            if heartbeat
            else None
        )
        self._pods: dict[str, KubeObject] = {}
        self._begun: list[str] = []  # nodes that are there, or may be
        self._nodes: list[str] = []
        self._slots: dict[str, str] = {}
        self._running: set[str] = set()
        self._orders: dict[str, Order] = {}
        self._ends: dict[str, str] = {}  # by UID: the phase of a pod that is spoken for
        self._released: set[str] = set()
        self._tending = Tending(
            ListWatch(api, PODS, field_selector="spec.nodeName!="),
            see=self._see,
            again=self._tend_again,
        )

    def start(self) -> None:
        """Makes the nodes, and begins to follow the pods on them."""
        for _ in range(POOL):
            self._add_node()
        self._tending.start()
        if self._heart is not None:
            self._heart.start()

    def placed(self, pod: KubeObject, slot: str) -> KubeObject:
        """See NodeDriver: a label of a node that it selects."""
        return {**pod, "nodeSelector": {**(pod.get("nodeSelector") or {}), SLOT_LABEL: slot}}

    def open_slot(self, slot: str, *, pods: int) -> None:
        """See NodeDriver."""
        with self._tending.command():
            node = self._slots.get(slot) or self._free_node()
            self._slots[slot] = node
            self._make_room(node, pods)
            self._label(node, slot)

    def run(self, slot: str) -> None:
        """See NodeDriver."""
        with self._tending.command():
            self._running.add(slot)
            self._tend_slot(slot)

    def finish(self, slot: str, *, succeeded: int | None = None, failed: int | None = None) -> None:
        """See NodeDriver."""
        with self._tending.command():
            running = sum(phase(pod) == "Running" for pod in self._pods_of(slot))
            self._orders.setdefault(slot, Order()).add(succeeded, failed, running=running)
            self._tend_slot(slot)

    def close_slot(self, slot: str) -> None:
        """See NodeDriver."""
        with self._tending.command():
            if slot in self._slots:
                self._shut(self._slots[slot])

    def hindrance(self) -> str | None:
        """See NodeDriver. Nothing is needed here that could be missing."""
        return None

    def reset(self) -> None:
        """See NodeDriver."""
        with self._tending.command():
            for node in self._slots.values():
                self._shut(node)
            self._slots.clear()
            self._running.clear()
            self._orders.clear()
            self._ends.clear()

    def stop(self) -> None:
        """See NodeDriver."""
        self._stopped.set()
        self._tending.stop()
        if self._heart is not None and self._heart.is_alive():
            self._heart.join(5)

    def remove(self) -> list[str]:
        """Takes the nodes away, after ``stop``, and the pods that are still on them.

        Told what the server refuses. Raises Unreachable.
        """
        refused: list[str] = []
        with self._tending.lock:
            for pod in self._pods.values():
                with going_on(refused), suppress(Conflict):
                    self._release(pod)
            for node in self._begun:
                with going_on(refused):
                    self._api.delete(NODES, node)
            self._begun.clear()
            self._nodes.clear()
        return refused

    def _add_node(self) -> str:
        name = f"{self._prefix}-{len(self._begun)}"
        labels = {**self._labels, "kubernetes.io/hostname": name}
        body: KubeObject = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
        }
        self._begun.append(name)  # before it is there: an answer can be lost, or a Ctrl-C come
        self._api.create(NODES, body)
        # Admission puts a not-ready taint on every new node, and leaves it to others to remove.
        self._api.patch(NODES, name, {"spec": {"taints": None}})
        room = {**ALLOCATABLE, "pods": "0"}
        status = {"capacity": room, "allocatable": room, "conditions": [self._ready()]}
        self._api.patch(NODES, name, {"status": status}, subresource="status")
        self._nodes.append(name)
        return name

    def _ready(self) -> KubeObject:
        return {
            "type": "Ready",
            "status": "True",
            "reason": "Simulated",
            "message": "a node without a machine",
            "lastHeartbeatTime": _now(),
            "lastTransitionTime": self._born,
        }

    def _beat(self) -> None:
        while not self._stopped.wait(HEARTBEAT_SECONDS):
            for node in list(self._nodes):
                # A beat that is lost is made up for by the next one.
                with suppress(ApiError):
                    self._api.patch(
                        NODES,
                        node,
                        {"status": {"conditions": [self._ready()]}},
                        subresource="status",
                    )

    def _free_node(self) -> str:
        taken = set(self._slots.values())
        taken |= {pod["spec"]["nodeName"] for pod in self._pods.values()}
        for node in self._nodes:
            if node not in taken and not self._has_pods(node):
                return node
        return self._add_node()

    def _has_pods(self, node: str) -> bool:
        """As the server knows: of what was bound just before a reset the watch may not."""
        return bool(self._api.list(PODS, field_selector=f"spec.nodeName={node}").items)

    def _shut(self, node: str) -> None:
        """No slot, and no room either: pods that ask for no slot must not land on it."""
        self._label(node, None)
        self._make_room(node, 0)

    def _make_room(self, node: str, pods: int) -> None:
        room = {"capacity": {"pods": str(pods)}, "allocatable": {"pods": str(pods)}}
        self._api.patch(NODES, node, {"status": room}, subresource="status")

    def _label(self, node: str, slot: str | None) -> None:
        self._api.patch(NODES, node, {"metadata": {"labels": {SLOT_LABEL: slot}}})

    def _see(self, item: WatchItem) -> None:
        if isinstance(item, Listed):
            self._pods = {uid(pod): pod for pod in item.objects if self._ours(pod)}
            self._released &= self._pods.keys()
            self._ends = {k: v for k, v in self._ends.items() if k in self._pods}
            for pod in list(self._pods.values()):
                self._tend(pod)
        elif isinstance(item, Changed) and self._ours(item.object):
            self._take(item)

    def _take(self, item: Changed) -> None:
        key = uid(item.object)
        if item.verb == "DELETED":
            self._pods.pop(key, None)
            self._ends.pop(key, None)
            self._released.discard(key)
            return
        known = self._pods.get(key)
        if known is None or version(known) < version(item.object):
            self._pods[key] = item.object
        self._tend(self._pods[key])

    def _ours(self, pod: KubeObject) -> bool:
        return pod["spec"].get("nodeName") in self._nodes

    def _pods_of(self, slot: str) -> Iterator[KubeObject]:
        return (pod for pod in list(self._pods.values()) if _slot(pod) == slot)

    def _tend_slot(self, slot: str) -> None:
        for pod in self._pods_of(slot):
            self._tend(pod)

    def _tend(self, pod: KubeObject) -> None:
        """Brings one pod to where it has to be; harmless if it is there."""
        try:
            if is_leaving(pod):
                self._release(pod)
                return
            slot = _slot(pod)
            if phase(pod) == "Pending" and slot in self._running:
                pod = self._write(pod, _started(pod))
            if phase(pod) == "Running" and (end := self._end_of(pod)):
                self._write(pod, _ended(pod, end))
        except (NotFound, Conflict):
            pass  # deleted, or replaced by another of its name: the watch is about to say so
        except ApiError as error:
            if not error.transient:
                raise
            self._tending.owe(uid(pod))

    def _tend_again(self, key: str) -> None:
        if key in self._pods:
            self._tend(self._pods[key])

    def _end_of(self, pod: KubeObject) -> str | None:
        """How it has to end: what was ordered of it, also where writing that has failed before."""
        order = self._orders.get(_slot(pod))
        if uid(pod) not in self._ends and order and (end := order.next_phase()):
            self._ends[uid(pod)] = end
        return self._ends.get(uid(pod))

    def _release(self, pod: KubeObject) -> None:
        if uid(pod) in self._released:
            return
        metadata = pod["metadata"]
        self._api.delete(
            PODS,
            metadata["name"],
            namespace=metadata["namespace"],
            uid=metadata["uid"],
            grace_seconds=0,
        )
        self._released.add(uid(pod))

    def _write(self, pod: KubeObject, status: KubeObject) -> KubeObject:
        metadata = pod["metadata"]
        written = self._api.patch(
            PODS,
            metadata["name"],
            {"metadata": {"uid": metadata["uid"]}, "status": status},
            namespace=metadata["namespace"],
            subresource="status",
        )
        self._pods[uid(pod)] = written
        return written


def _started(pod: KubeObject) -> KubeObject:
    now = _now()
    return {
        "phase": "Running",
        "startTime": now,
        "conditions": _conditions(pod, ready=True, now=now),
        "containerStatuses": [
            _container(each, state={"running": {"startedAt": now}}, ready=True)
            for each in pod["spec"]["containers"]
        ],
    }


def _ended(pod: KubeObject, phase: str) -> KubeObject:
    now = _now()
    began = pod["status"].get("startTime", now)
    good = phase == "Succeeded"
    state = {
        "terminated": {
            "exitCode": 0 if good else 1,
            "reason": "Completed" if good else "Error",
            "startedAt": began,
            "finishedAt": now,
        }
    }
    return {
        "phase": phase,
        "conditions": _conditions(pod, ready=False, now=now),
        "containerStatuses": [
            _container(each, state=state, ready=False) for each in pod["spec"]["containers"]
        ],
    }


def _conditions(pod: KubeObject, *, ready: bool, now: str) -> list[KubeObject]:
    """A merge patch replaces a list as a whole, so what is there is repeated."""
    conditions = {each["type"]: each for each in pod["status"].get("conditions", ())}
    truth = {"Initialized": True, "ContainersReady": ready, "Ready": ready}
    for name, true in truth.items():
        status = "True" if true else "False"
        if conditions.get(name, {}).get("status") != status:
            conditions[name] = {"type": name, "status": status, "lastTransitionTime": now}
    return list(conditions.values())


def _container(container: KubeObject, *, state: KubeObject, ready: bool) -> KubeObject:
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "restartCount": 0,
        "ready": ready,
        "started": ready,
        "state": state,
    }


def _slot(pod: KubeObject) -> str:
    return str(pod["spec"].get("nodeSelector", {}).get(SLOT_LABEL, ""))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
