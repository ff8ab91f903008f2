"""The writes on a Job: resume, suspend, lower or restore its parallelism.

Each is one merge patch and says in annotations what was done, so that the next reconciliation can
tell our doing from the user's. None is made if the Job has changed since the decision.
"""

from collections.abc import Callable
from typing import Any

from controller.core.decisions import Object, Patch, Write
from controller.core.jobs.model import Job
from controller.core.jobs.model import job as decode_job
from controller.core.vocabulary import LOWERED_PARALLELISM, RESUMED, WANTED_PARALLELISM


def resume(job: Job, parallelism: int) -> Write:
    """Lets the Job run with at most ``parallelism`` pods."""
    annotations, spec = _parallel(job, parallelism)
    annotations[RESUMED] = job.ref.uid
    return _write(job, annotations, {**spec, "suspend": False}, "its unit is admitted")


def suspend(job: Job, why: str) -> Write:
    """Stops the Job; what it wanted to run at once becomes its parallelism again."""
    annotations, spec = _parallel(job, job.wanted)
    annotations[RESUMED] = None
    return _write(job, annotations, {**spec, "suspend": True}, why)


def limit(job: Job, parallelism: int, why: str) -> Write | None:
    """Lowers the Job's parallelism, or restores it if that is what it wanted; None if it is so."""
    annotations, spec = _parallel(job, parallelism)
    return _write(job, annotations, spec, why) if spec or annotations else None


def adopt(job: Job) -> Write:
    """Says on a running Job that it runs with our consent."""
    return _write(job, {RESUMED: job.ref.uid}, {}, "its unit is admitted and it runs already")


def _parallel(job: Job, parallelism: int) -> tuple[dict[str, Any], dict[str, Any]]:
    if parallelism == job.parallelism:
        # The user has changed it since: what we remember must not come back to life.
        stale = job.remembered and not job.lowered
        return dict.fromkeys((WANTED_PARALLELISM, LOWERED_PARALLELISM)) if stale else {}, {}
    lowered = parallelism < job.wanted
    annotations: dict[str, Any] = {
        WANTED_PARALLELISM: str(job.wanted) if lowered else None,
        LOWERED_PARALLELISM: str(parallelism) if lowered else None,
    }
    return annotations, {"parallelism": parallelism}


def _write(job: Job, annotations: dict[str, Any], spec: dict[str, Any], why: str) -> Write:
    patch: Patch = {"spec": spec} if spec else {}
    if annotations:
        patch["metadata"] = {"annotations": annotations}
    return Write(job.ref, _unless_changed(job, patch), why)


def _unless_changed(job: Job, patch: Patch) -> Callable[[Object], Patch | None]:
    def decided_on(job: Job) -> object:
        return (
            job.ref,
            job.suspended,
            job.resumed,
            job.parallelism,
            job.wanted,
            job.finished,
            job.deleting,
        )

    def change(raw: Object) -> Patch | None:
        return patch if decided_on(decode_job(raw)) == decided_on(job) else None

    return change
