"""How many replicas a Job asks for and how many of them run.

A Job without ``completions`` of which a pod has succeeded starts no new pod: it asks for those that
are still active, and each of them counts as running, because lowering ``parallelism`` is ignored
there and suspending completes the Job.
"""

from collections.abc import Collection

from controller.core.jobs.model import Job, Pod


def count(job: Job, pods: Collection[Pod]) -> int:
    """The count of the unit's podSet. A Job suspended by hand asks for nothing."""
    if job.by_hand:
        return 0
    if winding_down(job, pods):
        return min(job.wanted, len(active(pods)))
    if job.completions is None:
        return job.wanted
    return max(0, min(job.wanted, job.completions - job.succeeded - job.failed_indexes))


def running(job: Job, pods: Collection[Pod], replicas: int) -> int:
    """How many of the replicas held cannot be taken: bound, or done and not counted yet."""
    if winding_down(job, pods):
        return min(replicas, len(active(pods)))
    bound = sum(pod.bound for pod in active(pods))
    return min(replicas, bound + _uncounted_successes(job, pods))


def active(pods: Collection[Pod]) -> list[Pod]:
    """The pods that have neither succeeded nor failed."""
    return [pod for pod in pods if not pod.terminal]


def remaining(pods: Collection[Pod]) -> int:
    """Pods that are still to be reckoned with; an unbound one that is being deleted is not."""
    return sum(pod.bound or not pod.deleting for pod in active(pods))


def all_counted(job: Job, pods: Collection[Pod]) -> bool:
    """Whether the Job's status contains every pod that has finished."""
    return not job.uncounted and not any(pod.terminal and pod.tracked for pod in pods)


def winding_down(job: Job, pods: Collection[Pod]) -> bool:
    """Whether no new pod comes, since one of a Job without ``completions`` has succeeded."""
    return job.completions is None and (job.succeeded > 0 or any(pod.succeeded for pod in pods))


def _uncounted_successes(job: Job, pods: Collection[Pod]) -> int:
    done = [pod for pod in pods if pod.succeeded]
    known = sum(pod.tracked or pod.uid in job.uncounted for pod in done)
    # The caches of pods and Jobs are not in step; more successes than the status has are uncounted
    # whatever their marks say.
    return max(known, len(done) - job.succeeded)
