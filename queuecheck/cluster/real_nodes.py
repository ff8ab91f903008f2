"""A NodeDriver on nodes with machines, where a real kubelet starts what is bound.

It writes to pods and to nothing else: what a node is called, labelled or able to do stays as it is.
A thread follows all pods of the cluster and takes care of those that wait for a slot of ours; what
is written into them is in ``held_pods``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from queuecheck.cluster import held_pods
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.orders import Order
from queuecheck.cluster.owed import Owed
from queuecheck.cluster.workload import Workload
from queuecheck.kube import (
    Api,
    ApiError,
    Changed,
    Conflict,
    KubeObject,
    Listed,
    ListWatch,
    NotFound,
)
from queuecheck.kube.resource import PODS

OVER = frozenset({"Succeeded", "Failed"})


@dataclass
class _Slot:
    """``room`` for so many pods; those that were ``let_in`` and ``ended`` by us, by UID.

    ``ends`` is how pods end that are spoken for.
    """

    room: int = 0
    running: bool = False
    order: Order = field(default_factory=Order)
    let_in: set[str] = field(default_factory=set)
    ends: dict[str, str] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)


class RealNodes:
    """See the module. ``workload`` is what there is on the nodes, or where they pull it from."""

    def __init__(self, api: Api, workload: Workload) -> None:
        self._api = api
        self._workload = workload
        self._lock = threading.RLock()
        self._pods: dict[str, KubeObject] = {}
        self._slots: dict[str, _Slot] = {}
        self._slot_of: dict[str, str] = {}  # by UID: a pod that was let in does not tell it
        # A request came to nothing, or only its answer was lost: such a pod is read again first.
        self._doubtful: set[str] = set()
        self._owed = Owed(self._tend_again)
        self._failure: BaseException | None = None
        self._watch = ListWatch(api, PODS)
        self._thread = threading.Thread(target=self._follow, name="nodes", daemon=True)

    def start(self) -> None:
        """Begins to follow the pods."""
        self._thread.start()

    def placed(self, pod: KubeObject, slot: str) -> KubeObject:
        """See NodeDriver."""
        return held_pods.held(pod, slot, self._workload)

    def open_slot(self, slot: str, *, pods: int) -> None:
        """See NodeDriver."""
        with self._commands():
            self._slot(slot).room = pods
            self._tend_slot(slot)

    def run(self, slot: str) -> None:
        """See NodeDriver."""
        with self._commands():
            self._slot(slot).running = True
            self._tend_slot(slot)

    def finish(self, slot: str, *, succeeded: int | None = None, failed: int | None = None) -> None:
        """See NodeDriver."""
        with self._commands():
            state = self._slot(slot)
            if succeeded is None and failed is None:
                succeeded = sum(1 for pod in self._pods_of(slot) if _phase(pod) == "Running")
            state.order.succeeded += succeeded or 0
            state.order.failed += failed or 0
            self._tend_slot(slot)

    def close_slot(self, slot: str) -> None:
        """See NodeDriver."""
        with self._commands():
            self._slot(slot).room = 0

    def hindrance(self) -> str | None:
        """See NodeDriver: an image that a node has not, and does not get."""
        with self._lock:
            told = [pod for pod in self._pods.values() if self._is_told_to_run(pod)]
        found = (held_pods.lacking_image(pod, self._workload) for pod in told)
        return next(filter(None, found), None)

    def _is_told_to_run(self, pod: KubeObject) -> bool:
        state = self._slots.get(self._slot_of.get(_uid(pod), ""))
        return state is not None and state.running and _uid(pod) in state.let_in

    def reset(self) -> None:
        """See NodeDriver."""
        with self._commands():
            self._slots.clear()

    def stop(self) -> None:
        """See NodeDriver."""
        self._owed.stop()
        self._watch.stop()
        if self._thread.is_alive():
            self._thread.join(5)

    def _commands(self) -> threading.RLock:
        if self._failure is not None:
            raise ClusterError(f"nobody tends the pods any more: {self._failure!r}")
        return self._lock

    def _slot(self, slot: str) -> _Slot:
        return self._slots.setdefault(slot, _Slot())

    def _follow(self) -> None:
        try:
            for item in self._watch:
                with self._lock:
                    if isinstance(item, Listed):
                        self._pods = {}
                        for pod in item.objects:
                            self._take(pod)
                        self._slot_of = {
                            uid: slot for uid, slot in self._slot_of.items() if uid in self._pods
                        }
                        for slot in list(self._slots):
                            self._tend_slot(slot)
                    elif isinstance(item, Changed):
                        self._change(item)
        except Exception as error:
            self._failure = error  # told to whoever gives the next command
            raise

    def _change(self, item: Changed) -> None:
        uid = _uid(item.object)
        if item.verb == "DELETED":
            self._pods.pop(uid, None)
            slot = self._slot_of.pop(uid, None)
        else:
            self._take(item.object)
            slot = self._slot_of.get(uid)
        if slot in self._slots:
            self._tend_slot(slot)

    def _take(self, pod: KubeObject) -> None:
        uid = _uid(pod)
        slot = held_pods.slot_of(pod)
        if slot is not None:
            self._slot_of[uid] = slot
        known = self._pods.get(uid)
        if uid in self._slot_of and (known is None or _version(known) < _version(pod)):
            self._pods[uid] = pod

    def _pods_of(self, slot: str) -> Iterator[KubeObject]:
        return (pod for pod in list(self._pods.values()) if self._slot_of.get(_uid(pod)) == slot)

    def _tend_slot(self, slot: str) -> None:
        """Brings the pods of a slot to where they have to be; harmless if they are there."""
        state = self._slots[slot]
        alive = [pod for pod in self._pods_of(slot) if _phase(pod) not in OVER]
        inside = sum(_uid(pod) in state.let_in | self._doubtful for pod in alive)
        for pod in alive:
            if _uid(pod) in self._doubtful:
                continue
            try:
                if _uid(pod) in state.let_in:
                    self._tend(pod, state)
                elif inside < state.room and not _leaving(pod):
                    self._let_in(pod, state)
                    inside += 1
            except (NotFound, Conflict):
                pass  # deleted meanwhile: the watch is about to say so
            except ApiError as error:
                if not error.transient:
                    raise
                inside += _uid(pod) not in state.let_in  # as it may be
                self._doubt(pod)

    def _doubt(self, pod: KubeObject) -> None:
        self._doubtful.add(_uid(pod))
        self._owed.add(_uid(pod))

    def _tend_again(self, uids: frozenset[str]) -> None:
        with self._lock:
            try:
                for uid in uids:
                    self._clear_up(uid)
            except Exception as error:
                self._failure = error  # told to whoever gives the next command
                raise

    def _clear_up(self, uid: str) -> None:
        """A pod in doubt is looked at as it is now, and tended."""
        pod = self._pods.get(uid)
        self._doubtful.discard(uid)
        if pod is None:
            return
        metadata = pod["metadata"]
        try:
            found = self._api.get(PODS, metadata["name"], namespace=metadata["namespace"])
        except NotFound:
            return  # the watch is about to say so
        except ApiError as error:
            if not error.transient:
                raise
            self._doubt(pod)
            return
        self._take(found)
        slot = self._slot_of.get(uid)
        if slot in self._slots:
            self._tend_slot(slot)

    def _let_in(self, pod: KubeObject, state: _Slot) -> None:
        shrinking = held_pods.shrinking(pod)
        if shrinking:
            with suppress(NotFound):  # before 1.33: there, nodes need room for what is asked
                self._patch(pod, shrinking, subresource="resize")
        self._patch(pod, held_pods.letting_in(pod, self._workload, start=state.running))
        state.let_in.add(_uid(pod))

    def _tend(self, pod: KubeObject, state: _Slot) -> None:
        if _leaving(pod):
            return
        if state.running and not held_pods.starts(pod, self._workload):
            self._patch(pod, held_pods.starting(pod, self._workload))
        if _phase(pod) == "Running" and _uid(pod) not in state.ended:
            phase = state.ends.get(_uid(pod)) or state.order.next_phase()
            if phase is not None:
                state.ends[_uid(pod)] = phase
                self._patch(pod, held_pods.ending(pod, self._workload, phase))
                state.ended.add(_uid(pod))

    def _patch(
        self, pod: KubeObject, patch: held_pods.JsonPatch, *, subresource: str | None = None
    ) -> None:
        if not patch:
            return  # an earlier request has done it, whose answer was lost
        metadata = pod["metadata"]
        self._take(
            self._api.patch(
                PODS,
                metadata["name"],
                patch,
                namespace=metadata["namespace"],
                subresource=subresource,
            )
        )


def _phase(pod: KubeObject) -> str:
    return str((pod.get("status") or {}).get("phase", "Pending"))


def _leaving(pod: KubeObject) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _uid(pod: KubeObject) -> str:
    return str(pod["metadata"]["uid"])


def _version(pod: KubeObject) -> int:
    return int(pod["metadata"]["resourceVersion"])
