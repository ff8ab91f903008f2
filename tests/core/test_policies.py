"""Who comes first, and who passes whom: order, policies, the depth of a pass."""

from controller.core.decisions import Kind
from tests.core.world import NO_MORE, World


def test_the_higher_then_the_earlier_then_the_lesser_name_comes_first() -> None:
    world = World()
    world.queue_runs = False
    world.quota(cpu=2)
    for name, priority in (("late", 0), ("high", 1), ("later", 0)):
        world.hand_made(name, priority=priority)
    world.queue_runs = True
    order: list[str] = []
    for _ in range(3):
        world.settle()
        (admitted,) = (name for name in ("late", "high", "later") if world.held(name))
        order.append(admitted)
        ended = {"phase": "Succeed", "admissions": None}
        world.patch(Kind.UNIT, "default", admitted, {"status": ended})
    assert order == ["high", "late", "later"]


def test_a_unit_made_for_a_job_has_the_jobs_place() -> None:
    world = World()
    world.extension_runs = False
    world.job("early")
    world.hand_made("between")
    world.extension_runs = True
    world.settle()
    world.quota(cpu=2)
    world.settle()
    assert world.held("early") == 1
    assert world.held("between") == 0


def test_a_unit_without_a_job_gets_no_better_place_by_the_annotation_of_one() -> None:
    world = World()
    world.quota(cpu=2)
    world.queue_runs = False
    world.hand_made("first")
    world.hand_made("second")
    early = {"queuecheck.dev/job-created": "1970-01-01T00:00:00Z"}
    world.patch(Kind.UNIT, "default", "second", {"metadata": {"annotations": early}})
    world.queue_runs = True
    world.settle()
    assert [world.held("first"), world.held("second")] == [1, 0]


def test_in_a_priority_queue_a_refusal_does_not_stop_the_next() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("big", priority=1, cpu=3)
    world.hand_made("small", cpu=2)
    world.settle()
    assert world.held("small") == 1


def test_in_a_block_queue_nobody_passes_a_unit_that_does_not_fit() -> None:
    world = World()
    world.quota(cpu=2, policy="Block")
    world.hand_made("big", priority=1, cpu=3)
    world.hand_made("small", cpu=2)
    world.settle()
    assert world.held("small") == 0
    assert world.message("small") == NO_MORE
    world.delete(Kind.UNIT, "default", "big")
    world.settle()
    assert world.held("small") == 1


def test_who_is_held_back_in_a_block_queue_does_not_say_what_is_over() -> None:
    world = World()
    world.hand_made("big", priority=5, cpu=9)
    world.hand_made("small", priority=1, cpu=1)
    world.settle()
    assert "not found" in world.message("small")
    world.quota(cpu=4, policy="Block")
    world.settle()
    assert world.message("small") == NO_MORE
    world.delete(Kind.QUOTA, "default", "team")
    world.settle()
    assert world.reasons("small").count("QueueNotFound") == 2


def test_in_an_intelligent_queue_who_holds_something_does_not_hold_up_the_rest() -> None:
    world = World()
    world.quota(cpu=3, policy="Intelligent")
    entries = [{"name": "main", "replicas": 1, "running": 1}]
    world.hand_made("high", priority=9, count=2, cpu=2, status={"admissions": entries})
    world.hand_made("low", priority=1, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("high", "low")] == [1, 1]


def test_in_an_intelligent_queue_none_below_the_threshold_while_one_above_waits() -> None:
    world = World()
    threshold = {"koord-queue/priority-threshold": "10"}
    world.quota(cpu=2, policy="Intelligent", annotations=threshold)
    world.hand_made("big", priority=10, cpu=3)
    world.hand_made("high", priority=10, cpu=1)
    world.hand_made("low", priority=9, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("big", "high", "low")] == [0, 1, 0]
    world.delete(Kind.UNIT, "default", "big")
    world.settle()
    assert world.held("low") == 1


def test_in_an_intelligent_queue_those_below_the_threshold_do_not_hold_each_other_up() -> None:
    world = World()
    world.quota(cpu=2, policy="Intelligent")
    world.hand_made("big", priority=3, cpu=3)
    world.hand_made("small", priority=1, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("big", "small")] == [0, 1]


def test_max_depth_limits_how_far_a_pass_looks() -> None:
    world = World()
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "2"})
    world.hand_made("big", priority=2, cpu=3)
    world.hand_made("bigger", priority=2, cpu=3)
    world.hand_made("small", priority=1, cpu=1)
    world.settle()
    assert world.held("small") == 0
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "-1"})
    world.settle()
    assert world.held("small") == 1


def test_an_admission_lets_the_next_come_within_the_depth() -> None:
    world = World()
    world.quota(cpu=9, annotations={"koord-queue/max-depth": "1"})
    for name in ("one", "two", "three"):
        world.hand_made(name, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("one", "two", "three")] == [1, 1, 1]


def test_what_was_reclaimed_is_announced_beyond_the_depth_too_and_says_that_it_waits() -> None:
    world = World()
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "1"})
    world.hand_made("low", cpu=2)
    world.hand_made("large", cpu=3, priority=9)
    world.settle()
    mark = [{"name": "main", "replicas": 1, "reclaimState": {"replicas": 1}}]
    world.patch(Kind.UNIT, "default", "low", {"status": {"admissions": mark}})
    world.settle()
    gone = {"admissions": None, "message": "Waiting job extension to reclaim resources."}
    world.patch(Kind.UNIT, "default", "low", {"status": gone})
    world.settle()
    assert world.reasons("low").count("Reclaimed") == 1
    assert (world.held("low"), world.message("low")) == (0, NO_MORE)
