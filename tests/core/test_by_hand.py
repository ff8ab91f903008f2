"""What a user does to a Job by hand."""

from tests.core.world import World, admitted


def test_a_waiting_job_resumed_by_hand_is_suspended_again() -> None:
    world = World()
    world.quota(cpu=1)
    world.job("job")
    world.settle()
    world.patch_job("job", {"spec": {"suspend": False}})
    world.settle()
    assert world.spec_of("job")["suspend"] is True
    assert world.pods("job") == []


def test_an_admitted_job_suspended_by_hand_stays_so_and_its_quota_is_released() -> None:
    world = admitted()
    world.job("next")
    world.settle()
    world.patch_job("job", {"spec": {"suspend": True}})
    world.settle(jobs=False)
    assert world.held("job") == 1
    world.settle()
    assert world.spec_of("job")["suspend"] is True
    assert world.held("job") == 0
    assert world.unit("job")["spec"]["podSet"][0]["count"] == 0
    assert world.held("next") == 1
    assert world.settle() == 0


def test_pods_that_change_after_a_suspension_by_hand_stay_charged_until_the_old_are_gone() -> None:
    world = admitted()
    world.bind("job")
    world.settle()
    world.patch_job("job", {"spec": {"suspend": True}})
    containers = [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]
    world.patch_job("job", {"spec": {"template": {"spec": {"containers": containers}}}})
    world.job("next", cpu=1)
    world.settle(jobs=False)
    assert (world.held("job"), world.held("next")) == (1, 0)
    assert world.unit("job")["spec"]["podSet"][0]["count"] == 0
    world.settle()
    assert (world.held("job"), world.held("next")) == (0, 1)
    assert world.unit("job")["spec"]["podSet"][0]["template"]["spec"]["containers"] == containers


def test_resumed_by_hand_again_it_waits_its_turn() -> None:
    world = admitted()
    world.patch_job("job", {"spec": {"suspend": True}})
    world.job("next")
    world.settle()
    world.patch_job("job", {"spec": {"suspend": False}})
    world.settle()
    assert world.spec_of("job")["suspend"] is True
    assert world.unit("job")["spec"]["podSet"][0]["count"] == 1
    assert world.held("job") == 0
    world.bind("next")
    world.settle()
    world.succeed("next")
    world.settle()
    assert world.spec_of("job")["suspend"] is False


def test_more_parallelism_than_granted_is_asked_for_and_not_run_until_granted() -> None:
    world = admitted(parallelism=2, completions=9)
    world.bind("job", 2)
    world.settle()
    world.patch_job("job", {"spec": {"parallelism": 3}})
    world.settle()
    assert len(world.pods("job")) == 2
    assert world.unit("job")["spec"]["podSet"][0]["count"] == 3
    world.quota(cpu=6)
    world.settle()
    assert world.held("job") == 3
    assert len(world.pods("job")) == 3
    assert world.settle() == 0
