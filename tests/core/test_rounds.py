"""A round: from the first mark to the last one's end."""

from controller.core.decisions import Kind, Preempt
from tests.core.test_preemption import marked, release, staged
from tests.core.world import BOTH, MARKED, NO_MORE, World


def test_while_a_round_runs_nobody_is_marked_in_that_queue() -> None:
    world = staged(6, ("one", 1, 2), ("two", 2, 2), ("three", 3, 2))
    world.hand_made("urgent", priority=100, cpu=2)
    world.settle()
    assert marked(world) == {"one"}
    world.hand_made("more-urgent", priority=200, cpu=6)
    world.settle()
    assert marked(world) == {"one"}
    assert world.message("more-urgent").endswith("; preempt failed")
    error = "queue team is preempting, not allowed to preempt again"
    assert error in {log.fields.get("error") for log in world.logs}


def test_what_is_released_goes_to_the_preemptor() -> None:
    world = staged(4, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=4)
    world.settle()
    assert marked(world) == {"one", "two"}
    release(world, "one")
    world.settle()
    assert world.held("one") == 0
    assert world.message("urgent").endswith("; preempt succeed")
    release(world, "two")
    world.settle()
    assert world.held("urgent") == 1
    assert [world.held("one"), world.held("two")] == [0, 0]


def test_a_lower_unit_that_fits_is_held_back_while_the_preemptor_waits() -> None:
    world = staged(5, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=4)
    world.settle()
    world.quota(cpu=5)
    release(world, "one")
    world.hand_made("small", priority=0, cpu=1)
    world.settle()
    assert world.held("small") == 0
    assert world.message("small") == NO_MORE


def test_nobody_is_held_back_once_the_preemptor_is_gone() -> None:
    world = staged(4, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=4)
    world.settle()
    world.delete(Kind.UNIT, "default", "urgent")
    world.quota(cpu=4)
    release(world, "one")
    world.settle()
    assert world.held("one") == 1
    release(world, "two")
    world.settle()
    assert world.held("two") == 1


def test_of_two_that_wait_only_the_first_within_reach_says_that_it_succeeded() -> None:
    world = staged(2, ("one", 1, 2))
    world.hand_made("urgent", priority=100, cpu=2)
    world.settle()
    world.hand_made("second", priority=50, cpu=1)
    world.settle()
    assert world.message("urgent").endswith("; preempt succeed")
    assert world.message("second").endswith("; preempt failed")


def overcommitted() -> World:
    """Five hold more than the quota has left, and one of them is marked for ``urgent``."""
    world = World()
    world.quota(cpu=10)
    for number in range(5):
        world.hand_made(f"low-{number}", priority=1, cpu=2)
    world.settle()
    world.quota(cpu=4, annotations=BOTH)
    world.hand_made("urgent", priority=100, cpu=2)
    world.settle()
    assert marked(world) == {"low-4"}
    return world


def test_a_round_of_another_ends_what_the_preemptor_of_the_last_one_said() -> None:
    world = overcommitted()
    world.hand_made("more-urgent", priority=200, cpu=1)
    world.settle()
    assert world.message("urgent").endswith("; preempt succeed")
    release(world, "low-4")
    world.settle()
    assert world.message("more-urgent").endswith("; preempt succeed")
    assert world.message("urgent").endswith("; preempt failed")


def test_what_the_preemptor_says_does_not_flip_while_its_round_runs() -> None:
    world = overcommitted()
    runs = [{"name": "main", "replicas": 1, "running": 1}]
    world.patch(Kind.UNIT, "default", "low-0", {"status": {"admissions": runs}})
    world.settle()
    assert world.message("urgent").endswith("; preempt succeed")


def test_a_round_is_finished_whatever_is_switched_meanwhile() -> None:
    world = staged(4, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=2)
    world.settle()
    world.quota(cpu=4, policy="Intelligent")
    world.settle()
    assert marked(world) == {"one"}
    assert world.message("urgent").endswith("; preempt failed")
    release(world, "one")
    world.settle()
    assert world.held("urgent") == 1


def test_a_round_survives_a_restart() -> None:
    world = staged(4, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=2)
    world.settle()
    world.restart()
    world.settle()
    assert marked(world) == {"one"}
    assert world.reasons("one").count("Preempted") == 1


def test_a_mark_written_by_anyone_is_a_round_and_is_announced() -> None:
    world = staged(9, ("one", 1, 2))
    entries = [{"name": "main", "replicas": 1, "reclaimState": {"replicas": 1}}]
    world.patch(Kind.UNIT, "default", "one", {"status": {"admissions": entries}})
    world.settle()
    assert world.reasons("one").count("Preempted") == 1
    assert world.settle() == 0


def test_reclaimed_is_for_units_that_bear_the_victims_message_only() -> None:
    world = staged(2, ("low", 1, 2))
    world.hand_made("urgent", priority=100)
    world.settle()
    assert world.message("low") == MARKED
    release(world, "low")
    world.settle()
    assert world.reasons("low").count("Reclaimed") == 1
    assert "Reclaimed" not in world.reasons("urgent")
    (event,) = (item for item in world.events if item.reason == "Reclaimed")
    assert event.type == "Normal"
    assert event.message == "resources reclaimed, queueUnit low is ready for re-scheduling"


def test_a_second_reclaim_is_announced_again() -> None:
    world = World()
    world.quota(cpu=2, annotations=BOTH)
    world.job("low", priority=1)
    world.settle()
    for number in range(2):
        world.job(f"high-{number}", priority=100)
        world.settle()
        assert world.held("low") == 0
        world.bind(f"high-{number}")
        world.settle()
        world.succeed(f"high-{number}")
        world.settle()
        assert world.held("low") == 1
    assert world.reasons("low").count("Preempted") == 2
    assert world.reasons("low").count("Reclaimed") == 2


def test_a_cascade_ends_with_everybody_served_in_order() -> None:
    world = World()
    world.quota(cpu=2, annotations=BOTH)
    for name, priority in (("low", 1), ("middle", 2), ("high", 3)):
        world.job(name, priority=priority)
        world.settle()
    served = []
    for _ in range(3):
        (name,) = (item for item in ("low", "middle", "high") if world.held(item))
        served.append(name)
        world.bind(name)
        world.settle()
        world.succeed(name)
        world.settle()
    assert served == ["high", "middle", "low"]


def test_rounds_of_two_queues_do_not_meet() -> None:
    world = World()
    for queue in ("a", "b"):
        world.quota(queue, cpu=2, annotations=BOTH)
        world.hand_made(f"low-{queue}", priority=1, queue=queue)
        world.settle()
    world.hand_made("high-a", priority=100, queue="a")
    world.settle()
    world.hand_made("high-b", priority=100, queue="b")
    world.settle()
    assert marked(world) == {"low-a", "low-b"}


def test_a_deleted_victim_ends_the_round() -> None:
    world = staged(2, ("low", 1, 2))
    world.hand_made("urgent", priority=100)
    world.settle()
    world.delete(Kind.UNIT, "default", "low")
    world.settle()
    assert world.held("urgent") == 1
    assert any(log.message == "round ended" for log in world.logs)


def test_two_that_arrive_together_do_not_both_say_that_they_succeeded() -> None:
    world = staged(4, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=4)
    world.hand_made("second", priority=50, cpu=2)
    world.settle()
    assert world.message("urgent").endswith("; preempt succeed")
    assert world.message("second").endswith("; preempt failed")


def test_a_unit_that_carries_a_mark_is_not_tried() -> None:
    world = World()
    world.quota(cpu=9)
    entries = [{"name": "main", "replicas": 1, "reclaimState": {"replicas": 1}}]
    world.hand_made("unit", count=2, status={"phase": "Dequeued", "admissions": entries})
    world.settle()
    assert world.status("unit")["admissions"] == entries


def test_the_marking_itself_is_no_reason_for_another_attempt() -> None:
    world = staged(4, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=4)
    world.settle()
    assert marked(world) == {"one", "two"}
    assert world.status("urgent")["attempts"] == 1


def test_a_pass_ends_where_victims_were_released_while_it_was_marking() -> None:
    world = staged(2, ("low", 1, 2))
    world.hand_made("urgent", priority=100, cpu=2)
    plan = world.queues.plan("team", world.now)
    assert plan.cursor is not None
    [preempt] = [found for found in plan.decisions if isinstance(found, Preempt)]
    # The mark arrives, its answer does not; by the time it is read again the unit is released.
    world.carry_out((preempt.marks[0],))
    release(world, "low")
    world.carry_out(preempt.failed)
    rest = world.queues.plan("team", world.now, plan.cursor)
    assert rest.decisions == ()
    world.settle()
    assert [world.held("urgent"), world.held("low")] == [1, 0]
