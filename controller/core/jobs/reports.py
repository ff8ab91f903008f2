"""The status writes of the extension: what is held, what runs, how it ended.

A mark is never left by accident: whatever ends one first makes sure that ``Preempted`` exists, and
while it is on lastUpdateTime stays. A reclaim that leaves a unit holding nothing leaves it with the
victim's message, which is how the queue component knows that ``Reclaimed`` is owed; every other end
of a mark removes that message.
"""

from collections.abc import Mapping
from typing import Any

from controller.core import decode
from controller.core.decisions import Decision, Delete, Object, Patch, Write
from controller.core.instants import Instant, to_text
from controller.core.model import Admission, Unit
from controller.core.unit_events import preempted
from controller.core.vocabulary import DEQUEUED, ENQUEUED, MARKED_MESSAGE, RUNNING


def waits(unit: Unit, now: Instant) -> Write:
    """A new unit is in the queue."""
    return _write(unit, {"phase": ENQUEUED, "lastUpdateTime": to_text(now)}, "its Job waits")


def holds(unit: Unit, name: str, *, replicas: int, running: int, now: Instant) -> Write:
    """A unit that came back while its Job runs holds the pods that are there."""
    entry = {"name": name, "replicas": replicas, "running": running}
    fields = {
        "phase": RUNNING if replicas == running else DEQUEUED,
        "admissions": [entry],
        "lastUpdateTime": to_text(now),
    }
    return _write(unit, fields, "its Job runs already")


def ended(unit: Unit, phase: str, now: Instant) -> tuple[Decision, ...]:
    """The Job is over: nothing is held any more."""
    fields: dict[str, Any] = {
        "phase": phase,
        "admissions": None,
        "lastUpdateTime": to_text(now),
    }
    if unit.message == MARKED_MESSAGE:
        fields["message"] = None
    return (*_before_clearing(unit), _write(unit, fields, "its Job is over"))


def released(unit: Unit, now: Instant) -> tuple[Decision, ...]:
    """The grant is given back, the unit asks anew. Nothing has been reclaimed."""
    fields: dict[str, Any] = {
        "phase": ENQUEUED,
        "admissions": None,
        "lastUpdateTime": to_text(now),
    }
    if unit.message == MARKED_MESSAGE:
        fields["message"] = None
    return (*_before_clearing(unit), _write(unit, fields, "its Job gives its grant back"))


def removed(unit: Unit) -> tuple[Decision, ...]:
    """The Job goes, or has gone, and leaves its unit behind."""
    return (*_before_clearing(unit), Delete(unit.ref, "its Job is gone"))


def reclaimed(unit: Unit, kept: Mapping[str, Admission], now: Instant) -> tuple[Decision, ...]:
    """A mark has been dealt with; ``kept`` is what the unit holds now, without marks."""
    fields: dict[str, Any] = {"lastUpdateTime": to_text(now)}
    holds_nothing = not any(item.replicas for item in kept.values())
    if holds_nothing:
        fields["phase"] = ENQUEUED
    taken = any(kept[item.name].replicas < item.replicas for item in unit.admissions)
    if holds_nothing and taken:
        fields["message"] = MARKED_MESSAGE
    elif unit.message == MARKED_MESSAGE:
        fields["message"] = None
    write = _write(unit, fields, "its marked replicas have been dealt with", kept)
    return (*_before_clearing(unit), write)


def progress(
    unit: Unit, seen: Mapping[str, Admission], now: Instant, *, over: bool = False
) -> Write | None:
    """Replicas and running replicas as they are now; None if the unit says so already.

    ``over``: the Job does all but say that it is over; then holding nothing is not waiting.
    """
    phase = unit.phase
    entries = [seen.get(item.name, item) for item in unit.admissions]
    if not over and not any(item.replicas for item in entries):
        phase = ENQUEUED
    elif all(item.running == item.replicas > 0 for item in entries) and phase != RUNNING:
        phase = RUNNING
    if phase == unit.phase and tuple(entries) == unit.admissions:
        return None
    fields: dict[str, Any] = {"phase": phase}
    if not unit.marked:
        fields["lastUpdateTime"] = to_text(now)
    return _write(unit, fields, "its Job's pods have changed", seen)


def _before_clearing(unit: Unit) -> tuple[Decision, ...]:
    return (preempted(unit, unit.last_update_text),) if unit.marked else ()


def _write(
    unit: Unit,
    fields: dict[str, Any],
    why: str,
    admissions: Mapping[str, Admission] | None = None,
) -> Write:
    def change(raw: Object) -> Patch | None:
        fresh = decode.unit(raw)
        if (fresh.standing, fresh.phase) != (unit.standing, unit.phase):
            return None
        patch = dict(fields)
        if admissions:
            patch["admissions"] = [
                _entry(item, admissions) for item in decode.mappings(raw, "status", "admissions")
            ]
        return {"status": patch}

    return Write(unit.ref, change, why, "status")


def _entry(item: Object, admissions: Mapping[str, Admission]) -> dict[str, Any]:
    entry = dict(item)
    new = admissions.get(decode.text(item, "name"))
    if new is not None:
        entry |= {"replicas": new.replicas, "running": new.running}
        entry.pop("reclaimState", None)
        if new.mark is not None:
            entry["reclaimState"] = {"replicas": new.mark}
    return entry
