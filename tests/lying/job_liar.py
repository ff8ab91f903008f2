"""Faults about Jobs: what they are charged, whose unit a unit is, what becomes of their pods."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from controller.core import cost, decode
from controller.core.decisions import Decision, Kind, Object
from controller.core.instants import Instant
from controller.core.jobs import counts, job_writes, model, takeover
from controller.core.jobs.ledger import JobLedger, JobPlan
from controller.core.jobs.model import Job
from controller.core.model import Unit
from controller.core.queueing import QueueLedger
from controller.core.unit_events import queue_not_found
from controller.core.vocabulary import SUCCEED


def matches_by_name() -> None:
    """A unit of the Job's name is taken for the Job's, whatever its UID."""
    takeover.stands_for = lambda unit, job: True  # noqa: ARG005


def charges_containers_only() -> None:
    """Init containers and overhead cost nothing."""
    honest = cost.pod_cost

    def lie(spec: Object) -> dict[str, int]:
        return honest({"containers": spec.get("containers") or []})

    decode.pod_cost = takeover.pod_cost = lie  # type: ignore[attr-defined]


def loses_the_place() -> None:
    """A unit whose Job has changed goes to the end of the queue."""
    honest = decode.unit

    def lie(raw: Object) -> Unit:
        unit = honest(raw)
        changes = decode.number(raw, "metadata", "generation") or 1
        return replace(unit, created=unit.created + 3600 * changes)

    decode.unit = lie


def leaves_pods_beyond_the_grant() -> None:
    """The parallelism that the user sets is let be."""
    job_writes.limit = lambda job, parallelism, why: None  # noqa: ARG005


def warns_at_each_look() -> None:
    """QueueNotFound comes whenever a unit without a queue is looked at."""
    honest, numbers = QueueLedger._without_queue, count()

    def lie(self: QueueLedger, book: Any, queue: str, now: Instant) -> tuple[Decision, ...]:
        events = (queue_not_found(unit, f"queue {queue} not found") for unit in book.asking)
        more = (replace(event, once=f"{event.once}.{next(numbers)}") for event in events)
        return (*honest(self, book, queue, now), *more)

    QueueLedger._without_queue = lie  # type: ignore[method-assign]


def forgets_the_deleted() -> None:
    """What a Job held is free as soon as its unit is gone."""
    honest = QueueLedger.apply

    def lie(self: QueueLedger, kind: Kind, raw: Object, *, deleted: bool) -> frozenset[str]:
        return frozenset() if kind is Kind.POD else honest(self, kind, raw, deleted=deleted)

    QueueLedger.apply = lie  # type: ignore[method-assign]


def charges_the_deleted_for_ever() -> None:
    """What a deleted Job held never comes free, whether it had pods by then or not."""
    honest = QueueLedger._charge

    def lie(self: QueueLedger, before: Unit | None, after: Unit | None) -> set[str]:
        return set() if after is None else honest(self, before, after)

    QueueLedger._charge = lie  # type: ignore[method-assign]


def resumes_what_was_suspended() -> None:
    """Whoever is admitted runs, whatever its user says."""
    Job.by_hand = property(lambda _: False)  # type: ignore[method-assign,assignment]


def takes_over_what_runs() -> None:
    """Any Job gets a unit and has to wait for it, also one that was not submitted suspended."""
    honest = JobLedger._take_over

    def lie(self: JobLedger, job: Job, raw: Object, warnings: tuple[Decision, ...]) -> JobPlan:
        if job.suspended or job.resumed or job.finished:
            return honest(self, job, raw, warnings)
        made = takeover.creation(job, raw, self._standing(job, raw))
        # At once: what comes later may come when a Job submitted after it has been dealt with.
        return JobPlan((*warnings, made, job_writes.suspend(job, "it waits for its unit")))

    JobLedger._take_over = lie  # type: ignore[method-assign]


def asks_for_what_is_done() -> None:
    """A Job asks for its parallelism, however few pods are still to come."""
    counts.count = lambda job, pods: 0 if job.by_hand else job.wanted  # noqa: ARG005


def is_content_with_one_pod() -> None:
    """A Job is over as soon as one of its pods has succeeded."""
    honest = model.job

    def lie(raw: Object) -> Job:
        job = honest(raw)
        return replace(job, finished=SUCCEED) if job.succeeded else job

    model.job = lie
