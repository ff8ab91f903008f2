"""Faults in preemption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from controller.core import QueueLedger, attempt, decode, passes, unit_writes, victims
from controller.core.decisions import Kind, Object, Patch, Preempt, Write
from controller.core.instants import Instant
from controller.core.model import OrderKey, Settings, Unit
from controller.core.passes import Stretch
from controller.core.quantity import Resources, total
from controller.core.queueing import _Book
from controller.core.quota_filter import Room
from controller.core.victims import Candidates, Marking
from controller.core.vocabulary import (
    BLOCK_POLICY,
    PRIORITY_POLICY,
    SUCCEED_SUFFIX,
    WAITING_PREFIX,
)

Attempt = Callable[[Unit, attempt.Outlook], attempt.Outcome]


def takes_everybody() -> None:
    """After the filter every lower member is marked, if only all of them are enough."""

    def lie(preemptor: Unit, markings: Sequence[Marking], room: Room) -> tuple[Marking, ...]:
        enough = victims.victims_after_filter(preemptor, markings, room)
        return tuple(markings) if enough else ()

    attempt.victims_after_filter = lie  # type: ignore[attr-defined]


def stops_at_one_resource() -> None:
    """One resource of the request that is covered is enough."""

    def lie(offered: Resources, wanted: Resources) -> bool:
        return any(offered.get(resource, 0) >= number for resource, number in wanted.items())

    victims.covers = lie  # type: ignore[attr-defined]


def counts_what_is_free() -> None:
    """Members are marked until the request fits, with what was free before."""

    def lie(preemptor: Unit, markings: Sequence[Marking], room: Room) -> tuple[Marking, ...]:
        for number in range(len(markings) + 1):
            freed = total(marking.freed for marking in markings[:number])
            if room.freed(freed).admits(preemptor):
                return tuple(markings[:number])
        return ()

    attempt.victims_after_filter = lie  # type: ignore[attr-defined]


def tries_in_vain() -> None:
    """Members are marked although the request would not fit without them."""

    def lie(preemptor: Unit, markings: Sequence[Marking], room: Room) -> tuple[Marking, ...]:
        del room
        return victims.enough_for(preemptor.request, markings)

    attempt.victims_after_filter = lie  # type: ignore[attr-defined]


def reserves_singly() -> None:
    """Before the reservation only the lowest member is marked."""
    honest = attempt._before_reservation

    def lie(unit: Unit, outlook: attempt.Outlook) -> attempt.Outcome:
        lowest = max(outlook.members, key=lambda member: member.order)
        return honest(unit, replace(outlook, members=(lowest,)))

    attempt._before_reservation = lie


def needs_both() -> None:
    """Before the reservation nobody is marked while preemption is off."""
    honest = attempt._before_reservation

    def lie(unit: Unit, outlook: attempt.Outlook) -> attempt.Outcome:
        off = not outlook.settings.preemption
        return honest(unit, replace(outlook, round_runs=outlook.round_runs or off))

    attempt._before_reservation = lie


def marks_upwards() -> None:
    """Members are marked wherever they stand."""
    honest = victims.candidates

    def lie(
        preemptor: Unit, members: Iterable[Unit], *, now: Instant, protection: float
    ) -> Candidates:
        first = replace(preemptor, priority=1_000_000)
        return honest(first, members, now=now, protection=protection)

    attempt.candidates = lie  # type: ignore[attr-defined]


def spares_the_urgent() -> None:
    """A unit that has preempted others is no victim; told here by its priority."""
    honest = victims.candidates

    def lie(
        preemptor: Unit, members: Iterable[Unit], *, now: Instant, protection: float
    ) -> Candidates:
        humble = [member for member in members if member.priority < 50]
        return honest(preemptor, humble, now=now, protection=protection)

    attempt.candidates = lie  # type: ignore[attr-defined]


def gives_to_the_next() -> None:
    """A marked victim is no member, and what it releases goes to whoever asks next."""

    def see(outlook: attempt.Outlook) -> attempt.Outlook:
        left = [member for member in outlook.members if not member.marked]
        return replace(outlook, members=left, claimed=False)

    _seeing(see)


def forgets_the_round() -> None:
    """A new round begins while the one before it runs."""
    _seeing(lambda outlook: replace(outlook, round_runs=False))


def marks_again() -> None:
    """A mark does not keep an admission from being marked, again at once and with each attempt."""
    forgets_the_round()

    def reclaimable(unit: Unit) -> dict[str, int]:
        return {
            item.name: item.replicas - item.running
            for item in unit.admissions
            if item.replicas > item.running
        }

    honest, honest_step = unit_writes.mark, attempt._preempt

    def mark(marking: Marking, now: Instant) -> Write:
        write = honest(marking, now)

        def change(raw: Object) -> Patch | None:
            # Only as it was decided: of a unit that was written meanwhile the next attempt decides.
            if reclaimable(decode.unit(raw)) != marking.replicas:
                return None
            status = {**raw["status"]}
            status["admissions"] = [
                {key: value for key, value in entry.items() if key != "reclaimState"}
                for entry in status["admissions"]
            ]
            return write.change({**raw, "status": status})

        return replace(write, change=change)

    def preempt(
        preemptor: Unit, markings: tuple[Marking, ...], succeeded: Any, failed: Any, now: Instant
    ) -> Preempt:
        """The release may come before another attempt; before this second mark it does not."""
        first = honest_step(preemptor, markings, succeeded, failed, now)
        again = honest_step(preemptor, markings, succeeded, failed, now + 0.001)
        # Told of with the first one: a job extension may be quicker even than two writes in a row.
        told = tuple((*one, *two) for one, two in zip(first.marked, again.marked, strict=True))
        return replace(
            first,
            marks=(*first.marks, *again.marks),
            marked=(*told, *(() for _ in again.marks)),
        )

    victims.reclaimable = reclaimable
    attempt.mark = mark  # type: ignore[attr-defined]
    attempt._preempt = preempt


def runs_one_round_for_all() -> None:
    """A round in any queue is one in every queue."""
    honest = QueueLedger._pass

    def lie(
        self: QueueLedger, queue: str, served: Settings, book: _Book, *rest: Any, **more: Any
    ) -> Stretch:
        everywhere = {
            key: unit for each in self._books.values() for key, unit in each.marked.items()
        }
        return honest(self, queue, served, replace(book, marked=everywhere), *rest, **more)

    QueueLedger._pass = lie  # type: ignore[method-assign]


def stops_behind_everybody() -> None:
    """A Priority queue is served as a Block queue."""
    passes.BLOCK_POLICY = PRIORITY_POLICY  # type: ignore[attr-defined]


def marks_nobody_in_block() -> None:
    """Preemption is for Priority queues only."""

    def see(outlook: attempt.Outlook) -> attempt.Outlook:
        block = outlook.settings.policy == BLOCK_POLICY
        return replace(outlook, round_runs=outlook.round_runs or block)

    _seeing(see)


def errs_once_in_intelligent() -> None:
    """The first attempt in an Intelligent queue fails, the next one marks."""
    honest = attempt._preemption_error
    Settings.gated = property(lambda self: self.gate)  # type: ignore[method-assign,assignment]

    def lie(unit: Unit, outlook: attempt.Outlook) -> str:
        return "" if unit.message else honest(unit, outlook)

    attempt._preemption_error = lie


def claims_success() -> None:
    """Whatever came of the attempt, the message says that it succeeded."""
    attempt.FAILED_SUFFIX = SUCCEED_SUFFIX  # type: ignore[attr-defined]


def keeps_who_runs() -> None:
    """A unit stays a member of the assumed set when its pods run."""
    Unit.member = property(lambda unit: unit.reserves)  # type: ignore[method-assign,assignment]


def waits_for_the_dead() -> None:
    """A unit that was deleted goes on asking."""
    honest = QueueLedger.apply

    def lie(self: QueueLedger, kind: Kind, raw: Object, *, deleted: bool) -> frozenset[str]:
        return honest(self, kind, raw, deleted=deleted and kind is not Kind.UNIT)

    QueueLedger.apply = lie  # type: ignore[method-assign]


def goes_by_age_below_ten() -> None:
    """The order of units of low priority is that of their creation."""

    def order(unit: Unit) -> OrderKey:
        return (-(unit.priority // 10), unit.created, str(unit.ref))

    Unit.order = property(order)  # type: ignore[method-assign,assignment]


def names_no_victim() -> None:
    """The message before the reservation leaves the victims' names out."""
    attempt._waiting_for = lambda victims: f"{WAITING_PREFIX}{len(list(victims))}]"


def _seeing(see: Callable[[attempt.Outlook], attempt.Outlook]) -> None:
    """Each attempt sees its queue so."""
    honest: Attempt = attempt.attempt
    passes.attempt = lambda unit, outlook: honest(unit, see(outlook))  # type: ignore[attr-defined]
