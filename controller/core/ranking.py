"""Units kept in queue order while they come and go."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from controller.core.model import OrderKey, Unit


class Ranking:
    """A set of units, iterated first to last; adding or removing one never sorts the others."""

    def __init__(self) -> None:
        self._order: list[OrderKey] = []
        self._units: dict[OrderKey, Unit] = {}

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[Unit]:
        return self.after(None)

    def after(self, place: OrderKey | None) -> Iterator[Unit]:
        """The units behind a place, which need not be one of theirs; None: all of them."""
        start = 0 if place is None else bisect_right(self._order, place)
        for index in range(start, len(self._order)):
            yield self._units[self._order[index]]

    def add(self, unit: Unit) -> None:
        """Put a unit in its place; the same place is taken over."""
        if unit.order not in self._units:
            insort(self._order, unit.order)
        self._units[unit.order] = unit

    def discard(self, unit: Unit) -> None:
        """Take the unit of that place out, if there is one."""
        if self._units.pop(unit.order, None) is not None:
            del self._order[bisect_left(self._order, unit.order)]
