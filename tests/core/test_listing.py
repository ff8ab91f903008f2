"""The list of waiting units in a Queue's status."""

from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from controller.core.decisions import Kind
from controller.core.listing import INTERVAL, LONGEST
from tests.core.test_any_history import Play, actions
from tests.core.world import QUEUES, World


def listed(world: World) -> list[tuple[str, int, int]]:
    status = world.objects[Kind.QUEUE, QUEUES, "team"].get("status", {})
    active = status.get("queueItemDetails", {}).get("active", [])
    assert all(item["namespace"] == "default" for item in active)
    return [(item["name"], item["priority"], item["position"]) for item in active]


def relist(world: World, *, after: float = INTERVAL) -> int:
    """Write what has to be written once so much time has gone by; how many writes it took."""
    world.now += after
    before = len(world.writes)
    world.queues.listings.take_stale()
    world.carry_out(world.queues.relist("team", world.now).decisions)
    return len(world.writes) - before


def full(cpu: int = 1) -> World:
    world = World()
    world.quota(cpu=cpu)
    world.hand_made("holder", cpu=cpu)
    world.settle()
    return world


def test_waiting_units_are_listed_in_queue_order_with_positions_from_one() -> None:
    world = full()
    world.hand_made("low", priority=-2)
    world.hand_made("high", priority=7)
    world.hand_made("later", priority=-2)
    world.settle()
    relist(world)
    assert listed(world) == [("high", 7, 1), ("low", -2, 2), ("later", -2, 3)]


def test_who_holds_something_is_not_listed_and_the_others_move_up() -> None:
    world = full()
    world.hand_made("first", cpu=1)
    world.hand_made("second", cpu=1)
    world.settle()
    relist(world)
    assert listed(world) == [("first", 0, 1), ("second", 0, 2)]
    world.quota(cpu=2)
    world.settle()
    relist(world)
    assert listed(world) == [("second", 0, 1)]
    world.delete(Kind.UNIT, "default", "second")
    relist(world)
    assert listed(world) == []


def test_the_first_hundred_are_listed() -> None:
    world = full()
    for number in range(LONGEST + 20):
        world.hand_made(f"unit-{number:03}", cpu=1)
    world.settle()
    relist(world)
    assert [position for _, _, position in listed(world)] == list(range(1, LONGEST + 1))
    assert listed(world)[-1][0] == f"unit-{LONGEST - 1:03}"


def test_a_thousand_arrivals_in_a_second_cost_a_few_writes() -> None:
    world = full()
    relist(world)
    world.queue_runs = False
    writes = 0
    for number in range(1000):
        world.hand_made(f"unit-{number:04}", priority=number, cpu=1)
        world.now -= 0.999
        if "team" in world.queues.listings.take_stale():
            plan = world.queues.relist("team", world.now)
            writes += len(plan.decisions)
            world.carry_out(plan.decisions)
    assert 1 <= writes <= 1 + 1 / INTERVAL


def test_a_list_that_is_right_is_not_written_again_nor_after_a_restart() -> None:
    world = full()
    world.hand_made("low", cpu=1)
    world.settle()
    assert relist(world) == 1
    assert relist(world) == 0
    world.restart()
    assert world.queues.listings.take_stale() == {"team"}
    assert relist(world) == 0


def test_a_refusal_or_what_somebody_runs_leaves_the_list_alone() -> None:
    world = full()
    world.hand_made("low", cpu=1)
    world.settle()
    relist(world)
    world.queues.listings.take_stale()
    world.patch(Kind.UNIT, "default", "low", {"status": {"message": "x", "attempts": 9}})
    running = {"status": {"admissions": [{"name": "main", "replicas": 1, "running": 1}]}}
    world.patch(Kind.UNIT, "default", "holder", running)
    assert world.queues.listings.take_stale() == frozenset()


def test_what_somebody_else_writes_there_is_put_right_and_other_lists_stay() -> None:
    world = full()
    world.hand_made("low", cpu=1)
    world.settle()
    relist(world)
    wrong = {"status": {"queueItemDetails": {"active": [], "backoff": [{"name": "x"}]}}}
    world.patch(Kind.QUEUE, QUEUES, "team", wrong)
    assert "team" in world.queues.listings.take_stale()
    relist(world)
    assert listed(world) == [("low", 0, 1)]
    status = world.objects[Kind.QUEUE, QUEUES, "team"]["status"]
    assert status["queueItemDetails"]["backoff"] == [{"name": "x"}]


def test_a_queue_that_is_not_served_has_no_list() -> None:
    world = World()
    spec = {"queuePolicy": "Round"}
    world.put(
        Kind.QUEUE, {"metadata": {"name": "team", "namespace": QUEUES}, "spec": spec, "status": {}}
    )
    world.hand_made("low", cpu=1)
    world.settle()
    assert relist(world) == 0


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.lists(actions, max_size=30))
def test_whatever_changes_the_list_is_noticed(script: list[tuple[Any, ...]]) -> None:
    play = Play()
    world = play.world
    for action in script:
        play.act(action)
        if "team" in world.queues.listings.take_stale():
            relist(world)
        elif (Kind.QUEUE, QUEUES, "team") in world.objects:
            assert world.queues.relist("team", world.now + INTERVAL).decisions == ()
