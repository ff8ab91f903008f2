"""A NodeDriver on nodes with machines, where a real kubelet starts what is bound.

It writes to pods and to nothing else: what a node is called, labelled or able to do stays as it is.
A thread follows all pods of the cluster and takes care of those that wait for a slot of ours; what
is written into them is in ``held_pods``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from queuecheck.cluster import held_pods
from queuecheck.cluster.orders import Order
from queuecheck.cluster.pods import is_leaving, is_over, phase, uid, version
from queuecheck.cluster.tending import Tending
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
    WatchItem,
)
from queuecheck.kube.resource import PODS


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
        self._pods: dict[str, KubeObject] = {}
        self._slots: dict[str, _Slot] = {}
        self._slot_of: dict[str, str] = {}  # by UID: a pod that was let in does not tell it
        # A request came to nothing, or only its answer was lost: such a pod is read again first.
        self._doubtful: set[str] = set()
        self._tending = Tending(ListWatch(api, PODS), see=self._see, again=self._clear_up)

    def start(self) -> None:
        """Begins to follow the pods."""
        self._tending.start()

    def placed(self, pod: KubeObject, slot: str) -> KubeObject:
        """See NodeDriver."""
        return held_pods.held(pod, slot, self._workload)

    def open_slot(self, slot: str, *, pods: int) -> None:
        """See NodeDriver."""
        with self._tending.command():
            self._slot(slot).room = pods
            self._tend_slot(slot)

    def run(self, slot: str) -> None:
        """See NodeDriver."""
        with self._tending.command():
            self._slot(slot).running = True
            self._tend_slot(slot)

    def finish(self, slot: str, *, succeeded: int | None = None, failed: int | None = None) -> None:
        """See NodeDriver."""
        with self._tending.command():
            running = sum(phase(pod) == "Running" for pod in self._pods_of(slot))
            self._slot(slot).order.add(succeeded, failed, running=running)
            self._tend_slot(slot)

    def close_slot(self, slot: str) -> None:
        """See NodeDriver."""
        with self._tending.command():
            self._slot(slot).room = 0

    def hindrance(self) -> str | None:
        """See NodeDriver: an image that a node has not, and does not get."""
        with self._tending.lock:
            told = [pod for pod in self._pods.values() if self._is_told_to_run(pod)]
        found = (held_pods.lacking_image(pod, self._workload) for pod in told)
        return next(filter(None, found), None)

    def _is_told_to_run(self, pod: KubeObject) -> bool:
        state = self._slots.get(self._slot_of.get(uid(pod), ""))
        return state is not None and state.running and uid(pod) in state.let_in

    def reset(self) -> None:
        """See NodeDriver."""
        with self._tending.command():
            self._slots.clear()

    def stop(self) -> None:
        """See NodeDriver."""
        self._tending.stop()

    def _slot(self, slot: str) -> _Slot:
        return self._slots.setdefault(slot, _Slot())

    def _see(self, item: WatchItem) -> None:
        if isinstance(item, Listed):
            self._pods = {}
            for pod in item.objects:
                self._take(pod)
            self._slot_of = {k: v for k, v in self._slot_of.items() if k in self._pods}
            for slot in list(self._slots):
                self._tend_slot(slot)
        elif isinstance(item, Changed):
            self._change(item)

    def _change(self, item: Changed) -> None:
        key = uid(item.object)
        if item.verb == "DELETED":
            self._pods.pop(key, None)
            slot = self._slot_of.pop(key, None)
        else:
            self._take(item.object)
            slot = self._slot_of.get(key)
        if slot in self._slots:
            self._tend_slot(slot)

    def _take(self, pod: KubeObject) -> None:
        key = uid(pod)
        slot = held_pods.slot_of(pod)
        if slot is not None:
            self._slot_of[key] = slot
        known = self._pods.get(key)
        if key in self._slot_of and (known is None or version(known) < version(pod)):
            self._pods[key] = pod

    def _pods_of(self, slot: str) -> Iterator[KubeObject]:
        return (pod for pod in list(self._pods.values()) if self._slot_of.get(uid(pod)) == slot)

    def _tend_slot(self, slot: str) -> None:
        """Brings the pods of a slot to where they have to be; harmless if they are there."""
        state = self._slots[slot]
        alive = [pod for pod in self._pods_of(slot) if not is_over(pod)]
        inside = sum(uid(pod) in state.let_in | self._doubtful for pod in alive)
        for pod in alive:
            if uid(pod) in self._doubtful:
                continue
            try:
                if uid(pod) in state.let_in:
                    self._tend(pod, state)
                elif inside < state.room and not is_leaving(pod):
                    self._let_in(pod, state)
                    inside += 1
            except (NotFound, Conflict):
                pass  # deleted meanwhile: the watch is about to say so
            except ApiError as error:
                if not error.transient:
                    raise
                inside += uid(pod) not in state.let_in  # as it may be
                self._doubt(pod)

    def _doubt(self, pod: KubeObject) -> None:
        self._doubtful.add(uid(pod))
        self._tending.owe(uid(pod))

    def _clear_up(self, key: str) -> None:
        """A pod in doubt is looked at as it is now, and tended."""
        pod = self._pods.get(key)
        self._doubtful.discard(key)
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
        slot = self._slot_of.get(key)
        if slot in self._slots:
            self._tend_slot(slot)

    def _let_in(self, pod: KubeObject, state: _Slot) -> None:
        shrinking = held_pods.shrinking(pod)
        if shrinking:
            with suppress(NotFound):  # before 1.33: there, nodes need room for what is asked
                self._patch(pod, shrinking, subresource="resize")
        self._patch(pod, held_pods.letting_in(pod, self._workload, start=state.running))
        state.let_in.add(uid(pod))

    def _tend(self, pod: KubeObject, state: _Slot) -> None:
        if is_leaving(pod):
            return
        if state.running and not held_pods.starts(pod, self._workload):
            self._patch(pod, held_pods.starting(pod, self._workload))
        if phase(pod) == "Running" and uid(pod) not in state.ended:
            end = state.ends.get(uid(pod)) or state.order.next_phase()
            if end is not None:
                state.ends[uid(pod)] = end
                self._patch(pod, held_pods.ending(pod, self._workload, end))
                state.ended.add(uid(pod))

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
