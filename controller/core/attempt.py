"""One attempt of one unit: filter, gate, round, admission, in this order.

An attempt looks at the queue as a pass has left it so far (Outlook) and answers what is to be done
with this unit; it changes nothing. What it may mark it marks in one Preempt.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from controller.core.decisions import Decision, Log, Preempt
from controller.core.instants import Instant, to_text
from controller.core.model import Settings, Unit
from controller.core.quota_filter import Room
from controller.core.unit_events import preempted
from controller.core.unit_writes import grant, mark, refusal
from controller.core.victims import (
    Candidates,
    Marking,
    candidates,
    victims_after_filter,
)
from controller.core.vocabulary import (
    FAILED_SUFFIX,
    GATE_OFF_ERROR,
    INTELLIGENT_ERROR,
    NO_MORE_MESSAGE,
    NO_VICTIMS_ERROR,
    PREEMPTION_OFF_ERROR,
    SUCCEED_SUFFIX,
    WAITING_PREFIX,
    preempting_error,
)


@dataclass(frozen=True)
class Outlook:
    """What an attempt sees of its queue.

    ``members`` is the assumed set, in any order; empty when the gate is off. ``round_runs``: some
    unit of the queue is marked. ``claimed``: a unit ahead asks for something that free quota plus
    what is marked could meet. ``within_reach`` says that of the unit itself. ``round_is_new``: the
    round began in this very pass. ``again``: nothing is known to have changed since the last pass,
    so that what would only repeat itself is not said.
    """

    settings: Settings
    room: Room
    members: Collection[Unit]
    round_runs: bool
    claimed: bool
    within_reach: bool
    round_is_new: bool
    now: Instant
    protection: float
    again: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt; ``admitted``, ``filtered`` (the filter refused) or neither."""

    decisions: tuple[Decision, ...]
    admitted: bool = False
    filtered: bool = False
    markings: tuple[Marking, ...] = ()
    wake_at: Instant | None = None


def attempt(unit: Unit, outlook: Outlook) -> Outcome:
    """Try to admit a unit that asks, carries no mark and can be charged."""
    limit = outlook.room.refusal(unit)
    if limit:
        return _after_filter(unit, limit, outlook)
    if any(member.key != unit.key for member in outlook.members):
        return _before_reservation(unit, outlook)
    if outlook.round_runs and outlook.claimed:
        return Outcome(wait(unit, NO_MORE_MESSAGE, outlook.now))
    return Outcome((grant(unit, outlook.now),), admitted=True)


def wait(unit: Unit, message: str, now: Instant) -> tuple[Decision, ...]:
    """A refusal that is no attempt: said on the unit if it does not say so already."""
    if unit.message == message:
        return ()
    return (refusal(unit, message, now, attempt=False),)


def _after_filter(unit: Unit, limit: str, outlook: Outlook) -> Outcome:
    succeeded = _refused_by_filter(unit, limit + SUCCEED_SUFFIX, outlook)
    failed = _refused_by_filter(unit, limit + FAILED_SUFFIX, outlook)
    error = _preemption_error(unit, outlook)
    if error:
        first = outlook.within_reach and not outlook.claimed
        # What it has said does not flip while the round runs.
        said = unit.message == limit + SUCCEED_SUFFIX and not outlook.round_is_new
        met = outlook.round_runs and (first or said) and not outlook.settings.intelligent
        why = _log("not preempting", unit, error=error)
        return Outcome((why, *(succeeded if met else failed)), filtered=True)
    found = candidates(unit, outlook.members, now=outlook.now, protection=outlook.protection)
    passed_over = _passed_over(unit, found)
    chosen = victims_after_filter(unit, found.markings, outlook.room)
    if not chosen:
        why = _log("not preempting", unit, error=NO_VICTIMS_ERROR)
        return Outcome((*passed_over, why, *failed), filtered=True, wake_at=found.protection_end)
    step = _preempt(unit, chosen, succeeded, failed, outlook.now)
    return Outcome(
        (*passed_over, *_choices(unit, chosen), step),
        filtered=True,
        markings=chosen,
        wake_at=found.protection_end,
    )


def _before_reservation(unit: Unit, outlook: Outlook) -> Outcome:
    no_more = wait(unit, NO_MORE_MESSAGE, outlook.now)
    if outlook.round_runs:
        marked = [item for item in outlook.members if item.marked and item.order > unit.order]
        if not marked:
            return Outcome(no_more)
        if unit.message.startswith(WAITING_PREFIX):
            return Outcome(())
        return Outcome(wait(unit, _waiting_for(marked), outlook.now))
    found = candidates(unit, outlook.members, now=outlook.now, protection=outlook.protection)
    passed_over = _passed_over(unit, found)
    if not found.markings:
        return Outcome((*passed_over, *no_more), wake_at=found.protection_end)
    victims = (item.unit for item in found.markings)
    succeeded = wait(unit, _waiting_for(victims), outlook.now)
    step = _preempt(unit, found.markings, succeeded, no_more, outlook.now)
    return Outcome(
        (*passed_over, *_choices(unit, found.markings), step),
        markings=found.markings,
        wake_at=found.protection_end,
    )


def _preemption_error(unit: Unit, outlook: Outlook) -> str:
    if outlook.settings.intelligent:
        return INTELLIGENT_ERROR
    if outlook.round_runs:
        return preempting_error(unit.queue)
    if not outlook.settings.gate:
        return GATE_OFF_ERROR
    if not outlook.settings.preemption:
        return PREEMPTION_OFF_ERROR
    return ""


def _preempt(
    preemptor: Unit,
    markings: tuple[Marking, ...],
    succeeded: tuple[Decision, ...],
    failed: tuple[Decision, ...],
    now: Instant,
) -> Preempt:
    marked = tuple(
        (
            preempted(item.unit, to_text(now)),
            _log("victim marked", item.unit, preemptor=str(preemptor.ref)),
        )
        for item in markings
    )
    return Preempt(tuple(mark(item, now) for item in markings), marked, succeeded, failed)


def _refused_by_filter(unit: Unit, message: str, outlook: Outlook) -> tuple[Decision, ...]:
    if outlook.again and unit.message == message:
        return ()
    return (refusal(unit, message, outlook.now, attempt=True),)


def _waiting_for(victims: Iterable[Unit]) -> str:
    return f"{WAITING_PREFIX}{','.join(sorted(str(item.ref) for item in victims))}]"


def _choices(preemptor: Unit, markings: tuple[Marking, ...]) -> tuple[Log, ...]:
    return tuple(
        _log("victim chosen", item.unit, preemptor=str(preemptor.ref)) for item in markings
    )


def _passed_over(preemptor: Unit, found: Candidates) -> tuple[Log, ...]:
    return tuple(
        _log("passed over for protection", unit, preemptor=str(preemptor.ref))
        for unit in found.protected
    )


def _log(message: str, unit: Unit, **fields: str) -> Log:
    return Log(2, message, {"queue": unit.queue, "unit": str(unit.ref), **fields})
