"""The reference controller with one fault put in: ``liar.py LIE [flags of the controller]``.

Each lie is a small patch of one decision; everything else is the reference. The suite has to find
each of them out, by the requirement that names the fault. None of this is shipped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from controller.core import QueueLedger, attempt, passes, queue_objects, unit_writes, victims
from controller.core.decisions import (
    Decision,
    Delete,
    EmitEvent,
    Kind,
    Log,
    Object,
    Ref,
)
from controller.core.instants import Instant
from controller.core.jobs import JobPlan, ledger, reclaim, reports
from controller.core.jobs.model import Job, Pod
from controller.core.model import Settings, Unit
from controller.core.quota_filter import Room
from controller.core.quotas import Chain, Quotas
from controller.core.unit_events import reclaimed
from controller.core.victims import Marking
from controller.core.vocabulary import GATE_ANNOTATION, PREEMPTION_ANNOTATION, SUCCEED_SUFFIX
from controller.shell import events, metrics
from controller.shell.component import Component
from controller.shell.executor import Executor
from controller.shell.flags import main
from controller.shell.ledgers import QueueWork

Decisions = tuple[Decision, ...]


def removes_bound_pods() -> None:
    """What is bound counts as not running, and is taken as well."""
    honest = reclaim.reclaim

    def lie(job: Job, unit: Unit, pods: Collection[Pod], now: Instant) -> Decisions:
        everything = tuple(
            item if item.mark is None else replace(item, mark=item.replicas, running=0)
            for item in unit.admissions
        )
        unbound = [replace(pod, bound=False) for pod in pods]
        return honest(job, replace(unit, admissions=everything), unbound, now)

    ledger.reclaim = lie  # type: ignore[attr-defined]


def admits_while_marking() -> None:
    """The preemptor is admitted in the cycle that marks its victims."""
    honest = attempt.attempt

    def lie(unit: Unit, outlook: attempt.Outlook) -> attempt.Outcome:
        outcome = honest(unit, outlook)
        if not outcome.markings:
            return outcome
        # Before the marks: later, the release might have been reported by the time of the write.
        grant = unit_writes.grant(unit, outlook.now)
        return replace(outcome, decisions=(grant, *outcome.decisions))

    passes.attempt = lie  # type: ignore[attr-defined]


def forgets_preempted() -> None:
    """No victim gets the event Preempted."""
    honest = Executor._emit

    def lie(self: Executor, event: EmitEvent) -> None:
        if event.reason != "Preempted":
            honest(self, event)

    Executor._emit = lie  # type: ignore[method-assign]


def marks_in_intelligent() -> None:
    """An Intelligent queue is served as a Priority queue."""
    Settings.intelligent = property(lambda _: False)  # type: ignore[method-assign,assignment]


def ignores_the_gate() -> None:
    """Whoever fits is admitted, members or not."""
    Settings.gated = property(lambda _: False)  # type: ignore[method-assign,assignment]


def says_reclaimed_to_everyone() -> None:
    """Each admitted unit gets the event Reclaimed."""
    honest = unit_writes.grant

    def lie(unit: Unit, now: Instant) -> Any:
        write = honest(unit, now)
        return replace(write, then=(*write.then, reclaimed(unit)))

    attempt.grant = lie  # type: ignore[attr-defined]


def deletes_pods() -> None:
    """The pods to be reclaimed are deleted one by one, which costs the Job its retries."""
    honest = ledger.JobLedger.reconcile

    def lie(
        self: ledger.JobLedger,
        key: tuple[str, str],
        now: Instant,
        live_pods: Sequence[Object] | None = None,
    ) -> JobPlan:
        plan = honest(self, key, now, live_pods)
        gone = [
            Delete(Ref(Kind.POD, key[0], raw["metadata"]["name"], raw["metadata"]["uid"]), "lie")
            for raw in live_pods or ()
            if not raw["spec"].get("nodeName") and "deletionTimestamp" not in raw["metadata"]
        ]
        return replace(plan, decisions=(*gone, *plan.decisions))

    ledger.JobLedger.reconcile = lie  # type: ignore[method-assign]


def marks_the_second_lowest() -> None:
    """The lowest member is passed over where there is another one."""
    honest = victims.victims_after_filter

    def lie(preemptor: Unit, markings: Sequence[Marking], room: Room) -> tuple[Marking, ...]:
        return honest(preemptor, markings[1:] or markings, room)

    attempt.victims_after_filter = lie  # type: ignore[attr-defined]


def forgets_what_is_short() -> None:
    """After an attempt that marked somebody the message says nothing else."""
    honest = attempt._refused_by_filter

    def lie(unit: Unit, message: str, outlook: attempt.Outlook) -> Decisions:
        marked = message.endswith(SUCCEED_SUFFIX)
        return honest(unit, "victims are marked" if marked else message, outlook)

    attempt._refused_by_filter = lie


def says_reclaimed_of_any_mark() -> None:
    """However a mark ends, the unit gets the event Reclaimed."""
    honest = reports._before_clearing

    def lie(unit: Unit) -> Decisions:
        return (*honest(unit), reclaimed(unit)) if unit.marked else ()

    reports._before_clearing = lie


def keeps_no_quiet() -> None:
    """Every three seconds all that waits is tried again, although nothing has happened."""
    honest = QueueWork.step

    def lie(self: QueueWork, key: Any, now: float, resume: Any) -> Any:
        self._again.clear()
        return honest(self, key, now, resume)

    QueueWork.step = lie  # type: ignore[method-assign]
    start = Component.__init__

    def begin(self: Component[Any], *args: Any, **named: Any) -> None:
        start(self, *args, **{**named, "resync": 3.0})

    Component.__init__ = begin  # type: ignore[method-assign]


def forgets_no_series() -> None:
    """The series of a queue stay when it is gone."""
    honest = metrics._Queues.active

    def lie(self: metrics._Queues, units: Mapping[str, int]) -> set[str]:
        return honest(self, {**dict.fromkeys(self._active, 0), **units})

    metrics._Queues.active = lie  # type: ignore[method-assign]


def counts_who_waits_only() -> None:
    """A unit that holds a part of what it asks for is not counted as active."""
    honest = QueueLedger.active

    def lie(self: QueueLedger) -> Mapping[str, int]:
        parts = {
            name: sum(unit.reserves for unit in book.asking) for name, book in self._books.items()
        }
        return {name: number - parts.get(name, 0) for name, number in honest(self).items()}

    QueueLedger.active = lie  # type: ignore[method-assign]


def multiplies_events() -> None:
    """Each refusal is an event of its own."""
    honest = events._name
    numbers = count()

    def lie(event: EmitEvent, *, uid: str, message: str) -> str:
        return honest(event, uid=uid, message=f"{message}{next(numbers)}")

    events._name = lie


def speaks_at_length() -> None:
    """The message of an event is as long as it comes."""
    events.shortened = lambda message: message


def logs_no_namespace() -> None:
    """The log names a unit without its namespace."""
    attempt._log = lambda message, unit, **fields: Log(
        2, message, {"queue": unit.queue, "unit": unit.ref.name, **fields}
    )


def charges_late() -> None:
    """What is admitted is not charged before its write is seen."""
    Room.taken = lambda self, more: self  # type: ignore[method-assign]  # noqa: ARG005


def knows_no_ancestors() -> None:
    """Only the quota's own max limits."""
    honest = Quotas.chain

    def lie(self: Quotas, name: str) -> Chain:
        return replace(honest(self, name), quotas=honest(self, name).quotas[:1])

    Quotas.chain = lie  # type: ignore[method-assign]


def copies_every_annotation() -> None:
    """Every annotation of the quota is put on the Queue."""
    queue_objects._prefixed = dict  # type: ignore[assignment]


def owns_the_queue() -> None:
    """A Queue has the quota's annotations, and no other ones."""
    honest = queue_objects._annotations

    def lie(quota: Object | None, queue: Object) -> dict[str, str]:
        return honest(quota, queue if quota is None else {})

    queue_objects._annotations = lie


def takes_any_word_for_true() -> None:
    """An annotation is on with whatever value."""
    honest = queue_objects.settings

    def lie(quota: Object | None, queue: Object | None) -> Settings:
        found = queue_objects._annotations(quota, queue or {})
        gate, preemption = GATE_ANNOTATION in found, PREEMPTION_ANNOTATION in found
        return replace(honest(quota, queue), gate=gate, preemption=preemption)

    queue_objects.settings = lie


def keeps_the_gate_in_intelligent() -> None:
    """The gate holds units whatever the policy."""
    Settings.gated = property(lambda self: self.gate)  # type: ignore[method-assign,assignment]


LIES: dict[str, Callable[[], None]] = {
    lie.__name__.replace("_", "-"): lie
    for lie in (
        removes_bound_pods,
        admits_while_marking,
        forgets_preempted,
        marks_in_intelligent,
        ignores_the_gate,
        says_reclaimed_to_everyone,
        deletes_pods,
        marks_the_second_lowest,
        forgets_what_is_short,
        says_reclaimed_of_any_mark,
        keeps_no_quiet,
        forgets_no_series,
        counts_who_waits_only,
        multiplies_events,
        speaks_at_length,
        logs_no_namespace,
        charges_late,
        knows_no_ancestors,
        copies_every_annotation,
        owns_the_queue,
        takes_any_word_for_true,
        keeps_the_gate_in_intelligent,
    )
}

if __name__ == "__main__":
    LIES[sys.argv.pop(1)]()
    main(prog_name="python -m controller")
