"""Faults in the choice of victims."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from controller.core import attempt, passes, queueing, unit_writes, victims
from controller.core.decisions import Object, Patch, Write
from controller.core.instants import Instant
from controller.core.model import Unit, UnitKey
from controller.core.victims import Candidates, Marking
from controller.shell import configuration


def spares_equals() -> None:
    """Only a lower priority makes a victim; a later creation does not."""
    honest = victims.candidates

    def lie(preemptor: Unit, members: Iterable[Unit], **rest: Any) -> Candidates:
        lower = [unit for unit in members if unit.priority < preemptor.priority]
        return honest(preemptor, lower, **rest)

    attempt.candidates = lie  # type: ignore[attr-defined]


def marks_equals() -> None:
    """Of two units of one priority either takes back what the other holds."""
    honest = victims.candidates

    def lie(preemptor: Unit, members: Iterable[Unit], **rest: Any) -> Candidates:
        later = [
            replace(unit, created=preemptor.created + 1)
            if unit.priority == preemptor.priority
            else unit
            for unit in members
        ]
        return honest(preemptor, later, **rest)

    attempt.candidates = lie  # type: ignore[attr-defined]


def knows_no_age() -> None:
    """At one priority the names alone make the order."""
    Unit.order = property(  # type: ignore[assignment,method-assign]
        lambda self: (-self.priority, 0.0, str(self.ref))
    )


def evicts_what_runs() -> None:
    """A unit is a victim although every pod of it runs."""
    honest, honest_mark = victims.candidates, unit_writes.mark
    Unit.member = property(  # type: ignore[assignment,method-assign]
        lambda self: self.reserves
    )

    def idle(unit: Unit) -> Unit:
        return replace(unit, admissions=tuple(replace(it, running=0) for it in unit.admissions))

    def lie(preemptor: Unit, members: Iterable[Unit], **rest: Any) -> Candidates:
        return honest(preemptor, map(idle, members), **rest)

    def mark(marking: Marking, now: Instant) -> Write:
        write = honest_mark(marking, now)

        def change(raw: Object) -> Patch | None:
            entries = [{**entry, "running": 0} for entry in raw["status"]["admissions"]]
            return write.change({**raw, "status": {**raw["status"], "admissions": entries}})

        return replace(write, change=change)

    attempt.candidates = lie  # type: ignore[attr-defined]
    attempt.mark = mark  # type: ignore[attr-defined]


def marks_what_runs() -> None:
    """All that a victim holds is marked, running or not."""
    honest = unit_writes.mark

    def lie(marking: Marking, now: Instant) -> Write:
        write = honest(marking, now)

        def change(raw: Object) -> Patch | None:
            patch = write.change(raw)
            for entry in patch["status"]["admissions"] if patch else ():
                entry["reclaimState"] = {"replicas": entry["replicas"]}
            return patch

        return replace(write, change=change)

    attempt.mark = lie  # type: ignore[attr-defined]


def puts_victims_back() -> None:
    """A victim is Enqueued as soon as it is marked."""
    honest = unit_writes.mark

    def lie(marking: Marking, now: Instant) -> Write:
        write = honest(marking, now)

        def change(raw: Object) -> Patch | None:
            patch = write.change(raw)
            return {"status": {**patch["status"], "phase": "Enqueued"}} if patch else None

        return replace(write, change=change)

    attempt.mark = lie  # type: ignore[attr-defined]


def looks_into_other_queues() -> None:
    """Members of every queue are candidates."""
    everyone: list[Unit] = []
    plan, honest = queueing.QueueLedger.plan, victims.candidates

    def seen(self: queueing.QueueLedger, *rest: Any, **more: Any) -> queueing.Plan:
        everyone[:] = [unit for unit in self._units.values() if unit.member]
        return plan(self, *rest, **more)

    def lie(preemptor: Unit, members: Iterable[Unit], **rest: Any) -> Candidates:
        # Each unit once: those of the queue itself are among everyone.
        return honest(
            preemptor, {unit.key: unit for unit in (*members, *everyone)}.values(), **rest
        )

    queueing.QueueLedger.plan = seen  # type: ignore[method-assign]
    attempt.candidates = lie  # type: ignore[attr-defined]


def protects_nobody() -> None:
    """The protection time is read and not kept to."""
    victims.protection_end = lambda *_: None


def protects_from_creation() -> None:
    """The protection time counts from the unit's creation."""
    honest = victims.protection_end

    def lie(unit: Unit, now: Instant, protection: float) -> Instant | None:
        return honest(replace(unit, last_allocate=unit.created), now, protection)

    victims.protection_end = lie


def protects_by_default() -> None:
    """Where the configuration is silent, five minutes are protected."""
    honest = configuration._protection
    configuration._protection = lambda path, value: honest(path, "5m" if value == "0" else value)


def sleeps_on() -> None:
    """Nobody is tried again because a protection has ended.

    Nor does it help to come when it has: who asks for the first time finds everybody protected.
    """
    honest = attempt.attempt
    known: set[UnitKey] = set()

    def lie(unit: Unit, outlook: attempt.Outlook) -> attempt.Outcome:
        if unit.key not in known and outlook.protection > 0:
            outlook = replace(outlook, protection=math.inf)
        known.add(unit.key)
        return replace(honest(unit, outlook), wake_at=None)

    passes.attempt = lie  # type: ignore[attr-defined]
