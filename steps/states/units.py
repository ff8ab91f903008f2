"""States of QueueUnits.

*Asks*: not finished and holds less than its count. *Waits*: asks and holds nothing. *Admitted*:
holds its count, and its Job, if it has one, is resumed. *Marked*: some ``reclaimState.replicas``
above 0.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from queuecheck.kube import KubeObject
from queuecheck.timeline import Condition, Selection, SetState, State, Subject, all_of, any_of
from steps.states.jobs import Found, resumed

VICTIMS_PREFIX = "preemption: waiting for queueUnit preempted, victims: ["
FINISHED = frozenset({"Succeed", "Failed"})
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


def grants(history: Sequence[KubeObject | None]) -> int:
    """How many times the unit was given something: more replicas, or another allocation time.

    An implementation may write the two one after the other, so they are not added up.
    """
    known = [found for found in history if found is not None]
    totals = [0, *(sum(held(found).values()) for found in known)]
    times = [(found.get("status") or {}).get("lastAllocateTime") for found in known]
    raised = sum(after > before for before, after in itertools.pairwise(totals))
    dated = sum(after not in {before, None} for before, after in itertools.pairwise([None, *times]))
    return max(raised, dated)


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


def admitted(unit: Subject, job: Subject | None) -> Condition:
    """The unit holds its count and the Job, if it has one, is resumed."""
    holding = of_unit(unit, "holding its whole count", _holds_its_count)
    if job is None:
        return all_of(holding, sentence=f"{unit.label} is admitted")
    return all_of(holding, resumed(job), sentence=f"{unit.label} is admitted")


def let_in(unit: Subject, job: Subject | None) -> Condition:
    """What a unit that is not admitted never is: it holds something, or its Job is resumed.

    Each by itself, since the two writes are two components', and either of them may be held back.
    """
    holding = holds_anything(unit)
    if job is None:
        return any_of(holding, sentence=f"{unit.label} holds something")
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


def decided(unit: Subject) -> State:
    """The unit does not wait, or the implementation has said or counted something about it."""
    return of_unit(
        unit,
        "decided",
        lambda found: not _waits(found) or bool(message(found) or attempts(found)),
    )


def holds_anything(unit: Subject) -> State:
    """The unit holds at least one replica; what its Job does is not looked at."""
    return of_unit(unit, "holding something", lambda found: any(held(found).values()))


def says_why(unit: Subject) -> State:
    """The unit waits, with a message."""
    return of_unit(
        unit, "waiting, with a message", lambda found: _waits(found) and bool(message(found))
    )


def without_admissions(unit: Subject) -> State:
    """No entry is left in the unit's admissions."""
    return of_unit(unit, "without admissions", lambda found: not admissions(found))


def holds(unit: Subject, replicas: int) -> State:
    """The unit's replicas add up to so many, marked ones included."""
    return of_unit(
        unit,
        f"holding {replicas} replica{'s' if replicas != 1 else ''}",
        lambda found: sum(held(found).values()) == replicas,
    )


def finished(unit: Subject) -> State:
    """The unit's phase says that its work has ended, and it holds nothing."""
    return of_unit(
        unit,
        "finished",
        lambda found: phase(found) in FINISHED and not any(held(found).values()),
    )


def reserves_nothing(unit: Subject) -> State:
    """The unit's replicas add up to 0, or it has no entry."""
    return of_unit(unit, "reserving nothing", lambda found: not any(held(found).values()))


def released(unit: Subject) -> State:
    """The unit reserves nothing, and no entry of it carries a reclaimState."""
    return of_unit(
        unit,
        "reserving nothing and unmarked",
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


def nobody_marked(namespace: str, *, spared: Collection[str] = ()) -> SetState:
    """No unit of the namespace is marked; those of the names in ``spared`` are not looked at."""
    return SetState(
        Selection(
            "QueueUnit",
            namespace,
            lambda found: found["metadata"]["name"] not in spared,
            "the scenario's units",
        ),
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


def holds_more_than(unit: Subject, number: int) -> State:
    """The unit's replicas add up to more than ``number``."""
    return of_unit(
        unit,
        f"holding more than {number} replicas",
        lambda found: sum(held(found).values()) > number,
    )


def reports_running(unit: Subject, number: int) -> State:
    """So many of the unit's replicas, in all, are reported to be running."""
    return of_unit(
        unit,
        f"reporting {number} running replica{'s' if number != 1 else ''}",
        lambda found: sum(int(entry.get("running") or 0) for entry in admissions(found)) == number,
    )


def saying(unit: Subject, text: str) -> State:
    """The unit's message is exactly ``text``."""
    return of_unit(unit, f'saying "{text}"', lambda found: message(found) == text)


def naming_victims(unit: Subject, *victims: str) -> State:
    """The unit's message begins as Koord-Queue's does and names each victim with its namespace."""
    named = [
        re.compile(rf"(?<![\w.-]){re.escape(f'{unit.namespace}/{victim}')}(?![\w.-])")
        for victim in victims
    ]
    names = " and ".join(f'"{victim}"' for victim in victims)
    return of_unit(
        unit,
        f"naming the victims {names}",
        lambda found: (
            message(found).startswith(VICTIMS_PREFIX)
            and all(name.search(message(found)) for name in named)
        ),
    )


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
