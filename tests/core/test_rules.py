"""The rules of admission and preemption, whatever happens: each by its own name."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from controller.core import JobLedger, QueueLedger
from controller.core.decisions import EmitEvent, Kind, Log, Object, Preempt, Write
from tests.core.referee import PROTECTION, QUEUES, Game, Judged, scripts
from tests.core.world import QUEUES as NAMESPACE

Script = list[tuple[Any, ...]]
played = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@played
@given(scripts)
def test_every_grant_and_every_mark_keeps_the_rules(script: Script) -> None:
    Game(script).rest()


@played
@given(scripts)
def test_every_grant_and_every_mark_keeps_the_rules_under_protection(script: Script) -> None:
    Game(script, protection=PROTECTION).rest()


@played
@given(scripts)
def test_at_rest_nothing_has_been_missed(script: Script) -> None:
    """Whoever starts anew finds nobody to admit and nobody to mark."""
    game = Game(script, protection=PROTECTION)
    game.rest()
    for decision in decisions(ledger_of(game.world), game.world):
        assert not isinstance(decision, Preempt)
        assert not (isinstance(decision, Write) and decision.why == "the unit is admitted")


@played
@given(scripts)
def test_attempts_are_counted_as_they_are_said(script: Script) -> None:
    game = Game(script)
    game.rest()
    world = game.world
    for unit in world.units_of():
        raw = world.objects[Kind.UNIT, "default", unit.ref.name]
        assert raw.get("status", {}).get("attempts", 0) == world.counted[unit.ref.uid]
    refused = [item for item in world.attempts if item.result == "unschedulable"]
    assert len(refused) == world.counted.total()


@played
@given(scripts, st.randoms(use_true_random=False))
def test_what_is_planned_does_not_depend_on_the_order_in_which_objects_or_fields_came(
    script: Script, random: Random
) -> None:
    world = Game(script).world
    objects = [(name[0], raw) for name, raw in world.objects.items()]
    shuffled = [(kind, scrambled(raw, random)) for kind, raw in objects]
    random.shuffle(shuffled)
    assert plans(world, fed(objects)) == plans(world, fed(shuffled))


@played
@given(scripts, st.randoms(use_true_random=False))
def test_a_history_is_worth_its_last_objects_however_its_kinds_interleave(
    script: Script, random: Random
) -> None:
    """Every object's changes come in their order; those of different kinds in any."""
    world = Game(script).world
    streams: dict[Kind, list[tuple[Kind, Object, bool]]] = {}
    for change in world.fed:
        streams.setdefault(change[0], []).append(change)
    queue, jobs = QueueLedger(namespace=NAMESPACE), JobLedger()
    while streams:
        kind = random.choice(sorted(streams, key=lambda each: each.value))
        changed, raw, deleted = streams[kind].pop(0)
        if not streams[kind]:
            del streams[kind]
        queue.apply(changed, raw, deleted=deleted)
        jobs.apply(changed, raw, deleted=deleted)
    objects = [(name[0], raw) for name, raw in world.objects.items()]
    assert plans(world, (queue, jobs)) == plans(world, fed(objects))


def fed(objects: list[tuple[Kind, Any]]) -> tuple[QueueLedger, JobLedger]:
    queue, jobs = QueueLedger(namespace=NAMESPACE), JobLedger()
    for kind, raw in objects:
        queue.apply(kind, raw, deleted=False)
        jobs.apply(kind, raw, deleted=False)
    return queue, jobs


def ledger_of(world: Judged) -> QueueLedger:
    queue = QueueLedger(namespace=NAMESPACE, protection=world.protection)
    for (kind, _, _), raw in world.objects.items():
        queue.apply(kind, raw, deleted=False)
    return queue


def decisions(ledger: QueueLedger, world: Judged) -> Iterator[object]:
    for queue in QUEUES:
        yield from ledger.plan(queue, world.now).decisions


def plans(world: Judged, ledgers: tuple[QueueLedger, JobLedger]) -> list[object]:
    """All that both components would do now, as values."""
    queue, jobs = ledgers
    found: list[object] = [dict(sorted(queue.active().items()))]
    for name in QUEUES:
        plan = queue.plan(name, world.now)
        found += [name, plan.wake_at, *shown(world, plan.decisions)]
        found += shown(world, queue.relist(name, world.now).decisions)
    for kind, namespace, name in sorted(world.objects, key=str):
        if kind is Kind.JOB:
            job = jobs.reconcile((namespace, name), world.now)
            if job.look_up:
                job = jobs.reconcile((namespace, name), world.now)
            if job.needs_live_pods:
                job = jobs.reconcile((namespace, name), world.now, world.pods(name))
            found += [name, *shown(world, job.decisions)]
    return found


def shown(world: Judged, planned: tuple[object, ...]) -> list[object]:
    """Decisions as values; a write by the patch that it would make now."""
    found: list[object] = []
    for decision in planned:
        match decision:
            case Preempt():
                found.append(("marks", *shown(world, decision.marks)))
                found.append(("then", *shown(world, decision.succeeded)))
            case Write():
                name = (decision.target.kind, decision.target.namespace, decision.target.name)
                patch = decision.change(copy.deepcopy(world.objects[name]))
                found.append((decision.why, decision.target, patch))
            case Log() | EmitEvent():
                pass  # those that are owed once depend on what has been told
            case _:
                found.append(decision)
    return found


def scrambled(value: Any, random: Random) -> Any:
    """The same value, its fields in another order."""
    if isinstance(value, dict):
        keys = list(value)
        random.shuffle(keys)
        return {key: scrambled(value[key], random) for key in keys}
    return [scrambled(item, random) for item in value] if isinstance(value, list) else value
