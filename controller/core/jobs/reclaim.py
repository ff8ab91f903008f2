"""Reclaiming what is marked, without ever touching a pod that is bound.

The Job's own controller removes the pods: on suspending all of them, on a lower parallelism the
unbound ones first, and neither counts as a failure. Deleting a pod directly would. Between the live
read of the pods and the Job controller's act a pod can still be bound; no API closes that gap
without a cost in retries, so it is kept as short as one request.
"""

from collections.abc import Collection
from dataclasses import replace

from controller.core.decisions import Decision
from controller.core.instants import Instant
from controller.core.jobs import counts, job_writes, reports
from controller.core.jobs.model import Job, Pod
from controller.core.model import Admission, Unit

_WHY = "its unit has been marked"


def reclaim(job: Job, unit: Unit, pods: Collection[Pod], now: Instant) -> tuple[Decision, ...]:
    """The next step towards an unmarked unit; empty while the Job controller has to act first.

    ``pods`` have been read for this purpose, not taken from a cache.
    """
    if not counts.all_counted(job, pods):
        return ()
    target = next((item for item in unit.admissions if item.name == job.ref.name), None)
    if target is None or target.mark is None:
        return _cleared(unit, now)
    running = counts.running(job, pods, target.replicas)
    if job.by_hand:
        return _let_go(job, unit, pods, now, replace(target, replicas=running, running=running))
    # Suspending takes every pod, so one bound in the last moment saves nothing any more.
    spared = 0 if job.suspended else running
    keeps = min(target.replicas, max(spared, target.replicas - target.mark))
    if keeps < target.replicas:
        unfinished = _taking(job, pods, keeps)
        if unfinished is not None:
            return unfinished
    return _cleared(unit, now, replace(target, replicas=keeps, running=min(running, keeps)))


def _taking(job: Job, pods: Collection[Pod], keeps: int) -> tuple[Decision, ...] | None:
    """What has still to be done or waited for until the Job has ``keeps``; None if nothing."""
    if keeps == 0 and not job.suspended:
        return (job_writes.suspend(job, _WHY),)
    if not job.suspended and job.parallelism != keeps:
        write = job_writes.limit(job, keeps, _WHY)
        return (write,) if write else ()
    # Until it says that it has seen the suspension, the Job controller may still make pods.
    seen = job.suspension_reported or not job.suspended
    return None if seen and counts.remaining(pods) <= keeps else ()


def _let_go(
    job: Job, unit: Unit, pods: Collection[Pod], now: Instant, left: Admission
) -> tuple[Decision, ...]:
    """Suspended by hand: what does not run goes by itself, and with it the mark.

    In one write: a unit without its mark that held it still would be marked again at once.
    """
    if not job.suspension_reported or counts.remaining(pods) > left.running:
        return ()
    return _cleared(unit, now, left) if left.running else reports.released(unit, now)


def _cleared(unit: Unit, now: Instant, *new: Admission) -> tuple[Decision, ...]:
    kept = {item.name: replace(item, mark=None) for item in (*unit.admissions, *new)}
    return reports.reclaimed(unit, kept, now)
