"""The governing text's example, both components together."""

import pytest

from controller.core.decisions import Kind
from tests.core.world import BOTH, Crash, World


def example() -> World:
    world = World()
    world.quota(cpu=2, annotations=BOTH)
    world.job("low", priority=1)
    world.settle()
    return world


def test_low_is_admitted_and_its_job_resumed() -> None:
    world = example()
    status = world.status("low")
    assert status["phase"] == "Dequeued"
    assert status["admissions"] == [{"name": "low", "replicas": 1}]
    assert world.spec_of("low")["suspend"] is False
    assert len(world.pods("low")) == 1


def test_high_gets_low_marked_and_is_admitted_only_after_the_report() -> None:
    world = example()
    world.job("high", priority=100)
    world.settle()
    states = [
        (name, raw["status"].get("phase"), entry.get("replicas"), entry.get("reclaimState"))
        for name, raw in world.history
        if "status" in raw
        for entry in raw["status"].get("admissions", [{}])
    ]
    marked = states.index(("low", "Dequeued", 1, {"replicas": 1}))
    released = states.index(("low", "Enqueued", 0, None))
    admitted = states.index(("high", "Dequeued", 1, None))
    assert marked < released < admitted
    assert world.held("low") == 0
    assert world.held("high") == 1
    assert world.pods("low") == []


def test_low_is_reclaimed_with_its_two_lasting_events_and_waits_again() -> None:
    world = example()
    world.job("high", priority=100)
    world.settle()
    reasons = world.reasons("low")
    assert reasons.count("Preempted") == 1
    assert reasons.count("Reclaimed") == 1
    assert "Preempted" not in world.reasons("high")
    assert world.message("low") == ("limited quotaName:team, limited resKey:cpu,; preempt failed")


def test_the_mark_comes_with_its_message_and_the_preemptor_says_that_it_succeeded() -> None:
    world = example()
    world.extension_runs = True
    world.job("high", priority=100)
    while not world.mark("low"):
        world.step()
    assert world.message("low") == "Waiting job extension to reclaim resources."
    assert world.status("high")["phase"] == "Enqueued"
    assert world.status("high")["attempts"] == 1
    assert world.message("high") == ("limited quotaName:team, limited resKey:cpu,; preempt succeed")


def test_it_goes_quiet() -> None:
    world = example()
    world.job("high", priority=100)
    world.settle()
    assert world.settle() == 0
    world.restart()
    world.settle()
    assert world.settle() == 0


def test_low_comes_back_when_high_is_done() -> None:
    world = example()
    world.job("high", priority=100)
    world.settle()
    world.bind("high")
    world.settle()
    assert world.status("high")["phase"] == "Running"
    world.succeed("high")
    world.settle()
    assert world.status("high")["phase"] == "Succeed"
    assert "admissions" not in world.status("high")
    assert world.held("low") == 1
    assert world.spec_of("low")["suspend"] is False


def played(crash_at: int | None = None) -> World:
    world = World()
    world.crash_at = crash_at
    world.quota(cpu=2, annotations=BOTH)
    _settle_with_restarts(world)
    world.job("low", priority=1)
    _settle_with_restarts(world)
    world.job("high", priority=100)
    _settle_with_restarts(world)
    return world


def _settle_with_restarts(world: World) -> None:
    try:
        world.settle()
    except Crash:
        world.restart()
        world.settle()


@pytest.mark.parametrize("crash_at", range(1, played().actions + 1))
def test_a_crash_of_both_components_at_any_action_changes_nothing(crash_at: int) -> None:
    world = played(crash_at)
    assert world.held("low") == 0
    assert world.held("high") == 1
    assert world.spec_of("low")["suspend"] is True
    assert world.reasons("low").count("Preempted") == 1
    assert world.reasons("low").count("Reclaimed") == 1
    assert world.settle() == 0


def test_the_queue_object_is_there_before_the_first_admission() -> None:
    world = example()
    kinds = [write.target.kind for write in world.writes]
    assert kinds.index(Kind.QUEUE) < kinds.index(Kind.JOB)
    queue = world.objects[Kind.QUEUE, "koord-queue", "team"]
    assert queue["spec"] == {"queuePolicy": "Priority", "priority": 1000}
    assert queue["metadata"]["annotations"].items() >= BOTH.items()
