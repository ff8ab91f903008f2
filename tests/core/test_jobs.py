"""Jobs and their units kept in step, from the first change to the end."""

from controller.core.decisions import Kind
from tests.core.world import World, admitted


def test_a_change_while_waiting_is_followed_and_keeps_the_place() -> None:
    world = World()
    world.quota(cpu=1)
    world.job("job", parallelism=3)
    world.settle()
    before = world.unit("job")["metadata"]["uid"]
    world.patch_job("job", {"spec": {"parallelism": 2}})
    world.settle()
    unit = world.unit("job")
    assert unit["spec"]["podSet"][0]["count"] == 2
    assert unit["spec"]["resource"] == {"cpu": "4"}
    assert unit["metadata"]["uid"] == before


def test_a_changed_label_moves_the_unit_and_a_removed_one_takes_it_out() -> None:
    world = World()
    world.quota("team", cpu=1)
    world.quota("other", cpu=1)
    world.job("job")
    world.settle()
    label = "quota.scheduling.koordinator.sh/name"
    world.patch_job("job", {"metadata": {"labels": {label: "other"}}})
    world.settle()
    assert world.queues.active() == {"team": 0, "other": 1}
    world.patch_job("job", {"metadata": {"labels": {label: None}}})
    world.settle()
    assert world.queues.active() == {"team": 0, "other": 0}


def test_what_is_removed_from_the_job_is_removed_from_its_unit_and_what_others_set_stays() -> None:
    world = World()
    world.quota(cpu=1)
    world.job("job")
    theirs = {"labels": {"team": "red", "tier": "1"}, "annotations": {"note": "x"}}
    world.patch_job("job", {"metadata": theirs})
    world.settle()
    others = {"labels": {"other": "label"}, "annotations": {"other": "annotation"}}
    world.patch(Kind.UNIT, "default", "job", {"metadata": others})
    world.patch_job("job", {"metadata": {"labels": {"team": None}, "annotations": {"note": None}}})
    world.settle()
    meta = world.unit("job")["metadata"]
    assert meta["labels"].keys() == {"quota.scheduling.koordinator.sh/name", "tier", "other"}
    assert {key for key in meta["annotations"] if "/" not in key} == {"other"}
    assert world.settle() == 0


def test_without_a_label_a_job_waits() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job", queue="")
    world.settle()
    assert world.held("job") == 0
    assert world.spec_of("job")["suspend"] is True
    label = {"quota.scheduling.koordinator.sh/name": "team"}
    world.patch_job("job", {"metadata": {"labels": label}})
    world.settle()
    assert world.held("job") == 1


def test_running_follows_the_bound_pods_and_the_phase_becomes_running() -> None:
    world = admitted(parallelism=2)
    world.bind("job", 1)
    world.settle()
    assert world.status("job")["admissions"][0]["running"] == 1
    assert world.status("job")["phase"] == "Dequeued"
    world.bind("job", 1)
    world.settle()
    assert world.status("job")["admissions"][0]["running"] == 2
    assert world.status("job")["phase"] == "Running"


def test_what_has_finished_and_is_not_replaced_gives_its_share_back() -> None:
    world = admitted(parallelism=3)
    world.bind("job", 3)
    world.succeed("job", 1)
    world.settle(jobs=False)
    assert world.status("job")["admissions"] == [{"name": "job", "replicas": 3, "running": 3}]
    world.settle()
    assert world.status("job")["admissions"] == [{"name": "job", "replicas": 2, "running": 2}]
    assert world.status("job")["phase"] == "Running"


def test_count_falls_before_replicas_do() -> None:
    world = admitted(parallelism=3)
    world.bind("job", 3)
    world.succeed("job", 1)
    world.settle()
    for name, raw in world.history:
        held = sum(entry["replicas"] for entry in raw.get("status", {}).get("admissions", []))
        if name == "job" and held:
            assert held >= raw["spec"]["podSet"][0]["count"]


def test_a_job_that_wants_no_pods_waits_and_is_admitted_like_any_other_afterwards() -> None:
    world = admitted(completions=3)
    world.bind("job")
    world.settle()
    assert world.status("job")["phase"] == "Running"
    world.patch_job("job", {"spec": {"parallelism": 0}})
    world.settle()
    assert (world.held("job"), world.status("job")["phase"]) == (0, "Enqueued")
    world.patch_job("job", {"spec": {"parallelism": 1}})
    world.settle()
    assert (world.held("job"), world.status("job")["phase"]) == (1, "Dequeued")


def test_failure_is_reported_and_releases_the_quota() -> None:
    world = admitted()
    world.job("next")
    world.settle()
    failed = {"conditions": [{"type": "Failed", "status": "True"}]}
    world.patch_job("job", {"status": failed})
    world.settle(jobs=False)
    assert world.status("job")["phase"] == "Failed"
    assert "admissions" not in world.status("job")
    assert world.held("next") == 1


def test_a_job_whose_pods_are_all_done_is_not_suspended_before_it_is_complete() -> None:
    world = admitted()
    world.patch_job("job", {"status": {"succeeded": 1}})
    world.settle(jobs=False)
    assert world.held("job") == 0
    assert world.spec_of("job")["suspend"] is False
    assert world.status("job")["phase"] == "Dequeued"
