"""Where instants stand from left to right, in percent of a picture's width.

Time is not to scale: a mark lasts milliseconds and a quiet window seconds, and both have to be
seen. What holds instead: instants keep their order, a longer time takes more room than a shorter
one (by its logarithm), and what needs room for a number or a word gets it while there is room.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDTH = 100.0
# The least that two instants are apart, and the most that all demands together may take: what is
# left is shared by time, so that a long wait looks longer.
LEAST = 0.7
DEMANDED = 90.0


@dataclass(frozen=True, order=True)
class Instant:
    """Milliseconds since the scenario began; the resourceVersion puts what came together in order.

    ``version`` is 0 for what no write stands for, such as the begin of a claim.
    """

    ms: int
    version: int = 0


@dataclass(frozen=True)
class Room:
    """``later`` should stand so many percent right of ``earlier``.

    What is ``firm`` gives way last: numbers must not cover one another, words may be cut off.
    """

    earlier: Instant
    later: Instant
    percent: float
    firm: bool = False


def positions(instants: Iterable[Instant], rooms: Sequence[Room] = ()) -> dict[Instant, float]:
    """The place of every instant, from 0 to 100, strictly rising.

    The instants of ``rooms`` have to be among ``instants``; a room whose later instant is not later
    says nothing.
    """
    ordered = sorted(set(instants))
    if len(ordered) < 2:
        return dict.fromkeys(ordered, 0.0)
    step = min(LEAST, DEMANDED / 2 / (len(ordered) - 1))
    index = {instant: number for number, instant in enumerate(ordered)}
    firm = _scaled(_least(index, [room for room in rooms if room.firm], step))
    places = _blended(firm, _least(index, rooms, step))
    weights = [0.0]
    for earlier, later in pairwise(ordered):
        weights.append(weights[-1] + 1 + math.log1p(later.ms - earlier.ms))
    free = WIDTH - places[-1]
    return {
        instant: place + free * weight / weights[-1]
        for instant, place, weight in zip(ordered, places, weights, strict=True)
    }


def _least(index: Mapping[Instant, int], rooms: Iterable[Room], step: float) -> list[float]:
    """The leftmost places that give every room: the longest path from the first instant."""
    wanted: dict[int, list[tuple[int, float]]] = {}
    for room in rooms:
        if room.earlier < room.later:
            wanted.setdefault(index[room.later], []).append((index[room.earlier], room.percent))
    places = [0.0]
    for number in range(1, len(index)):
        demands = [places[start] + percent for start, percent in wanted.get(number, ())]
        places.append(max([places[-1] + step, *demands]))
    return places


def _scaled(places: Sequence[float]) -> list[float]:
    factor = min(1.0, DEMANDED / places[-1])
    return [place * factor for place in places]


def _blended(firm: Sequence[float], wished: Sequence[float]) -> list[float]:
    """As much of the wishes as fits; a mixture of two orders that rise rises too."""
    if wished[-1] <= DEMANDED:
        return list(wished)
    share = (DEMANDED - firm[-1]) / (wished[-1] - firm[-1])
    return [low + share * (high - low) for low, high in zip(firm, wished, strict=True)]
