"""When a unit is tried again, and what counts as an attempt."""

from controller.core.decisions import Kind
from tests.core.world import World


def test_a_thousand_equal_units_cost_one_attempt_per_change() -> None:
    world = World()
    world.quota(cpu=2)
    for number in range(50):
        world.hand_made(f"unit-{number:02}", cpu=3)
    world.settle()
    before = len(world.attempts)
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "100"})
    world.settle()
    assert len(world.attempts) == before + 1
    assert world.status("unit-01")["attempts"] == 1


def test_a_unit_that_has_moved_is_tried_although_its_like_has_just_been_refused() -> None:
    world = World()
    world.quota("team", cpu=1)
    world.quota("other", cpu=1)
    world.hand_made("here", cpu=2, queue="other")
    world.hand_made("moved", cpu=2)
    world.settle()
    label = "quota.scheduling.koordinator.sh/name"
    world.patch(Kind.UNIT, "default", "moved", {"metadata": {"labels": {label: "other"}}})
    world.settle()
    assert world.message("moved").startswith("limited quotaName:other,")


def test_the_gauge_counts_the_units_that_ask() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("one")
    assert world.queues.active() == {"team": 1}
    world.hand_made("two")
    world.settle()
    assert world.queues.active() == {"team": 1}
    world.delete(Kind.UNIT, "default", "two")
    assert world.queues.active() == {"team": 0}


def test_an_admission_is_no_reason_to_try_the_others_again() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("big", priority=1, cpu=3)
    world.hand_made("small", cpu=2)
    world.settle()
    assert world.held("small") == 1
    assert world.status("big")["attempts"] == 1


def test_what_a_sibling_queue_gives_back_is_noticed() -> None:
    world = World()
    world.quota("department", cpu=2)
    world.quota("team", cpu=9, parent="department")
    world.quota("sibling", cpu=9, parent="department")
    world.hand_made("one", queue="sibling")
    world.settle()
    world.hand_made("two")
    world.settle()
    assert world.held("two") == 0
    world.patch(Kind.UNIT, "default", "one", {"status": {"phase": "Succeed"}})
    world.settle()
    assert world.held("two") == 1


def test_without_a_change_a_refusal_that_only_repeats_itself_is_no_attempt() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=3)
    world.settle()
    plan = world.queues.plan("team", world.now, again=True)
    world.carry_out(plan.decisions)
    assert world.status("unit")["attempts"] == 1
    assert world.reasons("unit") == ["FailedScheduling"]
    world.carry_out(world.queues.plan("team", world.now).decisions)
    assert world.status("unit")["attempts"] == 2


def test_without_a_change_what_has_been_missed_is_decided_all_the_same() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=3)
    world.settle()
    world.queue_runs = False
    world.quota(cpu=3)
    world.carry_out(world.queues.plan("team", world.now, again=True).decisions)
    assert world.held("unit") == 1


def test_a_refusal_that_is_not_written_is_not_counted() -> None:
    world = World()
    world.quota(cpu=2)
    world.queue_runs = False
    world.hand_made("unit", cpu=3)
    world.settle()
    plan = world.queues.plan("team", world.now)
    world.patch(Kind.UNIT, "default", "unit", {"spec": {"priority": 9}})
    world.carry_out(plan.decisions)
    assert world.message("unit") == ""
    assert world.attempts == []
