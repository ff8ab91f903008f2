"""Histories full of rounds: what marks, events and the released quota obey, at every write.

A history is drawn with weights under which Jobs are marked often; a crash, a mark that somebody
else writes, a Job suspended by hand and a change of settings come in between.
"""

import copy
from collections import Counter
from random import Random
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from controller.core import decode
from controller.core.decisions import Kind, Preempt, Write
from controller.core.model import Unit
from tests.core.objects import Raw
from tests.core.test_any_history import ANNOTATIONS, CAPACITY, NAMES, Play
from tests.core.world import Crash, World

WEIGHTS = {
    "submit": 20,
    "bind": 6,
    "succeed": 4,
    "delete": 4,
    "annotate": 4,
    "policy": 1,
    "parallelism": 2,
    "steps": 12,
    "job controller": 8,
    "restart": 2,
    "settle": 10,
    "foreign mark": 3,
    "suspend": 2,
    "crash": 4,
}
ABOUT_A_JOB = {"submit", "bind", "succeed", "delete", "parallelism", "foreign mark", "suspend"}


def history(random: Random) -> list[tuple[Any, ...]]:
    """A script for EventfulPlay."""
    kinds = random.choices([*WEIGHTS], [*WEIGHTS.values()], k=random.randint(10, 40))
    return [_action(kind, random) for kind in kinds]


def _action(kind: str, random: Random) -> tuple[Any, ...]:
    which = random.choice((0, 0, 0, *range(len(ANNOTATIONS))))
    arguments: dict[str, tuple[Any, ...]] = {
        "submit": (random.randint(0, 3), random.randint(1, 4), random.randint(1, 3)),
        "bind": (random.randint(1, 2),),
        "parallelism": (random.randint(0, 3),),
        "foreign mark": (random.randint(1, 2),),
        "suspend": (random.random() < 0.5,),
        "annotate": (which,),
        "policy": (random.choice(("Priority", "Block", "Intelligent")),),
        "steps": (random.randint(1, 8),),
        "crash": (random.randint(1, 8),),
    }
    named = kind in ABOUT_A_JOB
    return (kind, *([random.choice(NAMES)] if named else []), *arguments.get(kind, ()))


class WatchedWorld(World):
    """Tells of every unit that is written, and of every round that begins."""

    watch: "EventfulPlay | None" = None

    def put(self, kind: Kind, raw: Raw, *, moment: float | None = None) -> Raw:
        found = super().put(kind, raw, moment=moment)
        if self.watch and kind is Kind.UNIT:
            self.watch.see(decode.unit(found))
        return found

    def _preempt(self, decision: Preempt) -> None:
        assert not any(unit.marked for unit in self.units()), "marked while a round runs"
        super()._preempt(decision)

    def units(self) -> list[Unit]:
        """All units as values."""
        return [decode.unit(raw) for (kind, _, _), raw in self.objects.items() if kind is Kind.UNIT]


class EventfulPlay(Play):
    """A play that counts marks and reclaims by the UIDs of their units."""

    def __init__(self) -> None:
        self.watched = WatchedWorld()
        super().__init__(self.watched)
        self.watched.watch = self
        self.seen: dict[str, Unit] = {}
        self.marks: Counter[str] = Counter()
        self.reclaims: Counter[str] = Counter()

    def see(self, unit: Unit) -> None:
        """Take note of a unit as it has just been written."""
        before = self.seen.get(unit.ref.uid)
        self.seen[unit.ref.uid] = unit
        if before is None or not before.marked:
            self.marks[unit.ref.uid] += unit.marked
            return
        if unit.marked:
            assert unit.last_update_text == before.last_update_text, "moved while marked"
            old = {item.name: item.mark for item in before.admissions}
            for item in unit.admissions:
                assert item.mark in {old[item.name], item.replicas}, "another mark while marked"
        elif unit.asks and before.reserves and not unit.reserves:
            self.reclaims[unit.ref.uid] += 1

    def act(self, action: tuple[Any, ...]) -> None:
        match action:
            case ("foreign mark", name, number):
                self._mark(name, number)
            case ("suspend", name, suspend):
                if (Kind.JOB, "default", name) in self.world.objects:
                    self.world.patch_job(name, {"spec": {"suspend": suspend}})
            case ("crash", after):
                self._crash(after)
            case _:
                super().act(action)

    def _mark(self, name: str, number: int) -> None:
        raw = self.world.objects.get((Kind.UNIT, "default", name))
        unit = decode.unit(raw) if raw else None
        if raw and unit and unit.reserves and not unit.marked:
            entries = copy.deepcopy(raw["status"]["admissions"])
            entries[0]["reclaimState"] = {"replicas": min(number, entries[0]["replicas"])}
            self.world.patch(Kind.UNIT, "default", name, {"status": {"admissions": entries}})

    def _crash(self, after: int) -> None:
        self.world.crash_at = self.world.actions + after
        try:
            self.world.settle()
        except Crash:
            self.world.restart()
        self.world.crash_at = None

    def _watch(self, write: Write) -> None:
        super()._watch(write)
        units = {unit.key: unit for unit in self.watched.units()}
        admitted = units.get((write.target.namespace, write.target.name))
        if write.why != "the unit is admitted" or admitted is None:
            return
        marked = sum(unit.marked_cost.get("cpu", 0) for unit in units.values())
        free = CAPACITY * 1000 - sum(unit.held.get("cpu", 0) for unit in units.values())
        for unit in units.values():
            waits = unit.asks and not unit.marked and unit.order < admitted.order
            if marked and waits and unit.request.get("cpu", 0) <= free + marked:
                raise AssertionError(f"{admitted.ref} is let in before {unit.ref}")


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=True))
def test_marks_events_and_what_is_released_whatever_comes_in_between(random: Random) -> None:
    play = EventfulPlay()
    for action in history(random):
        play.act(action)
    play.world.settle()
    assert play.world.settle() == 0
    for reason, wanted in (("Preempted", play.marks), ("Reclaimed", play.reclaims)):
        found = Counter(e.target.uid for e in play.world.events if e.reason == reason)
        for uid in {unit.ref.uid for unit in play.watched.units()}:
            assert found[uid] == wanted[uid], f"{reason} of {uid}"
        assert found <= wanted


def test_the_histories_are_full_of_rounds() -> None:
    plays = [EventfulPlay() for _ in range(80)]
    for number, play in enumerate(plays):
        for action in history(Random(number)):  # noqa: S311 - nothing is a secret here
            play.act(action)
    assert sum(play.marks.total() for play in plays) > 10
    assert sum(play.reclaims.total() for play in plays) > 10
