"""Who is marked for a preemptor, and how much of it.

Only members of the assumed set that sort after the preemptor are looked at, lowest first. Of an
admission, what is neither running nor marked can be taken, unless its unit was allocated less than
the protection ago. Both paths pass protected members over and say when the first of them ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from controller.core.instants import Instant
from controller.core.model import Unit
from controller.core.quantity import Resources, covers, times, total
from controller.core.quota_filter import Room


@dataclass(frozen=True)
class Marking:
    """Replicas to be marked in one victim, by podSet; all above zero."""

    unit: Unit
    replicas: dict[str, int]

    @property
    def freed(self) -> Resources:
        """What the marked replicas cost."""
        return total(
            times(pod_set.cost, self.replicas.get(pod_set.name, 0))
            for pod_set in self.unit.pod_sets
        )

    @property
    def marked(self) -> Unit:
        """The victim as it is once marked."""
        return replace(
            self.unit,
            admissions=tuple(
                replace(item, mark=self.replicas.get(item.name, item.mark))
                for item in self.unit.admissions
            ),
        )


@dataclass(frozen=True)
class Candidates:
    """What can be taken from the lower members, lowest first.

    ``protected`` are the members passed over, ``protection_end`` the earliest end among them.
    """

    markings: tuple[Marking, ...]
    protected: tuple[Unit, ...]
    protection_end: Instant | None


def reclaimable(unit: Unit) -> dict[str, int]:
    """Replicas that can be taken, by podSet: neither running nor marked. Protection is apart."""
    if unit.finished:
        return {}
    return {
        item.name: item.replicas - item.running
        for item in unit.admissions
        if item.mark is None and item.replicas > item.running
    }


def protection_end(unit: Unit, now: Instant, protection: float) -> Instant | None:
    """When the unit's protection ends, or None if it is not protected now."""
    if unit.last_allocate is None or protection <= 0:
        return None
    end = unit.last_allocate + protection
    return end if now < end else None


def candidates(
    preemptor: Unit, members: Iterable[Unit], *, now: Instant, protection: float
) -> Candidates:
    """What the preemptor may take, of members in any order."""
    lower = sorted(
        (unit for unit in members if unit.order > preemptor.order),
        key=lambda unit: unit.order,
        reverse=True,
    )
    markings: list[Marking] = []
    protected: list[Unit] = []
    ends: list[Instant] = []
    for unit in lower:
        replicas = reclaimable(unit)
        if not replicas:
            continue
        end = protection_end(unit, now, protection)
        if end is None:
            markings.append(Marking(unit, replicas))
        else:
            protected.append(unit)
            ends.append(end)
    return Candidates(tuple(markings), tuple(protected), min(ends, default=None))


def enough_for(request: Resources, markings: Sequence[Marking]) -> tuple[Marking, ...]:
    """The first of ``markings`` (lowest first) that together cover the request, or all of them."""
    chosen: list[Marking] = []
    freed: Resources = {}
    for marking in markings:
        if covers(freed, request):
            break
        chosen.append(marking)
        freed = total((freed, marking.freed))
    return tuple(chosen)


def victims_after_filter(
    preemptor: Unit, markings: Sequence[Marking], room: Room
) -> tuple[Marking, ...]:
    """Whom to mark after a refusal by the filter; empty if taking everything would not do."""
    everything = total(item.freed for item in markings)
    if not room.freed(everything).admits(preemptor):
        return ()
    return enough_for(preemptor.request, markings)
