"""The extension and a mark: what it does to the Job, and what it reports."""

from typing import Any

import pytest

from controller.core.decisions import Kind
from tests.core.world import BOTH, MARKED, World

WANTED = "queuecheck.dev/wanted-parallelism"
RESUMED = "queuecheck.dev/resumed"


def admitted(parallelism: int = 3, **spec: Any) -> World:
    world = World()
    world.quota(cpu=2 * parallelism, annotations=BOTH)
    world.job("low", priority=1, cpu=2, parallelism=parallelism, **spec)
    world.settle()
    assert world.held("low") == parallelism
    return world


def mark(world: World, replicas: int, name: str = "low") -> None:
    """Write a mark as anybody may."""
    (entry,) = world.status(name)["admissions"]
    entries = [{**entry, "reclaimState": {"replicas": replicas}}]
    world.patch(Kind.UNIT, "default", name, {"status": {"admissions": entries}})


def annotations(world: World, job: str = "low") -> dict[str, str]:
    found: dict[str, str] = world.objects[Kind.JOB, "default", job]["metadata"]["annotations"]
    return found


def test_an_unbound_job_is_suspended_and_holds_nothing() -> None:
    world = admitted()
    mark(world, 3)
    world.queue_runs = False
    world.settle()
    assert world.spec_of("low")["suspend"] is True
    assert RESUMED not in annotations(world)
    assert world.pods("low") == []
    status = world.status("low")
    assert status["admissions"] == [{"name": "low", "replicas": 0, "running": 0}]
    assert status["phase"] == "Enqueued"
    assert status["message"] == MARKED
    assert world.reasons("low")[-1] == "Preempted"


def test_the_bound_pod_stays_and_the_others_go() -> None:
    world = admitted()
    world.bind("low", 1)
    (bound,) = (pod for pod in world.pods("low") if pod["spec"].get("nodeName"))
    world.settle()
    mark(world, 2)
    world.queue_runs = False
    world.settle()
    assert [pod["metadata"]["uid"] for pod in world.pods("low")] == [bound["metadata"]["uid"]]
    assert world.spec_of("low")["suspend"] is False
    assert world.spec_of("low")["parallelism"] == 1
    assert annotations(world)[WANTED] == "3"
    status = world.status("low")
    assert status["admissions"] == [{"name": "low", "replicas": 1, "running": 1}]
    assert status.get("message") != MARKED


def test_at_most_the_marked_replicas_go() -> None:
    world = admitted()
    world.queue_runs = False
    mark(world, 1)
    world.settle()
    assert world.held("low") == 2
    assert len(world.pods("low")) == 2


def bound_after_the_mark(pods: int) -> World:
    """A world in which all three pods were marked before so many found a node."""
    world = admitted()
    world.extension_runs = world.queue_runs = False
    mark(world, 3)
    world.bind("low", pods)
    world.extension_runs = True
    world.settle()
    return world


def test_a_pod_bound_after_the_mark_is_spared() -> None:
    world = bound_after_the_mark(2)
    assert len(world.pods("low")) == 2
    assert world.held("low") == 2


def test_a_mark_with_nothing_left_to_take_is_cleared_with_running_in_one_write() -> None:
    world = bound_after_the_mark(3)
    states = [
        raw["status"]["admissions"]
        for _, raw in world.history
        if "admissions" in raw.get("status", {})
    ]
    mark_seen = [number for number, (entry,) in enumerate(states) if "reclaimState" in entry]
    after = states[mark_seen[-1] + 1]
    assert after == [{"name": "low", "replicas": 3, "running": 3}]
    assert world.mark("low") == 0
    assert world.spec_of("low")["parallelism"] == 3


def test_a_unit_marked_before_its_pods_exist_is_reclaimed_once_the_job_controller_has_seen_it() -> (
    None
):
    world = admitted()
    for pod in world.pods("low"):
        world.delete(Kind.POD, "default", pod["metadata"]["name"])
    world.queue_runs = False
    mark(world, 3)
    world.settle(jobs=False)
    assert world.spec_of("low")["suspend"] is True
    assert world.mark("low") == 3
    world.settle()
    assert world.held("low") == 0


def test_a_marked_unit_is_not_resumed() -> None:
    world = World()
    world.quota(cpu=2)
    world.queue_runs = False
    world.job("low", priority=1)
    world.settle()
    world.queue_runs, world.extension_runs = True, False
    world.settle()
    mark(world, 1)
    world.queue_runs, world.extension_runs = False, True
    world.settle()
    assert world.spec_of("low")["suspend"] is True
    assert world.held("low") == 0
    assert [write for write in world.writes if write.target.kind is Kind.JOB] == []


def test_the_missing_replicas_come_back_with_the_wanted_parallelism() -> None:
    world = admitted()
    world.bind("low", 1)
    world.settle()
    world.job("high", priority=100, cpu=4)
    world.settle()
    assert world.held("high") == 1
    assert world.held("low") == 1
    world.bind("high")
    world.settle()
    world.succeed("high")
    world.settle()
    assert world.held("low") == 3
    assert world.spec_of("low")["parallelism"] == 3
    assert WANTED not in annotations(world)
    assert len(world.pods("low")) == 3


def test_a_job_reclaimed_in_part_has_no_reclaimed_event() -> None:
    world = admitted()
    world.bind("low", 1)
    world.settle()
    world.job("high", priority=100, cpu=4)
    world.settle()
    assert "Preempted" in world.reasons("low")
    assert "Reclaimed" not in world.reasons("low")


def test_nothing_is_taken_before_every_finished_pod_is_counted() -> None:
    world = admitted()
    world.bind("low", 1)
    world.settle()
    world.succeed("low", 1)
    world.queue_runs = False
    mark(world, 3)
    world.settle(jobs=False)
    assert world.mark("low") == 3
    assert world.spec_of("low")["suspend"] is False
    assert world.spec_of("low")["parallelism"] == 3
    world.settle()
    assert world.mark("low") == 0
    assert world.held("low") == 0
    assert world.spec_of("low")["suspend"] is True


def test_a_mark_larger_than_what_is_held_is_lowered_with_it() -> None:
    world = admitted()
    world.bind("low", 1)
    world.queue_runs = False
    world.settle()
    world.succeed("low", 1)
    world.job_controller()
    mark(world, 3)
    world.settle(jobs=False)
    states = [
        (entry["replicas"], entry["reclaimState"]["replicas"])
        for _, raw in world.history
        for entry in raw.get("status", {}).get("admissions", [])
        if "reclaimState" in entry
    ]
    assert list(dict.fromkeys(states)) == [(3, 3), (2, 2)]
    times = {
        raw["status"]["lastUpdateTime"]
        for _, raw in world.history
        if "reclaimState" in str(raw.get("status"))
    }
    assert len(times) == 1


def test_a_job_that_completes_while_marked_ends_the_mark_without_reclaimed() -> None:
    world = admitted(parallelism=1)
    world.bind("low")
    world.succeed("low")
    world.extension_runs = False
    mark(world, 1)
    world.job_controller()
    world.job_controller()
    world.extension_runs = True
    world.settle()
    status = world.status("low")
    assert status["phase"] == "Succeed"
    assert "admissions" not in status
    assert status.get("message") != MARKED
    assert world.reasons("low").count("Preempted") == 1
    assert "Reclaimed" not in world.reasons("low")


def test_without_completions_a_job_that_has_a_success_is_not_touched() -> None:
    world = World()
    world.quota(cpu=6)
    world.job("low", priority=1, cpu=2, parallelism=3, completions=None)
    world.settle()
    world.bind("low", 1)
    world.succeed("low", 1)
    world.settle()
    assert world.held("low") == 2
    mark(world, 2)
    world.settle()
    assert world.spec_of("low")["suspend"] is False
    assert world.spec_of("low")["parallelism"] == 3
    assert world.status("low")["admissions"] == [{"name": "low", "replicas": 2, "running": 2}]


def test_an_empty_mark_is_cleared_and_takes_nothing() -> None:
    world = admitted()
    mark(world, 0)
    world.settle()
    assert world.status("low")["admissions"][0].get("reclaimState") is None
    assert world.held("low") == 3


@pytest.mark.parametrize("wanted", [1, 2, 5])
def test_a_parallelism_that_the_user_changes_after_we_lowered_it_is_theirs(wanted: int) -> None:
    world = admitted(completions=9)
    world.bind("low", 1)
    world.settle()
    world.queue_runs = False
    mark(world, 2)
    world.settle()
    assert world.spec_of("low")["parallelism"] == 1
    world.patch_job("low", {"spec": {"parallelism": wanted}})
    world.settle()
    count = world.unit("low")["spec"]["podSet"][0]["count"]
    # Setting what we wrote cannot be told from leaving it.
    assert count == (3 if wanted == 1 else wanted)
    assert world.spec_of("low")["parallelism"] == 1


def test_a_job_suspended_by_hand_loses_mark_and_quota_in_one_write() -> None:
    world = admitted(1)
    world.patch_job("low", {"spec": {"suspend": True}})
    world.job("urgent", priority=100, cpu=2)
    world.settle()
    assert world.held("low") == 0
    assert world.message("low") != MARKED
    assert world.held("urgent") == 1
    assert world.reasons("low").count("Preempted") == 1
    assert "Reclaimed" not in world.reasons("low")


def test_what_runs_on_of_a_job_suspended_by_hand_stays_charged_until_it_is_gone() -> None:
    world = admitted(2)
    world.bind("low", 1)
    world.settle()
    world.patch_job("low", {"spec": {"suspend": True}})
    mark(world, 1)
    world.settle(jobs=False)
    assert (world.held("low"), world.mark("low")) == (2, 1)
    (free,) = (pod for pod in world.pods("low") if not pod["spec"].get("nodeName"))
    world.delete(Kind.POD, "default", free["metadata"]["name"])
    status = {"conditions": [{"type": "Suspended", "status": "True"}]}
    world.patch_job("low", {"status": status})
    world.settle(jobs=False)
    assert (world.held("low"), world.mark("low")) == (1, 0)
    world.settle()
    assert world.held("low") == 0


def test_a_pod_bound_after_the_suspension_saves_nothing() -> None:
    world = admitted()
    world.queue_runs = False
    mark(world, 3)
    world.settle(jobs=False)
    assert world.spec_of("low")["suspend"] is True
    world.bind("low", 1)
    world.settle()
    assert world.pods("low") == []
    held = [
        entry["replicas"]
        for _, raw in world.history
        for entry in raw.get("status", {}).get("admissions", [])
    ]
    assert list(dict.fromkeys(held)) == [3, 0]


def test_a_forgotten_parallelism_does_not_come_back() -> None:
    world = admitted(completions=9)
    world.bind("low", 1)
    world.settle()
    world.queue_runs = False
    mark(world, 2)
    world.settle()
    for value in (5, 1):
        world.patch_job("low", {"spec": {"parallelism": value}})
        world.queue_runs = value == 5
        world.quota(cpu=20)
        world.settle()
    assert world.spec_of("low")["parallelism"] == 1
    assert world.unit("low")["spec"]["podSet"][0]["count"] == 1
    assert WANTED not in annotations(world)
