"""States of what is marked: in which podSet, how much of it, in which phase, or not any more."""

from __future__ import annotations

from queuecheck.timeline import Condition, State, Subject, all_of
from steps.states.units import admissions, holds, marks, of_unit, phase


def unmarked(unit: Subject) -> State:
    """No entry carries a reclaimState, not even one of 0 replicas."""
    return of_unit(
        unit,
        "unmarked",
        lambda found: all(entry.get("reclaimState") is None for entry in admissions(found)),
    )


def marked_for_another_number(unit: Subject, replicas: int) -> State:
    """The unit is marked, for more or fewer replicas in all."""
    return of_unit(
        unit,
        f"marked for a number of replicas other than {replicas}",
        lambda found: bool(marks(found)) and sum(marks(found).values()) != replicas,
    )


def marked_in(unit: Subject, pod_set: str) -> State:
    """The entry of that podSet is marked."""
    return of_unit(unit, f'marked in "{pod_set}"', lambda found: pod_set in marks(found))


def marked_in_another_phase(unit: Subject, name: str) -> State:
    """The unit is marked, and its phase is not ``name``."""
    return of_unit(
        unit,
        f"marked in a phase other than {name}",
        lambda found: bool(marks(found)) and phase(found) != name,
    )


def left_with(unit: Subject, replicas: int) -> Condition:
    """The unit holds so many replicas, and no entry of it carries a reclaimState."""
    number = holds(unit, replicas)
    return all_of(number, unmarked(unit), sentence=f"{number.sentence} and unmarked")
