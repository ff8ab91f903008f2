"""Faults in what the controller shows: messages, metrics, events, its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from controller.core import QueueLedger, attempt
from controller.core.decisions import Decision, EmitEvent, Object, Patch, Write
from controller.core.instants import Instant
from controller.core.model import Unit
from controller.core.vocabulary import FAILED_SUFFIX, SUCCEED_SUFFIX
from controller.shell import events, metrics
from controller.shell.logs import Journal
from tests.lying.patches import try_again_every

Decisions = tuple[Decision, ...]


def forgets_what_is_short() -> None:
    """After an attempt that marked somebody the message says nothing else."""
    honest = attempt._refused_by_filter

    def lie(unit: Unit, message: str, outlook: attempt.Outlook) -> Decisions:
        marked = message.endswith(SUCCEED_SUFFIX)
        return honest(unit, "victims are marked" if marked else message, outlook)

    attempt._refused_by_filter = lie


def keeps_no_quiet() -> None:
    """Every six seconds all that waits is tried again, although nothing has happened."""
    try_again_every(6.0)


def forgets_no_series() -> None:
    """The series of a queue stay when it is gone."""
    honest = metrics._Queues.active

    def lie(self: metrics._Queues, units: Mapping[str, int]) -> set[str]:
        return honest(self, {**dict.fromkeys(self._active, 0), **units})

    metrics._Queues.active = lie  # type: ignore[method-assign]


def counts_who_waits_only() -> None:
    """A unit that holds a part of what it asks for is not counted as active."""
    honest = QueueLedger.active

    def lie(self: QueueLedger) -> Mapping[str, int]:
        parts = {
            name: sum(unit.reserves for unit in book.asking) for name, book in self._books.items()
        }
        return {name: number - parts.get(name, 0) for name, number in honest(self).items()}

    QueueLedger.active = lie  # type: ignore[method-assign]


def multiplies_events() -> None:
    """Each refusal is an event of its own."""
    honest = events._name
    numbers = count()

    def lie(event: EmitEvent, *, uid: str, message: str) -> str:
        return honest(event, uid=uid, message=f"{message}{next(numbers)}")

    events._name = lie


def speaks_at_length() -> None:
    """The message of an event is as long as it comes."""
    events.shortened = lambda message: message


def logs_no_namespace() -> None:
    """The log names units without their namespace."""
    honest = Journal.say

    def lie(
        self: Journal, level: int, message: str, fields: Mapping[str, str] | None = None
    ) -> None:
        # Every line: one about a unit's admission may be written after the step that follows it.
        bare = {key: _names(text) for key, text in (fields or {}).items()}
        honest(self, level, message, bare)

    Journal.say = lie  # type: ignore[method-assign]


def tells_the_opposite() -> None:
    """An attempt that marked somebody says that it failed, any other one that it succeeded."""
    attempt.SUCCEED_SUFFIX = FAILED_SUFFIX  # type: ignore[attr-defined]
    attempt.FAILED_SUFFIX = SUCCEED_SUFFIX  # type: ignore[attr-defined]


def counts_downwards() -> None:
    """Each attempt is taken away from the series."""

    def lie(self: metrics._Queues, queue: str, result: str) -> None:
        self._attempts[queue, result] = self._attempts.get((queue, result), 0) - 1

    metrics._Queues.attempt = lie  # type: ignore[method-assign]


def counts_one_attempt() -> None:
    """Only the first refusal of a unit is counted."""
    honest = attempt.refusal  # type: ignore[attr-defined]

    def lie(unit: Unit, message: str, now: Instant, **counted: bool) -> Write:
        write: Write = honest(unit, message, now, **counted)
        return honest(unit, message, now, attempt=False) if unit.message else write

    attempt.refusal = lie  # type: ignore[attr-defined]


def counts_whether_there_was_one() -> None:
    """The metric is 1 once there was an attempt with that result, and stays so."""

    def lie(self: metrics._Queues, queue: str, result: str) -> None:
        with self._lock:
            self._attempts[queue, result] = 1

    metrics._Queues.attempt = lie  # type: ignore[method-assign]


def counts_who_has_gone() -> None:
    """Whoever has waited once counts as active for ever."""
    honest = metrics._Queues.active

    def lie(self: metrics._Queues, units: Mapping[str, int]) -> set[str]:
        most = {name: max(number, self._active.get(name, 0)) for name, number in units.items()}
        return honest(self, most)

    metrics._Queues.active = lie  # type: ignore[method-assign]


def moves_the_phase_on() -> None:
    """A unit that is refused gets a phase of its own."""
    honest = attempt.refusal  # type: ignore[attr-defined]

    def lie(unit: Unit, message: str, now: Instant, **counted: bool) -> Write:
        write: Write = honest(unit, message, now, **counted)

        def change(raw: Object) -> Patch | None:
            patch = write.change(raw)
            return patch and {"status": {**patch["status"], "phase": "Reserved"}}

        return replace(write, change=change)

    attempt.refusal = lie  # type: ignore[attr-defined]


def _names(units: str) -> str:
    """Of references that commas part."""
    return ",".join(each.rpartition("/")[2] for each in units.split(","))
