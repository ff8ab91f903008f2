"""The core's two ledgers as the worker wants them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from controller.core import JobLedger, QueueLedger
from controller.core.decisions import Kind, Object
from controller.shell.work import Step

JobKey = tuple[str, str]


@dataclass(frozen=True)
class Listing:
    """A queue's list of waiting units, as a key of its own: it never leads to an attempt."""

    queue: str

    def __str__(self) -> str:
        return f"list of {self.queue}"


class QueueWork:
    """Queues, quota, admission, marking. Keys are names of queues, and their lists."""

    component = "queue"

    def __init__(self, *, namespace: str, protection: float) -> None:
        self._ledger = QueueLedger(namespace=namespace, protection=protection)
        self._again: set[str] = set()
        self.kinds = self._ledger.kinds

    def apply(self, kind: Kind, found: Object, *, deleted: bool) -> Iterable[str | Listing]:
        """See Work."""
        queues = self._ledger.apply(kind, found, deleted=deleted)
        self._again -= queues
        return (*queues, *map(Listing, self._ledger.listings.take_stale()))

    def step(self, key: str | Listing, now: float, resume: Any) -> Step:
        """See Work."""
        if isinstance(key, Listing):
            plan = self._ledger.relist(key.queue, now)
        else:
            # A pass that goes on has changed something.
            again = key in self._again and resume is None
            self._again.discard(key)
            plan = self._ledger.plan(key, now, resume, again=again)
        return Step(plan.decisions, plan.wake_at, plan.cursor)

    def keys(self) -> Iterator[str | Listing]:
        """See Work. Whoever asks does so because time has passed, not because of a change."""
        queues = self._ledger.active()
        self._again |= queues.keys()
        yield from queues
        yield from map(Listing, queues)

    def failed(self) -> None:
        """See Work."""
        self._ledger.retell()

    def label(self, key: str | Listing) -> str:
        """See Work."""
        return key.queue if isinstance(key, Listing) else key

    def active(self) -> Mapping[str, int] | None:
        """See Work."""
        return self._ledger.active()


class JobWork:
    """Jobs and their units, pods, reclaiming. Keys are (namespace, name) of Jobs."""

    component = "extension"

    def __init__(self) -> None:
        self._ledger = JobLedger()
        self.kinds = self._ledger.kinds
        self._names: set[JobKey] = set()

    def apply(self, kind: Kind, found: Object, *, deleted: bool) -> Iterable[JobKey]:
        """See Work."""
        if kind is Kind.JOB:
            name = (found["metadata"].get("namespace", ""), found["metadata"]["name"])
            (self._names.discard if deleted else self._names.add)(name)
        return self._ledger.apply(kind, found, deleted=deleted)

    def step(self, key: JobKey, now: float, resume: Any) -> Step:
        """See Work."""
        plan = self._ledger.reconcile(key, now, resume)
        if plan.look_up:
            return Step(plan.decisions, look_up=plan.look_up)
        if plan.needs_live_pods and resume is None:
            return Step(plan.decisions, live_pods=True)
        return Step(plan.decisions)

    def keys(self) -> Iterable[JobKey]:
        """See Work."""
        return list(self._names)

    def failed(self) -> None:
        """See Work. A Job's decisions are made from its objects alone."""
        self._ledger.retry()

    def label(self, key: JobKey) -> str:  # noqa: ARG002 - a Job's own name is no label
        """See Work."""
        return ""

    def active(self) -> Mapping[str, int] | None:
        """See Work."""
        return None
