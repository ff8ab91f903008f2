"""Faults in order, gate or admission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

from controller.core import attempt, passes, queue_objects, queueing, unit_writes
from controller.core.decisions import Object
from controller.core.instants import Instant
from controller.core.jobs import model
from controller.core.jobs.model import Pod
from controller.core.model import OrderKey, Settings, Unit, UnitKey
from controller.core.ranking import Ranking
from tests.lying.patches import try_again_every


def spins() -> None:
    """What waits is tried again all the time."""
    try_again_every(0.05)


def loses_places() -> None:
    """Whoever has been reclaimed is last of its priority from then on."""
    reclaimed: set[UnitKey] = set()

    def lie(self: Unit) -> OrderKey:
        if self.owed_reclaimed:
            reclaimed.add(self.key)
        place = inf if self.key in reclaimed else self.created
        return -self.priority, place, str(self.ref)

    Unit.order = property(lie)  # type: ignore[assignment,method-assign]


def puts_the_refused_back() -> None:
    """Whoever is refused goes behind those of its priority that were refused less often."""
    honest, in_order = unit_writes.refusal, Ranking.after
    refusals: Counter[UnitKey] = Counter()
    # Passed over as equal to one just refused, the older would be caught up with by the newer.
    Unit.request_key = property(lambda self: self.key)  # type: ignore[assignment,method-assign]

    def lie(unit: Unit, message: str, now: Instant, **counted: bool) -> Any:
        refusals[unit.key] += 1
        return honest(unit, message, now, **counted)

    def after(self: Ranking, order: OrderKey | None) -> Iterator[Unit]:
        waiting = in_order(self, order)
        return iter(sorted(waiting, key=lambda unit: (-unit.priority, refusals[unit.key])))

    Ranking.after = after  # type: ignore[method-assign,assignment]
    attempt.refusal = lie  # type: ignore[attr-defined]


def blocks_under_priority() -> None:
    """Whatever the policy, nobody passes a unit that does not fit."""

    def lie(self: passes.Pass, unit: Unit) -> bool:
        return self._blocked

    passes.Pass._held_behind = lie  # type: ignore[method-assign]


def closes_every_gate() -> None:
    """Units that do not run yet hold back others, asked for or not."""
    Settings.gated = property(lambda self: not self.intelligent)  # type: ignore[assignment,method-assign]


def keeps_members_that_end() -> None:
    """A member that ends or is deleted stays in the assumed set."""
    put, take = queueing._Book.put, queueing._Book.take

    def kept(self: queueing._Book, unit: Unit) -> None:
        members = list(self.members)
        take(self, unit)
        for member in members:
            self.members.add(member)

    def lie(self: queueing._Book, unit: Unit) -> None:
        if not unit.finished:
            for member in [item for item in self.members if item.key == unit.key]:
                self.members.discard(member)
        put(self, unit)

    queueing._Book.put, queueing._Book.take = lie, kept  # type: ignore[method-assign]


def serves_the_newest_first() -> None:
    """Neither priority nor age counts: who came last is first."""
    Unit.order = property(  # type: ignore[assignment,method-assign]
        lambda self: (0, -self.created, str(self.ref))
    )


def looks_behind_whoever_waits() -> None:
    """Under every policy, and however deep, a unit that fits is admitted."""
    passes.Pass._held_behind = lambda *_: False  # type: ignore[method-assign]
    honest = queue_objects.settings
    queue_objects.settings = lambda *objects: replace(honest(*objects), max_depth=None)


def opens_the_gate_to_one_pod() -> None:
    """The first pod that is bound makes its unit leave the assumed set."""
    Unit.member = property(  # type: ignore[method-assign,assignment]
        lambda self: self.reserves and not any(item.running for item in self.admissions)
    )


def waits_for_the_start() -> None:
    """A pod that is bound and has not started does not count as running."""
    honest = model.pod

    def lie(raw: Object) -> Pod | None:
        started = (raw.get("status") or {}).get("phase") == "Running"
        pod = honest(raw)
        return pod and replace(pod, bound=pod.bound and started)

    model.pod = lie


def keeps_the_first_time() -> None:
    """The time of the first allocation stays when the unit is allocated again."""
    honest = unit_writes.grant

    def lie(unit: Unit, now: Instant) -> Any:
        return honest(unit, now if unit.last_allocate is None else unit.last_allocate)

    attempt.grant = lie  # type: ignore[attr-defined]


def grants_on_top() -> None:
    """A grant is written a second time on top of the first one."""
    honest = unit_writes.grant

    def lie(unit: Unit, now: Instant) -> Any:
        def change(raw: Object) -> Any:
            return {
                "status": {
                    "admissions": [
                        {**entry, "replicas": entry["replicas"] + unit.missing[entry["name"]]}
                        for entry in raw["status"]["admissions"]
                    ]
                }
            }

        write = honest(unit, now)
        again = replace(write, change=change, then=())
        # Whoever writes at the same moment may have one of them passed over.
        return replace(write, then=(*write.then, again, again))

    attempt.grant = lie  # type: ignore[attr-defined]


def grants_an_empty_mark() -> None:
    """An entry that is granted carries a reclaimState of nothing."""
    honest = unit_writes.grant

    def lie(unit: Unit, now: Instant) -> Any:
        write = honest(unit, now)

        def change(raw: Object) -> Any:
            patch = write.change(raw)
            for entry in patch["status"]["admissions"] if patch else ():
                entry["reclaimState"] = {"replicas": 0}
            return patch

        return replace(write, change=change)

    attempt.grant = lie  # type: ignore[attr-defined]


def grants_what_fits() -> None:
    """Of a unit that does not fit the first podSet is admitted all the same."""
    honest = unit_writes.refusal

    def lie(unit: Unit, message: str, now: Instant, **counted: bool) -> Any:
        write = honest(unit, message, now, **counted)

        def change(raw: Object) -> Any:
            patch = write.change(raw)
            first = raw["spec"]["podSet"][0]
            if patch and len(raw["spec"]["podSet"]) > 1:
                entry = {"name": first["name"], "replicas": first["count"]}
                patch["status"]["admissions"] = [entry]
            return patch

        return replace(write, change=change)

    attempt.refusal = lie  # type: ignore[attr-defined]


def reads_settings_once() -> None:
    """A queue is served as it was when it was first seen."""
    honest = queue_objects.settings
    first: dict[str, Settings] = {}

    def lie(quota: Object | None, queue: Object | None) -> Settings:
        read = honest(quota, queue)
        if queue is None:
            return read
        return first.setdefault(queue["metadata"]["name"], read)

    queue_objects.settings = lie
