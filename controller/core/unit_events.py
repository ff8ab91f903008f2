"""The events on a unit, and how the lasting ones are named.

``Preempted`` and ``Reclaimed`` exist once per mark and once per reclaim. Their names are derived
from the unit's state, so that whoever writes them, and however often, there is one of each: the
first from the lastUpdateTime that the marking wrote and nobody moves while the mark is on, the
second from the lastAllocateTime of the allocation that was taken back.
"""

import re

from controller.core.decisions import EmitEvent
from controller.core.model import Unit
from controller.core.vocabulary import MARKED_MESSAGE


def scheduled(unit: Unit) -> EmitEvent:
    """It has been admitted."""
    return EmitEvent(unit.ref, "Normal", "Scheduled", "dequeue success")


def failed_scheduling(unit: Unit, message: str) -> EmitEvent:
    """It has been refused."""
    return EmitEvent(unit.ref, "Warning", "FailedScheduling", message)


def preempted(unit: Unit, marked_at: str) -> EmitEvent:
    """It has been marked; ``marked_at`` is its lastUpdateTime while it carries the mark."""
    once = _once("preempted", unit, marked_at)
    return EmitEvent(unit.ref, "Warning", "Preempted", MARKED_MESSAGE, once)


def reclaimed(unit: Unit) -> EmitEvent:
    """All that it held has been reclaimed."""
    message = f"resources reclaimed, queueUnit {unit.ref.name} is ready for re-scheduling"
    once = _once("reclaimed", unit, unit.last_allocate_text)
    return EmitEvent(unit.ref, "Normal", "Reclaimed", message, once)


def queue_not_found(unit: Unit, message: str) -> EmitEvent:
    """Neither a quota nor a queue has the name it is labelled with; once per outage."""
    once = _once("queuenotfound", unit, unit.last_update_text)
    return EmitEvent(unit.ref, "Warning", "QueueNotFound", message, once)


def _once(reason: str, unit: Unit, moment: str) -> str:
    digits = re.sub("[^0-9]", "", moment) or "0"
    return f"{reason}.{unit.ref.uid or unit.ref.name}.{digits}"
