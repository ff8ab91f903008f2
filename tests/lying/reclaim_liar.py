"""Faults in reclaiming or returning."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from controller.core.decisions import Decision, Object
from controller.core.instants import Instant
from controller.core.jobs import ledger, reclaim, reports
from controller.core.jobs.model import Job, Pod
from controller.core.model import Admission, Unit
from controller.core.vocabulary import MARKED_MESSAGE
from tests.lying.patches import delete_pods

Decisions = tuple[Decision, ...]


def takes_all_unbound_pods() -> None:
    """However few are marked, every unbound pod goes."""
    honest = reclaim._taking

    def lie(job: Job, pods: Collection[Pod], keeps: int) -> Decisions | None:
        return honest(job, pods, sum(pod.bound for pod in pods))

    reclaim._taking = lie


def removes_finished_pods() -> None:
    """Pods that are over are deleted with the others."""
    delete_pods(lambda pod: pod["status"].get("phase") == "Succeeded")


def reports_no_release() -> None:
    """The mark is cleared, and the unit holds what it held."""
    honest = reports.reclaimed

    def lie(unit: Unit, kept: Mapping[str, Admission], now: Instant) -> Decisions:
        held = {
            item.name: replace(kept[item.name], replicas=item.replicas) for item in unit.admissions
        }
        return honest(unit, held, now)

    reports.reclaimed = lie


def reports_before_it_removes() -> None:
    """The release is reported at once, and the pods are removed after it."""
    reclaim._taking = lambda *_: None


def leaves_an_empty_mark() -> None:
    """A mark that has been dealt with stays, for 0 replicas."""
    honest = reports._entry

    def lie(item: Object, admissions: Mapping[str, Admission]) -> dict[str, object]:
        return {"reclaimState": {"replicas": 0}, **honest(item, admissions)}

    reports._entry = lie


def leaves_marks_that_take_nothing() -> None:
    """Where there is no pod to remove, the mark stays."""
    honest = reclaim.reclaim

    def lie(job: Job, unit: Unit, pods: Collection[Pod], now: Instant) -> Decisions:
        idle = job.suspended or any(not pod.bound for pod in pods)
        return honest(job, unit, pods, now) if idle else ()

    ledger.reclaim = lie  # type: ignore[attr-defined]


def heeds_its_own_marks_only() -> None:
    """A mark without the victim's message is nobody's decision."""
    honest = reclaim.reclaim

    def lie(job: Job, unit: Unit, pods: Collection[Pod], now: Instant) -> Decisions:
        return honest(job, unit, pods, now) if unit.message == MARKED_MESSAGE else ()

    ledger.reclaim = lie  # type: ignore[attr-defined]


def grants_less_the_second_time() -> None:
    """Whoever has been allocated before is given one replica less than it misses."""
    missing: Callable[[Unit], dict[str, int]] = vars(Unit)["missing"].func

    def lie(self: Unit) -> dict[str, int]:
        gaps = missing(self)
        if self.last_allocate is None:
            return gaps
        return {name: gap - 1 for name, gap in gaps.items() if gap > 1}

    Unit.missing = property(lie)  # type: ignore[assignment]


def forgets_the_reclaimed() -> None:
    """Whoever has been allocated before asks for nothing any more."""
    missing: Callable[[Unit], dict[str, int]] = vars(Unit)["missing"].func

    def lie(self: Unit) -> dict[str, int]:
        return {} if self.last_allocate is not None else missing(self)

    Unit.missing = property(lie)  # type: ignore[assignment]
