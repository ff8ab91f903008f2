"""One pass over the units of a queue that ask, first to last.

Within a pass the effect of its own admissions is simulated, so that the next unit is judged as if
they had been written. A pass stops behind the first Preempt, because only its execution tells who
has been marked; the cursor says where to go on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from controller.core.attempt import Outcome, Outlook, attempt, wait
from controller.core.decisions import Decision
from controller.core.instants import Instant
from controller.core.model import Admission, OrderKey, RequestKey, Settings, Unit
from controller.core.quantity import total
from controller.core.quota_filter import Room
from controller.core.ranking import Ranking
from controller.core.unit_events import reclaimed
from controller.core.vocabulary import (
    BLOCK_POLICY,
    FAILED_SUFFIX,
    NO_MORE_MESSAGE,
    SUCCEED_SUFFIX,
)


@dataclass(frozen=True)
class Cursor:
    """Where a pass has got to, and what it has to remember of the way."""

    after: OrderKey
    looked_at: int
    refused: frozenset[RequestKey]
    blocked: bool
    wake_at: Instant | None


@dataclass(frozen=True)
class Stretch:
    """What a pass has come to: all there was to do, or all up to a Preempt if ``cursor`` is set.

    ``foreseen`` are the units as they will be once the decisions have been carried out.
    """

    decisions: tuple[Decision, ...]
    foreseen: tuple[Unit, ...]
    wake_at: Instant | None
    cursor: Cursor | None


class Pass:
    """The state of one pass between two units."""

    def __init__(
        self,
        *,
        settings: Settings,
        room: Room,
        asking: Ranking,
        members: Iterable[Unit],
        marked: Iterable[Unit],
        now: Instant,
        protection: float,
        cursor: Cursor | None,
        again: bool,
    ) -> None:
        self._settings = settings
        self._room = room
        self._asking = asking
        self._members = {unit.key: unit for unit in members} if settings.gated else {}
        marks = [unit.marked_cost for unit in marked]
        self._round_runs = bool(marks)
        self._marked_cost = total(marks)
        self._now = now
        self._protection = protection
        self._again = again
        self._start = cursor.after if cursor else None
        self._looked_at = cursor.looked_at if cursor else 0
        self._refused = set(cursor.refused) if cursor else set()
        self._blocked = cursor.blocked if cursor else False
        self._wake_at = cursor.wake_at if cursor else None
        self._claimed = self._claimed_before(self._start)
        self._decisions: list[Decision] = []
        self._foreseen: list[Unit] = []

    def run(self) -> Stretch:
        """Go on to the end, or to the first Preempt."""
        depth = None if self._settings.intelligent else self._settings.max_depth
        for unit in self._asking.after(self._start):
            if depth is not None and self._looked_at >= depth:
                return self._cut_short(unit)
            self._looked_at += 1
            if unit.marked:
                continue
            outcome = self._try(unit)
            self._decisions += outcome.decisions
            self._learn(unit, outcome)
            if outcome.markings:
                cursor = Cursor(
                    unit.order,
                    self._looked_at,
                    frozenset(self._refused),
                    self._blocked,
                    self._wake_at,
                )
                return self._stretch(cursor)
        return self._stretch(None)

    def _cut_short(self, next_one: Unit) -> Stretch:
        """The depth is reached.

        What has been admitted lets others come within it, so the results of this pass must lead to
        another: nothing of it is foreseen.
        """
        self._foreseen.clear()
        for unit in (next_one, *self._asking.after(next_one.order)):
            if unit.owed_reclaimed:
                self._decisions += (reclaimed(unit), *wait(unit, NO_MORE_MESSAGE, self._now))
        return self._stretch(None)

    def _try(self, unit: Unit) -> Outcome:
        outcome = self._judge(unit)
        if unit.owed_reclaimed:
            return replace(outcome, decisions=(reclaimed(unit), *outcome.decisions))
        return outcome

    def _judge(self, unit: Unit) -> Outcome:
        if unit.problem:
            return Outcome(wait(unit, unit.problem, self._now))
        if self._held_behind(unit):
            stands = self._refused_by_filter(unit)
            return Outcome(() if stands else wait(unit, NO_MORE_MESSAGE, self._now))
        if unit.request_key in self._refused and self._refused_by_filter(unit):
            return Outcome((), filtered=True)
        return attempt(unit, self._outlook(unit))

    def _refused_by_filter(self, unit: Unit) -> bool:
        """Whether its message is a refusal by the filter that may still be true."""
        suffixes = (SUCCEED_SUFFIX, FAILED_SUFFIX)
        return unit.message.endswith(suffixes) and self._room.can_say(unit.message)

    def _held_behind(self, unit: Unit) -> bool:
        if self._settings.policy == BLOCK_POLICY:
            return self._blocked
        if self._settings.intelligent:
            return self._blocked and unit.priority < self._settings.threshold
        return False

    def _holds_up(self, unit: Unit) -> bool:
        """Whether others stay behind it.

        In an Intelligent queue only behind who waits: is at the threshold, and holds nothing yet.
        """
        waits = unit.priority >= self._settings.threshold and not unit.reserves
        return waits or not self._settings.intelligent

    def _outlook(self, unit: Unit) -> Outlook:
        return Outlook(
            settings=self._settings,
            room=self._room,
            members=self._members.values(),
            round_runs=self._round_runs,
            claimed=self._claimed,
            within_reach=self._within_reach(unit),
            round_is_new=self._start is not None,
            now=self._now,
            protection=self._protection,
            again=self._again,
        )

    def _learn(self, unit: Unit, outcome: Outcome) -> None:
        if outcome.admitted:
            granted = _granted(unit)
            self._room = self._room.taken(unit.request)
            self._foreseen.append(granted)
            if self._settings.gated and granted.member:
                self._members[unit.key] = granted
        elif not unit.problem:
            self._blocked = self._blocked or self._holds_up(unit)
            self._claimed = self._claimed or self._within_reach(unit)
        if outcome.filtered:
            self._refused.add(unit.request_key)
        self._foreseen += [marking.marked for marking in outcome.markings]
        ends = [end for end in (self._wake_at, outcome.wake_at) if end is not None]
        self._wake_at = min(ends, default=None)

    def _within_reach(self, unit: Unit) -> bool:
        if not self._round_runs or unit.problem:
            return False
        return self._room.freed(self._marked_cost).admits(unit)

    def _claimed_before(self, place: OrderKey | None) -> bool:
        if place is None or not self._round_runs:
            return False
        for unit in self._asking:
            if unit.order > place:
                return False
            if not unit.marked and self._within_reach(unit):
                return True
        return False

    def _stretch(self, cursor: Cursor | None) -> Stretch:
        return Stretch(tuple(self._decisions), tuple(self._foreseen), self._wake_at, cursor)


def _granted(unit: Unit) -> Unit:
    admissions = tuple(
        replace(item, replicas=item.replicas + unit.missing.get(item.name, 0))
        for item in unit.admissions
    )
    known = {item.name for item in unit.admissions}
    fresh = tuple(
        Admission(name, replicas) for name, replicas in unit.missing.items() if name not in known
    )
    return replace(unit, admissions=admissions + fresh)
