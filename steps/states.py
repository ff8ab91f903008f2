"""What the features' words mean, as states of the objects that a scenario watches.

*Asks*: not finished and holds less than its count. *Waits*: asks and holds nothing. *Admitted*:
holds its count, and its Job, if it has one, is resumed. *Marked*: some ``reclaimState.replicas``
above 0. *Unbound*: a pod without ``spec.nodeName`` that is not terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from queuecheck.kube import KubeObject
from queuecheck.timeline import Condition, Selection, SetState, State, Subject, all_of, any_of

Found = KubeObject | None

FINISHED = frozenset({"Succeed", "Failed"})
TERMINAL = frozenset({"Succeeded", "Failed"})
ADMISSION_FIELDS = (
    "status.phase",
    "status.admissions[0].replicas",
    "status.admissions[0].running",
    "status.admissions[0].reclaimState.replicas",
    "status.message",
)


def admissions(unit: KubeObject) -> list[KubeObject]:
    """The entries of ``status.admissions``; an empty list where there are none."""
    return list((unit.get("status") or {}).get("admissions") or ())


def counts(unit: KubeObject) -> Mapping[str, int]:
    """What the unit asks for in all: replicas by the name of its podSet."""
    pod_sets = (unit.get("spec") or {}).get("podSet") or ()
    return {pod_set.get("name", "main"): int(pod_set.get("count", 1)) for pod_set in pod_sets}


def held(unit: KubeObject) -> Mapping[str, int]:
    """What the unit holds: replicas by the name of its podSet, marked ones included."""
    return {entry["name"]: int(entry.get("replicas") or 0) for entry in admissions(unit)}


def marks(unit: KubeObject) -> Mapping[str, int]:
    """The replicas to be taken back, by the name of the podSet; only what is marked."""
    found = {}
    for entry in admissions(unit):
        replicas = int((entry.get("reclaimState") or {}).get("replicas") or 0)
        if replicas > 0:
            found[entry["name"]] = replicas
    return found


def phase(unit: KubeObject) -> str:
    """``status.phase``; "" where there is none yet."""
    return str((unit.get("status") or {}).get("phase") or "")


def message(unit: KubeObject) -> str:
    """``status.message``; "" where there is none."""
    return str((unit.get("status") or {}).get("message") or "")


def attempts(unit: KubeObject) -> int:
    """``status.attempts``; 0 where there are none."""
    return int((unit.get("status") or {}).get("attempts") or 0)


def _holds_its_count(found: Found) -> bool:
    if found is None or not any(counts(found).values()):
        return False
    has = held(found)
    return all(has.get(name, 0) >= count for name, count in counts(found).items())


def _waits(found: Found) -> bool:
    return (
        found is not None
        and phase(found) not in FINISHED
        and any(counts(found).values())
        and not any(held(found).values())
    )


def of_unit(subject: Subject, sentence: str, test: Callable[[KubeObject], bool]) -> State:
    """A state that no absent unit is in."""
    return State(
        subject,
        f"{subject.label} is {sentence}",
        lambda found: found is not None and test(found),
        ADMISSION_FIELDS,
        may_return=True,
    )


def admitted(unit: Subject, job: Subject) -> Condition:
    """The unit holds its count and the Job is resumed."""
    holding = of_unit(unit, "holding its whole count", _holds_its_count)
    return all_of(holding, resumed(job), sentence=f"{unit.label} is admitted")


def let_in(unit: Subject, job: Subject) -> Condition:
    """What a unit that is not admitted never is: it holds something, or its Job is resumed.

    Each by itself, since the two writes are two components', and either of them may be held back.
    """
    holding = of_unit(unit, "holding something", lambda found: any(held(found).values()))
    sentence = f"{unit.label} is admitted, or holds something already, or its Job is resumed"
    return any_of(holding, resumed(job), sentence=sentence)


def waits(unit: Subject) -> State:
    """The unit asks and holds nothing."""
    return of_unit(unit, "waiting", _waits)


def refused(unit: Subject) -> State:
    """The unit waits, and the implementation has said or counted something about it."""
    return of_unit(
        unit,
        "waiting, with a message or an attempt",
        lambda found: _waits(found) and bool(message(found) or attempts(found)),
    )


def reserves_nothing(unit: Subject) -> State:
    """The unit's replicas add up to 0, or it has no entry."""
    return of_unit(unit, "reserving nothing", lambda found: not any(held(found).values()))


def released(unit: Subject) -> State:
    """The unit reserves nothing, and no entry of it carries a reclaimState."""
    return of_unit(
        unit,
        "reserving nothing and not marked",
        lambda found: not any(held(found).values()) and not _has_reclaim_state(found),
    )


def marked(unit: Subject, replicas: int | None = None) -> State:
    """Some entry is marked; with ``replicas``, for so many in all."""
    wanted = f" for {replicas} replica{'s' if replicas != 1 else ''}" if replicas else ""
    return of_unit(
        unit,
        f"marked{wanted}",
        lambda found: sum(marks(found).values()) == replicas if replicas else bool(marks(found)),
    )


def nobody_marked(namespace: str) -> SetState:
    """No unit of the namespace is marked."""
    return SetState(
        Selection("QueueUnit", namespace, lambda _: True, "the scenario's units"),
        "no unit is marked",
        lambda found: not any(marks(unit) for unit in found),
        ("metadata.name", "status.admissions[0].reclaimState.replicas"),
    )


def dequeued(unit: Subject, replicas: int) -> State:
    """Phase Dequeued, every podSet's count admitted, ``replicas`` in all, no reclaimState."""
    return of_unit(
        unit,
        f"Dequeued with {replicas} replica{'s' if replicas != 1 else ''} and no reclaimState",
        lambda found: (
            phase(found) == "Dequeued"
            and held(found) == counts(found)
            and sum(held(found).values()) == replicas
            and not _has_reclaim_state(found)
        ),
    )


def saying(unit: Subject, text: str) -> State:
    """The unit's message is exactly ``text``."""
    return of_unit(unit, f'saying "{text}"', lambda found: message(found) == text)


def in_phase(unit: Subject, name: str) -> State:
    """The unit's phase is ``name``."""
    return of_unit(unit, f"in phase {name}", lambda found: phase(found) == name)


def in_another_phase(unit: Subject, name: str) -> State:
    """The unit has a phase, and another one: nobody may have looked at a new unit yet."""
    return of_unit(
        unit, f"in a phase other than {name}", lambda found: phase(found) not in {"", name}
    )


def _has_reclaim_state(unit: KubeObject) -> bool:
    return any(entry.get("reclaimState") is not None for entry in admissions(unit))


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


POD_FIELDS = ("metadata.deletionTimestamp", "spec.nodeName", "status.phase")


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


def lost(job: Subject, uids: frozenset[str]) -> SetState:
    """One of these pods is being deleted, or is not there any more."""

    def test(pods: tuple[KubeObject, ...]) -> bool:
        kept = {pod["metadata"]["uid"] for pod in pods if not is_leaving(pod)}
        return not uids <= kept

    pods = pods_of(job)
    return SetState(pods, f"a bound pod among {pods.label} is removed", test, POD_FIELDS)


def _is_unbound(pod: KubeObject) -> bool:
    return not is_bound(pod) and not is_terminal(pod)


def events_on(unit: Subject, *, reason: str, kind: str | None = None) -> Selection:
    """The events with a reason, and a type if one is given, about the unit."""

    def concerns(event: KubeObject) -> bool:
        about = event.get("involvedObject") or {}
        return (
            about.get("kind") == unit.kind
            and about.get("name") == unit.name
            and event.get("reason") == reason
            and kind in {None, event.get("type")}
        )

    return Selection("Event", unit.namespace, concerns, f'events "{reason}" of {unit.label}')


def occurrences(events: tuple[KubeObject, ...]) -> int:
    """How often it happened: an event that was counted up counts for each time."""
    return sum(
        max(1, int(event.get("count") or 0), int((event.get("series") or {}).get("count") or 0))
        for event in events
    )


def has_event(unit: Subject, *, reason: str, kind: str | None = None) -> SetState:
    """The event has come at least once."""
    selection = events_on(unit, reason=reason, kind=kind)
    of_type = f"{kind} " if kind else ""
    return SetState(
        selection,
        f'{unit.label} has an event {of_type}"{reason}"',
        lambda events: occurrences(events) >= 1,
        ("type", "reason", "message", "count"),
    )


def another_has_event(namespace: str, spared: Collection[str], *, reason: str) -> SetState:
    """The event has come to a unit that is none of ``spared``."""
    others = Selection(
        "Event",
        namespace,
        lambda event: (
            event.get("reason") == reason
            and (event.get("involvedObject") or {}).get("kind") == "QueueUnit"
            and event["involvedObject"].get("name") not in spared
        ),
        f'events "{reason}" of other units',
    )
    names = " and ".join(f'"{name}"' for name in sorted(spared))
    return SetState(
        others,
        f'a unit other than {names} has an event "{reason}"',
        lambda events: occurrences(events) >= 1,
        ("involvedObject.name", "type", "reason", "message"),
    )


def has_more_events_than(unit: Subject, number: int, *, reason: str) -> SetState:
    """The event has come more often than ``number`` times."""
    return SetState(
        events_on(unit, reason=reason),
        f'{unit.label} has more than {number} event "{reason}"',
        lambda events: occurrences(events) > number,
        ("type", "reason", "message", "count"),
    )
