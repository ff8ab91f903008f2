"""What a component has to look at, and when: an ordered set of keys with two kinds of timer.

A key is *due* once however often it is added, in the order of first addition. It may *wake* at a
wall-clock time that its last plan asked for. After a failure it is *postponed*: whatever happens
meanwhile, it is not looked at before its delay is over, so that no failure becomes a hot loop. If
the failure was one object's own it is *repeated* after the delay, or with the next change.
"""

import heapq
from collections.abc import Hashable, Iterable
from itertools import count
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
FIRST_DELAY = 0.25
LONGEST_DELAY = 30.0
FEW = 8


class Timers(Generic[Key]):
    """At most one time per key; the next one is found without looking at the others.

    What was replaced stays in the heap until its time comes, or until it is the larger half.
    """

    def __init__(self) -> None:
        self._at: dict[Key, float] = {}
        self._heap: list[tuple[float, int, Key]] = []
        self._serial = count()

    def __contains__(self, key: Key) -> bool:
        return key in self._at

    def set(self, key: Key, at: float | None) -> None:
        """Replaces the key's time; None takes it away."""
        if at is None:
            self._at.pop(key, None)
        elif self._at.get(key) != at:
            self._at[key] = at
            heapq.heappush(self._heap, (at, next(self._serial), key))
            if len(self._heap) > 2 * len(self._at) + FEW:
                self._heap = [(at, next(self._serial), key) for key, at in self._at.items()]
                heapq.heapify(self._heap)

    def next(self) -> float | None:
        """The earliest time of all."""
        while self._heap:
            at, _, key = self._heap[0]
            if self._at.get(key) == at:
                return at
            heapq.heappop(self._heap)
        return None

    def expire(self, now: float) -> Iterable[Key]:
        """Takes away and gives the keys whose time has come."""
        while (at := self.next()) is not None and at <= now:
            _, _, key = heapq.heappop(self._heap)
            del self._at[key]
            yield key


class Agenda(Generic[Key]):
    """The keys of one component. ``wall`` is seconds since the epoch, ``steady`` a monotonic clock.

    Used by one thread.
    """

    def __init__(
        self, *, first_delay: float = FIRST_DELAY, longest_delay: float = LONGEST_DELAY
    ) -> None:
        self._due: dict[Key, None] = {}
        self._wakes: Timers[Key] = Timers()
        self._postponed: Timers[Key] = Timers()
        self._repeated: Timers[Key] = Timers()
        self._failures: dict[Key, int] = {}
        self._first, self._longest = first_delay, longest_delay

    def __len__(self) -> int:
        return len(self._due)

    def add(self, keys: Iterable[Key]) -> None:
        """Makes the keys due, but for postponed ones, which come by themselves."""
        for key in keys:
            if key not in self._postponed:
                self._due[key] = None

    def take(self) -> Key | None:
        """The first key that is due, no longer due."""
        if not self._due:
            return None
        key = next(iter(self._due))
        del self._due[key]
        return key

    def wake(self, key: Key, at: float | None) -> None:
        """Makes the key due at that wall-clock time, instead of an earlier or later one."""
        self._wakes.set(key, at)

    def postpone(self, key: Key, *, steady: float, at_least: float = 0.0) -> float:
        """Makes the key due after a delay that doubles with each failure; gives the delay."""
        delay = max(self._delay(key), at_least)
        self._due.pop(key, None)
        self._postponed.set(key, steady + delay)
        return delay

    def repeat(self, key: Key, *, steady: float) -> None:
        """Makes the key due after such a delay; changes make it due before."""
        self._repeated.set(key, steady + self._delay(key))

    def succeeded(self, key: Key) -> None:
        """The next failure of the key is its first again."""
        self._failures.pop(key, None)
        self._repeated.set(key, None)

    def advance(self, *, wall: float, steady: float) -> None:
        """Makes due what has waited long enough."""
        for key in self._postponed.expire(steady):
            self._due[key] = None
        self.add([*self._wakes.expire(wall), *self._repeated.expire(steady)])

    def rest(self, *, wall: float, steady: float) -> float | None:
        """Seconds until something is due by itself; None if nothing ever is."""
        if self._due:
            return 0.0
        ends = [
            at - now
            for at, now in (
                (self._wakes.next(), wall),
                (self._postponed.next(), steady),
                (self._repeated.next(), steady),
            )
            if at is not None
        ]
        return max(min(ends), 0.0) if ends else None

    def _delay(self, key: Key) -> float:
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        return min(self._first * 2.0 ** min(failures, 30), self._longest)
