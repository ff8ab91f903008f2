"""Faults that several lies have, each in its own measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from controller.core.decisions import Delete, Kind, Object, Ref
from controller.core.instants import Instant
from controller.core.jobs import JobPlan
from controller.core.jobs.ledger import JobLedger
from controller.shell.component import Component
from controller.shell.ledgers import QueueWork


def try_again_every(seconds: float) -> None:
    """All that waits is tried again, although nothing has happened."""
    step, start = QueueWork.step, Component.__init__

    def lie(self: QueueWork, key: Any, now: float, resume: Any) -> Any:
        self._again.clear()
        return step(self, key, now, resume)

    def begin(self: Component[Any], *args: Any, **named: Any) -> None:
        start(self, *args, **{**named, "resync": seconds})

    QueueWork.step = lie  # type: ignore[method-assign]
    Component.__init__ = begin  # type: ignore[method-assign]


def delete_pods(which: Callable[[Object], bool], *, first: bool = False) -> None:
    """When the pods of a Job are looked at, such pods are deleted beside all that is done.

    With ``first`` nothing else is done until they are gone.
    """
    honest = JobLedger.reconcile

    def lie(
        self: JobLedger,
        key: tuple[str, str],
        now: Instant,
        live_pods: Sequence[Object] | None = None,
    ) -> JobPlan:
        plan = honest(self, key, now, live_pods)
        found = [pod for pod in live_pods or () if which(pod)]
        gone = [
            Delete(Ref(Kind.POD, key[0], pod["metadata"]["name"], pod["metadata"]["uid"]), "lie")
            for pod in found
            if "deletionTimestamp" not in pod["metadata"]
        ]
        honestly = () if found and first else plan.decisions
        return replace(plan, decisions=(*gone, *honestly))

    JobLedger.reconcile = lie  # type: ignore[method-assign]
