"""A grant that is about to be used, given back, or found again."""

import pytest

from controller.core.decisions import Kind
from tests.core.world import BOTH, World, admitted

RESUMED = "queuecheck.dev/resumed"


def test_a_unit_deleted_while_its_job_runs_comes_back_with_what_runs() -> None:
    world = admitted(parallelism=2)
    world.bind("job", 2)
    world.settle()
    world.queue_runs = False
    world.delete(Kind.UNIT, "default", "job")
    world.settle()
    world.queue_runs = True
    world.settle()
    assert world.held("job") == 2
    assert world.spec_of("job")["suspend"] is False
    assert world.status("job")["phase"] == "Running"


def admitted_and_not_resumed() -> World:
    world = World()
    world.quota(cpu=2)
    world.queue_runs = False
    world.job("job", cpu=2)
    world.settle()
    world.queue_runs, world.extension_runs = True, False
    world.settle()
    assert world.held("job") == 1
    assert world.spec_of("job")["suspend"] is True
    return world


@pytest.mark.parametrize("cpu", [1, 2, 4])
def test_a_unit_that_comes_back_is_not_tried_before_it_says_what_it_holds(cpu: int) -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job", priority=9, cpu=1, parallelism=2)
    world.settle()
    world.bind("job", 2)
    world.settle()
    world.delete(Kind.UNIT, "default", "job")
    world.quota(cpu=cpu, annotations=BOTH)
    world.job("low", priority=1, cpu=1)
    world.reconcile(("default", "low"))
    world.reconcile(("default", "low"))
    world.pass_over("team")
    world.reconcile(("default", "job"))
    world.pass_over("team")
    assert world.status("job") == {}
    world.settle()
    assert world.held("job") == 2
    assert world.status("job")["phase"] == "Running"
    assert world.spec_of("job")["suspend"] is False
    assert world.reasons("job") == ["Scheduled"]
    assert "Preempted" not in world.reasons("low")


def test_a_grant_not_used_yet_is_given_back_when_the_pods_change() -> None:
    world = admitted_and_not_resumed()
    containers = [{"name": "main", "resources": {"requests": {"cpu": "3"}}}]
    world.patch_job("job", {"spec": {"template": {"spec": {"containers": containers}}}})
    world.extension_runs = True
    world.settle()
    assert world.held("job") == 0
    assert world.spec_of("job")["suspend"] is True
    assert world.message("job").startswith("limited quotaName:team")


def test_the_resuming_write_carries_its_annotation() -> None:
    world = World()
    world.quota(cpu=2)
    raw = world.job("job")
    world.settle()
    meta = world.objects[Kind.JOB, "default", "job"]["metadata"]
    assert meta["annotations"] == {RESUMED: raw["metadata"]["uid"]}
    assert [write.target.kind for write in world.writes].count(Kind.JOB) == 1
