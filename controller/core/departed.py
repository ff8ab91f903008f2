"""What the pods of a deleted Job still hold.

A Job's unit can be gone before its pods are. Until they are, the queue stays charged for them: for
no more than the unit held when it was seen last, and for nothing that a unit that has come back for
the same Job holds itself. A ledger that has never seen the unit cannot know of it; this is the one
thing that a restart forgets.
"""

from dataclasses import dataclass

from controller.core import decode
from controller.core.decisions import Object
from controller.core.jobs import model
from controller.core.jobs.counts import remaining
from controller.core.model import Unit, UnitKey
from controller.core.quantity import Resources, largest, times
from controller.core.quotas import difference


@dataclass
class _Left:
    """A unit that has gone, and what its queue is charged for its Job's pods now."""

    queue: str
    key: UnitKey
    replicas: int
    cost: Resources
    charged: Resources


class Departed:
    """The pods of every Job by its UID, and the units that went before them."""

    def __init__(self) -> None:
        self._pods: dict[str, set[str]] = {}
        self._owners: dict[str, str] = {}
        self._left: dict[str, _Left] = {}

    def note_pod(self, raw: Object, *, deleted: bool) -> frozenset[str]:
        """Take note of a pod; returns the UIDs of the Jobs that have another number of pods now."""
        pod = model.pod(raw)
        uid = decode.text(raw, "metadata", "uid") or decode.text(raw, "metadata", "name")
        before = self._owners.get(uid)
        after = pod.job_uid if pod and not deleted and remaining((pod,)) else None
        if before == after:
            return frozenset()
        if before is not None:
            del self._owners[uid]
            self._pods[before].discard(uid)
            if not self._pods[before]:
                del self._pods[before]
        if after is not None:
            self._owners[uid] = after
            self._pods.setdefault(after, set()).add(uid)
        return frozenset(job for job in (before, after) if job in self._left)

    def note_gone(self, unit: Unit) -> None:
        """Remember a unit that is gone, if pods of its Job may hold what it held."""
        if not unit.job_uid or not unit.reserves or unit.job_uid not in self._pods:
            return
        cost: dict[str, int] = {}
        for pod_set in unit.pod_sets:
            if unit.held_replicas.get(pod_set.name, 0) > 0:
                # A Job's unit has one podSet; which pod is of which cannot be told for others.
                cost = largest(cost, pod_set.cost)
        replicas = sum(unit.held_replicas.values())
        known = self._left.get(unit.job_uid)
        if known:
            known.replicas = max(known.replicas, replicas)
        else:
            self._left[unit.job_uid] = _Left(unit.queue, unit.key, replicas, cost, {})

    def key(self, job_uid: str) -> UnitKey | None:
        """The key of the unit that went, if pods of that Job are charged without it."""
        left = self._left.get(job_uid)
        return left.key if left else None

    def recharge(self, job_uid: str, present: Unit | None) -> tuple[str, Resources]:
        """What has to be added to the charge of which queue, so that it is right again.

        ``present`` is the unit that has the name now, whichever Job it stands for.
        """
        left = self._left[job_uid]
        returned = present is not None and present.job_uid == job_uid
        held = sum(present.held_replicas.values()) if present and returned else 0
        pods = len(self._pods.get(job_uid, ()))
        owed = times(left.cost, max(0, min(pods, left.replicas) - held))
        more = difference(owed, left.charged)
        left.charged = owed
        if not pods:
            del self._left[job_uid]
        return left.queue, more
