"""The list of waiting units in a Queue's status.

Under ``status.queueItemDetails.active``, in queue order, with positions from 1: the first hundred
of those that ask and hold nothing. It is for people, so it may lag: one Queue is written at most
once per INTERVAL, however many units come and go, and not at all while its list is right.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from controller.core import decode
from controller.core.decisions import Kind, Object, Patch, Write
from controller.core.instants import Instant
from controller.core.model import OrderKey, Unit

LONGEST = 100
INTERVAL = 0.5


class Listings:
    """Which Queues' lists may be wrong, and when each was written last."""

    def __init__(self) -> None:
        self._stale: set[str] = set()
        self._written: dict[str, Instant] = {}

    def note_queue(self, name: str, *, deleted: bool) -> None:
        """Take note of a Queue that has come, changed or gone."""
        self._stale.add(name)
        if deleted:
            self._written.pop(name, None)

    def note_unit(self, before: Unit | None, after: Unit | None) -> None:
        """Take note of a unit that has come, changed or gone."""
        old, new = _place(before), _place(after)
        if old != new:
            self._stale.update(place[0] for place in (old, new) if place)

    def take_stale(self) -> frozenset[str]:
        """The queues whose list may have become wrong since this was asked last."""
        found = frozenset(self._stale)
        self._stale.clear()
        return found

    def step(
        self, queue: Object, asking: Iterable[Unit], now: Instant
    ) -> tuple[Write | None, Instant | None]:
        """The write that makes a Queue's list right, or when to ask for it again, or neither.

        ``asking`` are the queue's units in its order.
        """
        write = _write(queue, asking)
        name = decode.text(queue, "metadata", "name")
        last = self._written.get(name)
        if write and last is not None and last <= now < last + INTERVAL:
            return None, last + INTERVAL
        if write:
            self._written[name] = now
        return write, None


def _place(unit: Unit | None) -> tuple[str, OrderKey] | None:
    return (unit.queue, unit.order) if unit and _waits(unit) else None


def _waits(unit: Unit) -> bool:
    return unit.asks and not unit.reserves


def _write(queue: Object, asking: Iterable[Unit]) -> Write | None:
    waiting = islice(filter(_waits, asking), LONGEST)
    items = [_item(unit, position) for position, unit in enumerate(waiting, start=1)]

    def change(raw: Object) -> Patch | None:
        if decode.mapping(raw, "status", "queueItemDetails").get("active", []) == items:
            return None
        return {"status": {"queueItemDetails": {"active": items}}}

    if change(queue) is None:
        return None
    return Write(decode.ref(Kind.QUEUE, queue), change, "other units wait", "status")


def _item(unit: Unit, position: int) -> dict[str, Any]:
    return {
        "name": unit.ref.name,
        "namespace": unit.ref.namespace,
        "priority": unit.priority,
        "position": position,
    }
