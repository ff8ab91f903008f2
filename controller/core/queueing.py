"""The queue component's memory and its plans.

A ledger is fed with every object of its kinds (apply) and asked what is to be done for one queue
(plan), and for its list of waiting units (relist). Apart from what only saves repetition, and from
what the pods of deleted Jobs hold (departed), it holds nothing that a list of the objects would not
give again. Indices are kept per queue, so neither looks at other queues than those concerned.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from controller.core import decode, queue_objects
from controller.core.attempt import wait
from controller.core.decisions import Decision, EmitEvent, Kind, Log, Object, Ref
from controller.core.departed import Departed
from controller.core.instants import Instant
from controller.core.listing import Listings
from controller.core.model import Settings, Unit, UnitKey
from controller.core.passes import Cursor, Pass, Stretch
from controller.core.quota_filter import Room
from controller.core.quotas import Quotas, difference
from controller.core.ranking import Ranking
from controller.core.unit_events import preempted, queue_not_found, reclaimed


@dataclass(frozen=True)
class Plan:
    """What to do for one queue now.

    ``wake_at`` is when to ask again although nothing has happened. With ``cursor`` set the pass is
    not over: carry the decisions out, apply their results, and ask at once with the cursor.
    """

    decisions: tuple[Decision, ...]
    wake_at: Instant | None = None
    cursor: Cursor | None = None


@dataclass
class _Book:
    """The units of one queue, indexed.

    ``changes`` counts what was applied that a pass had not foreseen, ``seen_changes`` is how many
    of them the pass under way has seen.
    """

    units: dict[UnitKey, Unit] = field(default_factory=dict)
    asking: Ranking = field(default_factory=Ranking)
    members: Ranking = field(default_factory=Ranking)
    marked: dict[UnitKey, Unit] = field(default_factory=dict)
    foreseen: dict[UnitKey, object] = field(default_factory=dict)
    unfound: dict[Ref, EmitEvent] = field(default_factory=dict)
    released: set[str] = field(default_factory=set)
    changes: int = 0
    seen_changes: int = 0

    def put(self, unit: Unit) -> None:
        self.units[unit.key] = unit
        if unit.asks:
            self.asking.add(unit)
        if unit.member:
            self.members.add(unit)
        if unit.marked:
            self.marked[unit.key] = unit

    def take(self, unit: Unit) -> None:
        self.units.pop(unit.key, None)
        self.asking.discard(unit)
        self.members.discard(unit)
        self.marked.pop(unit.key, None)


class QueueLedger:
    """Quotas, Queues and units, indexed for decisions. Not for use by several threads at once."""

    kinds: tuple[Kind, ...] = (Kind.QUOTA, Kind.QUEUE, Kind.UNIT, Kind.POD)

    def __init__(self, *, namespace: str, protection: float = 0.0) -> None:
        """Queues are looked for in ``namespace``; ``protection`` is in seconds."""
        self.listings = Listings()
        self._namespace = namespace
        self._protection = protection
        self._quotas = Quotas()
        self._quota_objects: dict[tuple[str, str], Object] = {}
        self._queue_objects: dict[str, Object] = {}
        self._units: dict[UnitKey, Unit] = {}
        self._books: dict[str, _Book] = {}
        self._departed = Departed()
        self._told: dict[tuple[Kind, str, str], str | None] = {}

    def apply(self, kind: Kind, raw: Object, *, deleted: bool) -> frozenset[str]:
        """Take note of an object; returns the queues whose plan may have changed.

        Changes that cannot help any unit (messages, counters, timestamps, a phase) return nothing.
        Never raises, whatever the object looks like.
        """
        affected = self._apply(kind, raw, deleted=deleted)
        for name in affected & self._books.keys():
            self._books[name].changes += 1
        return affected

    def _apply(self, kind: Kind, raw: Object, *, deleted: bool) -> frozenset[str]:
        if kind is Kind.QUOTA:
            return self._apply_quota(raw, deleted=deleted)
        if kind is Kind.QUEUE:
            return self._apply_queue(raw, deleted=deleted)
        if kind is Kind.UNIT:
            unit = decode.unit(raw)
            return self._apply_unit(unit.charged_like(self._units.get(unit.key)), deleted=deleted)
        if kind is Kind.POD:
            return self._recharge(*self._departed.note_pod(raw, deleted=deleted))
        return frozenset()

    def plan(
        self, queue: str, now: Instant, cursor: Cursor | None = None, *, again: bool = False
    ) -> Plan:
        """What to do for a queue; ``cursor`` goes on with the pass that returned it.

        A pass ends where something has changed that it did not foresee: what those before the
        cursor were refused for may hold no longer, and the change brings a pass of its own.
        ``again``: nothing is known to have changed (a resync, a restart). Whatever has been missed
        is decided, but a refusal that would only repeat itself is no attempt.
        """
        quota, object_ = self._quota_object(queue), self._queue_objects.get(queue)
        book = self._books.get(queue) or _Book()
        if not book.units:
            self._books.pop(queue, None)
        if cursor and book.changes != book.seen_changes:
            return Plan(())
        book.seen_changes = book.changes
        first = [] if cursor else self._first_things(queue, quota, object_, book)
        if quota is None and (object_ is None or queue_objects.made_from_quota(object_)):
            return Plan((*first, *self._without_queue(book, queue, now)))
        book.unfound.clear()
        served = queue_objects.settings(quota, object_)
        if served.problem:
            for unit in book.asking:
                if unit.owed_reclaimed:
                    first += self._tell(reclaimed(unit))
            return Plan(tuple(first))
        stretch = self._pass(queue, served, book, now, cursor, again=again)
        book.foreseen.update({unit.key: unit.standing for unit in stretch.foreseen})
        return Plan((*first, *stretch.decisions), stretch.wake_at, stretch.cursor)

    def relist(self, queue: str, now: Instant) -> Plan:
        """What to do for a queue's list of waiting units; ``listings`` knows when to ask."""
        object_, book = self._queue_objects.get(queue), self._books.get(queue)
        served = queue_objects.settings(self._quota_object(queue), object_)
        if object_ is None or served.problem:
            return Plan(())
        write, wake_at = self.listings.step(object_, book.asking if book else (), now)
        return Plan((write,) if write else (), wake_at)

    def retell(self) -> None:
        """The events of a plan may not have been written: let the next plans have them again."""
        self._told.clear()

    def active(self) -> Mapping[str, int]:
        """How many units of each existing queue ask."""
        return {
            name: len(self._books[name].asking) if name in self._books else 0
            for name in self._quotas.names() | self._queue_objects.keys()
        }

    def _apply_quota(self, raw: Object, *, deleted: bool) -> frozenset[str]:
        quota = decode.quota(raw)
        name = quota.ref.name
        key = (quota.ref.namespace, name)
        before = self._served_as(name)
        if deleted:
            self._quota_objects.pop(key, None)
            affected = self._quotas.drop(quota)
        else:
            self._quota_objects[key] = raw
            affected = self._quotas.put(quota)
        affected = frozenset(other for other in affected if other in self._books)
        return affected | self._if_served_otherwise(name, before)

    def _apply_queue(self, raw: Object, *, deleted: bool) -> frozenset[str]:
        ref = decode.ref(Kind.QUEUE, raw)
        if ref.namespace != self._namespace:
            return frozenset()
        self.listings.note_queue(ref.name, deleted=deleted)
        before = self._served_as(ref.name)
        if deleted:
            self._queue_objects.pop(ref.name, None)
        else:
            self._queue_objects[ref.name] = raw
        return self._if_served_otherwise(ref.name, before)

    def _served_as(self, name: str) -> object:
        quota, object_ = self._quota_object(name), self._queue_objects.get(name)
        exists = quota is not None or object_ is not None
        quotas = tuple(item.ref for item in self._quotas.named(name))
        return exists, quotas, queue_objects.settings(quota, object_)

    def _if_served_otherwise(self, name: str, before: object) -> frozenset[str]:
        """The queue, if it is served in another way than before or its object is not right yet.

        So what the ledger's own writes of Queue objects bring back wakes nobody.
        """
        step = queue_objects.synchronise(
            namespace=self._namespace,
            name=name,
            quota=self._quota_object(name),
            queue=self._queue_objects.get(name),
        )
        unchanged = step is None and self._served_as(name) == before
        return frozenset() if unchanged else frozenset({name})

    def _apply_unit(self, unit: Unit, *, deleted: bool) -> frozenset[str]:
        before = self._units.pop(unit.key, None)
        foreseen = None
        if before:
            foreseen = self._remove(before)
        if not deleted:
            self._units[unit.key] = unit
            self._books.setdefault(unit.queue, _Book()).put(unit)
        after = None if deleted else unit
        if after is None:
            for reason in ("Preempted", "Reclaimed"):
                self._told.pop((Kind.UNIT, str(unit.ref), reason), None)
        self._note_release(before, after)
        self.listings.note_unit(before, after)
        if before and after and before.standing == after.standing:
            if foreseen is not None:
                self._books[unit.queue].foreseen[unit.key] = foreseen
            return frozenset()
        if before and (after is None or after.ref.uid != before.ref.uid):
            self._departed.note_gone(before)
        helped = self._charge(before, after)
        helped |= self._recharge(*(item.job_uid for item in (before, after) if item))
        if after is None or after.standing != foreseen:
            helped |= {item.queue for item in (before, after) if item and item.queue}
        return frozenset(helped)

    def _remove(self, unit: Unit) -> object:
        book = self._books[unit.queue]
        book.take(unit)
        return book.foreseen.pop(unit.key, None)

    def _charge(self, before: Unit | None, after: Unit | None) -> set[str]:
        """Move what the unit holds; returns the other queues that are given room by it."""
        helped: set[str] = set()
        if before and after and before.queue == after.queue:
            more = difference(after.held, before.held)
            self._quotas.charge(after.queue, more)
            if any(number < 0 for number in more.values()):
                helped |= self._waiting_relatives(after.queue)
            return helped
        if before:
            self._quotas.charge(before.queue, difference({}, before.held))
            if before.reserves:
                helped |= self._waiting_relatives(before.queue)
        if after:
            self._quotas.charge(after.queue, after.held)
        return helped

    def _recharge(self, *job_uids: str) -> frozenset[str]:
        """Charge what pods of deleted Jobs hold; returns the queues that are given room by it."""
        helped: set[str] = set()
        for job_uid in job_uids:
            key = self._departed.key(job_uid)
            if key is None:
                continue
            queue, more = self._departed.recharge(job_uid, self._units.get(key))
            self._quotas.charge(queue, more)
            if any(number < 0 for number in more.values()):
                helped |= self._waiting_relatives(queue)
        return frozenset(helped)

    def _waiting_relatives(self, queue: str) -> set[str]:
        return {
            name
            for name in self._quotas.relatives(queue)
            if name in self._books and len(self._books[name].asking)
        }

    def _note_release(self, before: Unit | None, after: Unit | None) -> None:
        if before is None or not before.marked:
            return
        if after is None or not after.marked or after.queue != before.queue:
            self._books[before.queue].released.add(str(before.ref))

    def _quota_object(self, name: str) -> Object | None:
        found = self._quotas.named(name)
        return self._quota_objects[found[0].ref.namespace, name] if found else None

    def _first_things(
        self, queue: str, quota: Object | None, object_: Object | None, book: _Book
    ) -> list[Decision]:
        """What precedes the first attempt: the Queue object, events owed, the log."""
        book.foreseen.clear()
        step = queue_objects.synchronise(
            namespace=self._namespace, name=queue, quota=quota, queue=object_
        )
        decisions: list[Decision] = [step] if step else []
        served = queue_objects.settings(quota, object_)
        if object_ is not None and served.problem:
            decisions += self._tell(queue_objects.add_failed(object_, served.problem))
        quotas = self._quotas.named(queue)
        for younger in quotas[1:]:
            decisions += self._tell(queue_objects.name_taken(younger.ref, quotas[0].ref))
        for unit in book.marked.values():
            decisions += self._tell(preempted(unit, unit.last_update_text))
        if book.released and not book.marked:
            names = ",".join(sorted(book.released))
            decisions.append(Log(2, "round ended", {"queue": queue, "unit": names}))
            book.released.clear()
        return decisions

    def _pass(
        self,
        queue: str,
        served: Settings,
        book: _Book,
        now: Instant,
        cursor: Cursor | None,
        *,
        again: bool,
    ) -> Stretch:
        return Pass(
            settings=served,
            room=Room.of(self._quotas, queue),
            asking=book.asking,
            members=book.members,
            marked=book.marked.values(),
            now=now,
            protection=self._protection,
            cursor=cursor,
            again=again,
        ).run()

    def _without_queue(self, book: _Book, queue: str, now: Instant) -> tuple[Decision, ...]:
        """Who has its message has been told; until then the event is one and the same.

        Others may write to the unit between the event and the message.
        """
        decisions: list[Decision] = []
        before, book.unfound = book.unfound, {}
        for unit in book.asking:
            message = f"queue {queue} not found for queueUnit {unit.ref}"
            if unit.marked or unit.message == message:
                continue
            if unit.owed_reclaimed:
                decisions.append(reclaimed(unit))
            event = before.get(unit.ref) or queue_not_found(unit, message)
            book.unfound[unit.ref] = event
            decisions += [event, *wait(unit, message, now)]
        return tuple(decisions)

    def _tell(self, event: EmitEvent) -> list[EmitEvent]:
        """The event, unless it is the last of its kind that was sent for its object."""
        about = (event.target.kind, str(event.target), event.reason)
        if self._told.get(about) == event.once:
            return []
        self._told[about] = event.once
        return [event]
