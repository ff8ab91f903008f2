"""One fault or two of every kind: the first that the suite had to find out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from controller.core import attempt, passes, unit_writes, victims
from controller.core.decisions import (
    Decision,
    EmitEvent,
)
from controller.core.instants import Instant
from controller.core.jobs import ledger, reclaim, reports
from controller.core.jobs.model import Job, Pod
from controller.core.model import Settings, Unit
from controller.core.quota_filter import Room
from controller.core.unit_events import reclaimed
from controller.core.victims import Marking
from controller.shell.executor import Executor
from tests.lying.patches import delete_pods

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
    # Of a Job that is suspended in the meantime the Job controller counts no failure.
    delete_pods(lambda pod: not pod["spec"].get("nodeName"), first=True)


def marks_the_second_lowest() -> None:
    """The lowest member is passed over where there is another one."""
    honest = victims.victims_after_filter

    def lie(preemptor: Unit, markings: Sequence[Marking], room: Room) -> tuple[Marking, ...]:
        return honest(preemptor, markings[1:] or markings, room)

    attempt.victims_after_filter = lie  # type: ignore[attr-defined]


def says_reclaimed_of_any_mark() -> None:
    """However a mark ends, the unit gets the event Reclaimed."""
    honest = reports._before_clearing

    def lie(unit: Unit) -> Decisions:
        return (*honest(unit), reclaimed(unit)) if unit.marked else ()

    reports._before_clearing = lie
