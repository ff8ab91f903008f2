"""The status writes of the queue component: grant, refusal, mark.

Each decides again on the object as it is when written: if anything that matters has changed since
the decision (Unit.standing), nothing is written, and the change itself leads to a new decision.
Lists are replaced whole, with everything in their entries that is not ours kept.
"""

from typing import Any

from controller.core import decode
from controller.core.decisions import CountAttempt, Decision, Log, Object, Patch, Write
from controller.core.instants import Instant, to_text
from controller.core.model import Unit
from controller.core.unit_events import failed_scheduling, scheduled
from controller.core.victims import Marking
from controller.core.vocabulary import (
    ADMITTED_MESSAGE,
    DEQUEUED,
    ENQUEUED,
    MARKED_MESSAGE,
    RUNNING,
)


def grant(unit: Unit, now: Instant) -> Write:
    """Gives the unit all it misses."""

    def change(raw: Object) -> Patch | None:
        fresh = decode.unit(raw)
        if fresh.standing != unit.standing:
            return None
        entries = [dict(item) for item in decode.mappings(raw, "status", "admissions")]
        for name, replicas in fresh.missing.items():
            entry = next((item for item in entries if item.get("name") == name), None)
            if entry is None:
                entries.append({"name": name, "replicas": replicas})
            else:
                entry["replicas"] = fresh.held_replicas.get(name, 0) + replicas
        return _status(
            phase=RUNNING if fresh.phase == RUNNING and fresh.reserves else DEQUEUED,
            admissions=entries,
            message=ADMITTED_MESSAGE,
            lastAllocateTime=to_text(now),
            lastUpdateTime=to_text(now),
        )

    then: tuple[Decision, ...] = (
        scheduled(unit),
        CountAttempt(unit.queue, "scheduled"),
        Log(2, "admitted", {"queue": unit.queue, "unit": str(unit.ref)}),
    )
    return Write(unit.ref, change, "the unit is admitted", "status", then)


def refusal(unit: Unit, message: str, now: Instant, *, attempt: bool) -> Write:
    """Says on the unit why it waits; an ``attempt`` is counted, anything else only said."""

    def change(raw: Object) -> Patch | None:
        fresh = decode.unit(raw)
        if fresh.standing != unit.standing or fresh.marked:
            return None
        fields: dict[str, Any] = {"message": message, "lastUpdateTime": to_text(now)}
        # The first phase of a Job's unit is the extension's: it knows whether the Job runs already.
        new = not fresh.phase and not fresh.job_uid
        if new:
            fields["phase"] = ENQUEUED
        if attempt:
            fields["attempts"] = (decode.number(raw, "status", "attempts") or 0) + 1
        elif fresh.message == message and not new:
            return None
        return _status(**fields)

    counted = (CountAttempt(unit.queue, "unschedulable"),) if attempt else ()
    then = (*counted, failed_scheduling(unit, message))
    return Write(unit.ref, change, f"the unit waits: {message}", "status", then)


def mark(marking: Marking, now: Instant) -> Write:
    """Marks one victim in all its podSets at once."""

    def change(raw: Object) -> Patch | None:
        fresh = decode.unit(raw)
        victim = marking.unit
        same = (fresh.ref, fresh.queue, fresh.last_allocate_text) == (
            victim.ref,
            victim.queue,
            victim.last_allocate_text,
        )
        if fresh.finished or not same:
            return None
        entries = [dict(item) for item in decode.mappings(raw, "status", "admissions")]
        changed = False
        for entry, item in zip(entries, fresh.admissions, strict=True):
            left = item.replicas - item.running
            if item.name in marking.replicas and item.mark is None and left > 0:
                entry["reclaimState"] = {"replicas": left}
                changed = True
        if not changed:
            return None
        return _status(admissions=entries, message=MARKED_MESSAGE, lastUpdateTime=to_text(now))

    return Write(marking.unit.ref, change, "the unit is a victim", "status")


def _status(**fields: Any) -> Patch:
    return {"status": fields}
