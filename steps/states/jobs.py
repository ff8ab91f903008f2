"""States of Jobs."""

from __future__ import annotations

from queuecheck.kube import KubeObject
from queuecheck.timeline import State, Subject

Found = KubeObject | None


def resumed(job: Subject) -> State:
    """The Job is not suspended."""
    return State(
        job,
        f"{job.label} is resumed",
        lambda found: found is not None and not found["spec"].get("suspend"),
        ("spec.suspend",),
    )


def suspended(job: Subject) -> State:
    """The Job is suspended."""
    return State(
        job,
        f"{job.label} is suspended",
        lambda found: found is not None and bool(found["spec"].get("suspend")),
        ("spec.suspend",),
    )


def changed(job: Subject) -> State:
    """Somebody has changed the Job's spec since it was created."""
    return State(
        job,
        f"{job.label} is changed",
        lambda found: found is not None and int(found["metadata"].get("generation") or 1) > 1,
        ("metadata.generation", "spec.suspend", "spec.parallelism"),
    )


def of_uid(job: Subject, uid: str) -> State:
    """The Job of that name is that one, and none before it."""
    return State(
        job,
        f"{job.label} is the one created now",
        lambda found: found is not None and found["metadata"]["uid"] == uid,
        ("metadata.uid",),
        may_return=True,
    )


def job_condition(found: Found, condition: str) -> bool:
    """Whether the Job has the condition, with status True."""
    conditions = ((found or {}).get("status") or {}).get("conditions") or ()
    return any(c["type"] == condition and c["status"] == "True" for c in conditions)


def complete(job: Subject) -> State:
    """The Job has the condition Complete."""
    return State(
        job,
        f"{job.label} is complete",
        lambda found: job_condition(found, "Complete"),
        ("status.succeeded", "status.failed", "status.conditions"),
    )


def counts_finished(job: Subject, number: str) -> State:
    """The Job's status counts so many pods that have succeeded."""
    return State(
        job,
        f"{job.label} counts {number} finished pods",
        lambda found: int(((found or {}).get("status") or {}).get("succeeded") or 0) == int(number),
        ("status.succeeded",),
    )


def counts_a_failed_pod(job: Subject) -> State:
    """The Job's status counts a failure, or it has failed."""
    return State(
        job,
        f"{job.label} counts a failed pod",
        lambda found: (
            int(((found or {}).get("status") or {}).get("failed") or 0) > 0
            or job_condition(found, "Failed")
        ),
        ("status.failed", "status.conditions"),
    )
