"""States of a Job's pods, taken together.

*Unbound*: a pod without ``spec.nodeName`` that is not terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from queuecheck.kube import KubeObject
from queuecheck.timeline import Observation, Selection, SetState, Subject

TERMINAL = frozenset({"Succeeded", "Failed"})
POD_FIELDS = ("metadata.deletionTimestamp", "spec.nodeName", "status.phase")


def pods_of(job: Subject) -> Selection:
    """The Job's pods, by the label that the Job controller puts on them."""
    return Selection(
        "Pod",
        job.namespace,
        lambda pod: (
            (pod["metadata"].get("labels") or {}).get("batch.kubernetes.io/job-name") == job.name
        ),
        f'pods of "{job.alias or job.name}"',
    )


def is_bound(pod: KubeObject) -> bool:
    """Whether the scheduler has given the pod a node."""
    return bool(pod["spec"].get("nodeName"))


def is_leaving(pod: KubeObject) -> bool:
    """Whether the pod's deletion has been asked for."""
    return pod["metadata"].get("deletionTimestamp") is not None


def is_terminal(pod: KubeObject) -> bool:
    """Whether the pod has ended by itself."""
    return (pod.get("status") or {}).get("phase") in TERMINAL


def is_running(pod: KubeObject) -> bool:
    """Whether the pod is bound and has started."""
    return is_bound(pod) and (pod.get("status") or {}).get("phase") == "Running"


def has_ended(pod: KubeObject, phase: str) -> bool:
    """Whether the pod has ended by itself, in that phase."""
    return bool((pod.get("status") or {}).get("phase") == phase and phase in TERMINAL)


def of_pods(
    job: Subject, sentence: str, test: Callable[[tuple[KubeObject, ...]], bool]
) -> SetState:
    """A state of all pods of a Job, taken together."""
    pods = pods_of(job)
    return SetState(pods, f"{pods.label} are {sentence}", test, POD_FIELDS)


def existing(job: Subject) -> SetState:
    """At least one pod that is not being deleted."""
    return of_pods(job, "existing", lambda pods: any(not is_leaving(pod) for pod in pods))


def going_or_gone(job: Subject) -> SetState:
    """Each unbound pod is being deleted; bound and terminal ones are not looked at."""
    return of_pods(
        job,
        "being deleted or gone",
        lambda pods: all(is_leaving(pod) for pod in pods if _is_unbound(pod)),
    )


def gone(job: Subject) -> SetState:
    """No pod is left but those that have ended by themselves."""
    return of_pods(job, "gone", lambda pods: all(is_terminal(pod) for pod in pods))


def at_most(job: Subject, number: int) -> SetState:
    """No more pods than that, apart from those that have ended or are being deleted."""
    return of_pods(
        job,
        f"{number} in number at most",
        lambda pods: sum(not is_terminal(pod) and not is_leaving(pod) for pod in pods) <= number,
    )


def fewer_than(job: Subject, number: int) -> SetState:
    """Not so many pods that are not being deleted, whether bound or not."""
    return of_pods(
        job,
        f"fewer than {number}",
        lambda pods: sum(not is_leaving(pod) for pod in pods) < number,
    )


def unbound(job: Subject, number: int) -> SetState:
    """So many pods that wait for a node."""
    return of_pods(
        job,
        f"{number} in number, none bound",
        lambda pods: (
            sum(_is_unbound(pod) and not is_leaving(pod) for pod in pods) == number
            and not any(is_bound(pod) for pod in pods)
        ),
    )


def running(job: Subject, number: int) -> SetState:
    """So many pods that are bound and have started."""
    return of_pods(
        job,
        f"{number} running",
        lambda pods: sum(is_running(pod) and not is_leaving(pod) for pod in pods) == number,
    )


def all_running(job: Subject) -> SetState:
    """There are pods, and each of them is bound, has started and is not being deleted."""
    return of_pods(
        job,
        "running",
        lambda pods: bool(pods) and all(is_running(pod) and not is_leaving(pod) for pod in pods),
    )


def bound_and_not_started(job: Subject, number: int) -> SetState:
    """So many pods that are bound, none of which has started."""
    return of_pods(
        job,
        f"{number} bound, none started",
        lambda pods: (
            sum(is_bound(pod) and not is_leaving(pod) for pod in pods) == number
            and not any(is_running(pod) or is_terminal(pod) for pod in pods)
        ),
    )


def ended(job: Subject, number: int, phase: str) -> SetState:
    """So many pods at least have ended in that phase; ended ones may be removed later."""
    return of_pods(
        job,
        f"{phase} in at least {number}",
        lambda pods: sum(has_ended(pod, phase) for pod in pods) >= number,
    )


def lost(job: Subject, uids: frozenset[str]) -> SetState:
    """One of these pods is being deleted, or is not there any more."""

    def test(pods: tuple[KubeObject, ...]) -> bool:
        kept = {pod["metadata"]["uid"] for pod in pods if not is_leaving(pod)}
        return not uids <= kept

    pods = pods_of(job)
    return SetState(pods, f"a bound pod among {pods.label} is removed", test, POD_FIELDS)


def removed(job: Subject, uids: frozenset[str]) -> SetState:
    """Each of these pods is being deleted, or is not there any more."""

    def test(pods: tuple[KubeObject, ...]) -> bool:
        return uids.isdisjoint(pod["metadata"]["uid"] for pod in pods if not is_leaving(pod))

    pods = pods_of(job)
    return SetState(pods, f"the unbound ones among {pods.label} are removed", test, POD_FIELDS)


def unbound_after(job: Subject, written: Sequence[Observation]) -> frozenset[str]:
    """The UIDs of the pods that wait for a node after these writes."""
    last = {(seen.kind, seen.namespace, seen.name): seen for seen in written}
    existing = pods_of(job).of({key: seen.object for key, seen in last.items() if seen.live})
    return frozenset(
        pod["metadata"]["uid"] for pod in existing if _is_unbound(pod) and not is_leaving(pod)
    )


def _is_unbound(pod: KubeObject) -> bool:
    return not is_bound(pod) and not is_terminal(pod)
