"""Jobs taken over, kept in step, finished, and what is done by hand."""

from typing import Any

import pytest

from controller.core.decisions import Create, Delete, Kind
from controller.core.jobs import JobLedger, JobPlan
from tests.core.world import BOTH, World

RESUMED = "queuecheck.dev/resumed"


def patch_job(world: World, patch: dict[str, Any], name: str = "job") -> None:
    world.patch(Kind.JOB, "default", name, patch)


def test_the_unit_says_what_the_job_asks_for() -> None:
    world = World()
    world.queue_runs = False
    raw = world.job("job", priority=7, cpu=2, parallelism=3, completions=2)
    patch_job(world, {"metadata": {"annotations": {"example.com/note": "kept"}}})
    world.settle()
    unit = world.unit("job")
    meta, spec = unit["metadata"], unit["spec"]
    assert meta["labels"] == raw["metadata"]["labels"]
    assert meta["annotations"]["example.com/note"] == "kept"
    (owner,) = meta["ownerReferences"]
    assert (owner["kind"], owner["uid"]) == ("Job", raw["metadata"]["uid"])
    assert spec["consumerRef"] == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "namespace": "default",
        "name": "job",
        "uid": raw["metadata"]["uid"],
    }
    (pod_set,) = spec["podSet"]
    assert (pod_set["name"], pod_set["count"]) == ("job", 2)
    assert pod_set["template"] == raw["spec"]["template"]
    assert spec["resource"] == {"cpu": "4"}
    assert spec["priority"] == 7
    assert unit["status"]["phase"] == "Enqueued"


def test_a_job_that_was_never_suspended_is_not_ours() -> None:
    world = World()
    world.quota(cpu=1)
    world.job("job", suspend=False)
    world.settle()
    assert (Kind.UNIT, "default", "job") not in world.objects
    assert world.spec_of("job")["suspend"] is False


def test_a_job_with_a_selector_of_its_own_is_not_taken_over_and_is_told_so_once() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job", manualSelector=True)
    world.settle()
    patch_job(world, {"spec": {"parallelism": 2}})
    world.settle()
    assert (Kind.UNIT, "default", "job") not in world.objects
    assert world.spec_of("job")["suspend"] is True
    assert world.reasons("job") == ["NotTakenOver"]


def test_a_hand_made_unit_of_the_jobs_name_is_left_alone() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("job", cpu=1)
    world.job("job")
    world.settle()
    assert "consumerRef" not in world.unit("job")["spec"]
    assert world.spec_of("job")["suspend"] is True


def test_a_job_made_again_under_its_name_gets_a_fresh_unit() -> None:
    world = World()
    world.quota(cpu=2)
    old = world.job("job")["metadata"]["uid"]
    world.settle()
    world.delete(Kind.JOB, "default", "job")
    assert (Kind.UNIT, "default", "job") not in world.objects
    world.job("job")
    world.settle()
    assert world.unit("job")["spec"]["consumerRef"]["uid"] != old
    assert world.held("job") == 1


def test_the_unit_of_an_orphaned_job_goes_and_a_mark_on_it_is_told_of() -> None:
    world = World()
    world.quota(cpu=2, annotations=BOTH)
    world.job("low", priority=1)
    world.settle()
    world.extension_runs = False
    world.hand_made("urgent", priority=9)
    world.settle()
    assert world.mark("low") == 1
    world.orphan("low")
    world.extension_runs = True
    world.settle()
    assert (Kind.UNIT, "default", "low") not in world.objects
    assert world.reasons("low").count("Preempted") == 1
    assert world.held("urgent") == 1


def test_a_job_made_again_after_it_was_orphaned_is_taken_over() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job")
    world.settle()
    world.extension_runs = False
    world.orphan("job")
    world.extension_runs = True
    new = world.job("job")["metadata"]["uid"]
    world.settle()
    assert world.unit("job")["spec"]["consumerRef"]["uid"] == new
    assert world.held("job") == 1


def test_a_job_is_looked_for_before_its_unit_is_taken_for_left_behind() -> None:
    world = World()
    raw = world.job("job")
    world.settle()
    world.patch(Kind.UNIT, "default", "job", {"metadata": {"ownerReferences": None}})
    world.settle()
    ledger, key = JobLedger(), ("default", "job")
    ledger.apply(Kind.UNIT, world.unit("job"), deleted=False)
    for _ in range(2):  # what was looked up once is no news the next time
        plan = ledger.reconcile(key, world.now)
        assert [(ref.kind, str(ref)) for ref in plan.look_up] == [(Kind.JOB, "default/job")]
        ledger.apply(Kind.JOB, raw, deleted=False)
        assert not any(isinstance(found, Delete) for found in ledger.reconcile(key, 0.0).decisions)
        ledger.apply(Kind.JOB, raw, deleted=True)
    ledger.reconcile(key, world.now)
    [deletion] = ledger.reconcile(key, world.now).decisions
    assert isinstance(deletion, Delete)
    assert deletion.target.uid == world.unit("job")["metadata"]["uid"]


def test_a_job_that_is_held_up_in_its_deletion_is_not_admitted_and_blocks_nobody() -> None:
    world = World()
    world.quota(cpu=2, policy="Block")
    world.job("first")
    world.settle()
    world.job("gone", priority=9)
    world.settle()
    leaving = {"deletionTimestamp": "2027-01-01T00:00:00Z", "finalizers": ["example.com/x"]}
    patch_job(world, {"metadata": leaving}, "gone")
    world.job("next")
    world.settle()
    assert (Kind.UNIT, "default", "gone") not in world.objects
    world.bind("first")
    world.settle()
    world.succeed("first")
    world.settle()
    assert world.held("next") == 1


def priority_class(world: World, name: str, value: int) -> None:
    raw = {"metadata": {"name": name, "namespace": ""}, "value": value}
    world.put(Kind.PRIORITY_CLASS, raw)


JOB_OF_A_CLASS = {
    "metadata": {"name": "job", "namespace": "default", "uid": "1"},
    "spec": {"suspend": True, "template": {"spec": {"priorityClassName": "high"}}},
}
CLASS = {"metadata": {"name": "high"}, "value": 1000}


def made_with(plan: JobPlan) -> int:
    [creation] = plan.decisions
    assert isinstance(creation, Create)
    return int(creation.body["spec"]["priority"])


def test_a_class_that_no_watch_has_shown_yet_is_looked_up_before_the_unit_is_made() -> None:
    ledger = JobLedger()
    [key] = ledger.apply(Kind.JOB, JOB_OF_A_CLASS, deleted=False)
    plan = ledger.reconcile(key, 0.0)
    assert [(ref.kind, ref.name) for ref in plan.look_up] == [(Kind.PRIORITY_CLASS, "high")]
    assert plan.decisions == ()
    ledger.apply(Kind.PRIORITY_CLASS, CLASS, deleted=False)
    assert made_with(ledger.reconcile(key, 0.0)) == 1000


def test_a_class_that_is_nowhere_counts_as_0_and_is_looked_up_once() -> None:
    ledger = JobLedger()
    [key] = ledger.apply(Kind.JOB, JOB_OF_A_CLASS, deleted=False)
    assert ledger.reconcile(key, 0.0).look_up
    assert made_with(ledger.reconcile(key, 0.0)) == 0
    ledger.retry()
    assert ledger.reconcile(key, 0.0).look_up


@pytest.mark.parametrize(
    ("annotation", "class_name", "expected"),
    [
        (None, "high", 1000),
        (None, "missing", 0),
        (None, None, 7),
        ("-3", "high", -3),
        ("soon", "high", 1000),
        ("99999999999", "high", 1000),
    ],
)
def test_the_annotation_wins_over_the_class_and_the_class_over_the_template(
    annotation: str | None, class_name: str | None, expected: int
) -> None:
    world = World()
    priority_class(world, "high", 1000)
    world.job("job", priority=7)
    if class_name:
        template = {"spec": {"priorityClassName": class_name}}
        patch_job(world, {"spec": {"template": template}})
    if annotation:
        key = "scheduling.x-k8s.io/priority"
        patch_job(world, {"metadata": {"annotations": {key: annotation}}})
    world.settle()
    spec = world.unit("job")["spec"]
    assert spec["priority"] == expected
    assert spec.get("priorityClassName") == class_name
    warned = "InvalidPriority" in world.reasons("job")
    assert warned == (annotation in {"soon", "99999999999"})


def test_a_class_that_comes_later_counts() -> None:
    world = World()
    world.job("job")
    patch_job(world, {"spec": {"template": {"spec": {"priorityClassName": "high"}}}})
    world.settle()
    assert world.unit("job")["spec"]["priority"] == 0
    priority_class(world, "high", 5)
    world.settle()
    assert world.unit("job")["spec"]["priority"] == 5


def test_the_overhead_of_the_runtime_class_is_charged() -> None:
    world = World()
    overhead = {"podFixed": {"cpu": "500m"}}
    raw = {"metadata": {"name": "heavy", "namespace": ""}, "overhead": overhead}
    world.put(Kind.RUNTIME_CLASS, raw)
    world.job("job", cpu=1)
    patch_job(world, {"spec": {"template": {"spec": {"runtimeClassName": "heavy"}}}})
    world.quota(maximum={"cpu": "1400m"})
    world.settle()
    assert world.unit("job")["spec"]["resource"] == {"cpu": "1500m"}
    assert world.held("job") == 0
    assert world.settle() == 0


def test_an_overhead_that_changes_later_changes_no_grant() -> None:
    world = World()
    raw = {"metadata": {"name": "heavy", "namespace": ""}, "overhead": {"podFixed": {"cpu": "1"}}}
    world.put(Kind.RUNTIME_CLASS, raw)
    world.job("job", cpu=1, parallelism=2)
    patch_job(world, {"spec": {"template": {"spec": {"runtimeClassName": "heavy"}}}})
    world.quota(cpu=4)
    world.settle()
    assert world.held("job") == 2
    world.put(Kind.RUNTIME_CLASS, {**raw, "overhead": {"podFixed": {"cpu": "2"}}})
    world.settle()
    assert world.unit("job")["spec"]["resource"] == {"cpu": "4"}
    world.bind("job", 2)
    world.succeed("job", 1)
    world.settle()
    assert world.held("job") == 1


def test_a_change_while_waiting_is_followed_and_keeps_the_place() -> None:
    world = World()
    world.quota(cpu=1)
    world.job("job", parallelism=3)
    world.settle()
    before = world.unit("job")["metadata"]["uid"]
    patch_job(world, {"spec": {"parallelism": 2}})
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
    patch_job(world, {"metadata": {"labels": {label: "other"}}})
    world.settle()
    assert world.queues.active() == {"team": 0, "other": 1}
    patch_job(world, {"metadata": {"labels": {label: None}}})
    world.settle()
    assert world.queues.active() == {"team": 0, "other": 0}


def test_what_is_removed_from_the_job_is_removed_from_its_unit_and_what_others_set_stays() -> None:
    world = World()
    world.quota(cpu=1)
    world.job("job")
    theirs = {"labels": {"team": "red", "tier": "1"}, "annotations": {"note": "x"}}
    patch_job(world, {"metadata": theirs})
    world.settle()
    others = {"labels": {"other": "label"}, "annotations": {"other": "annotation"}}
    world.patch(Kind.UNIT, "default", "job", {"metadata": others})
    patch_job(world, {"metadata": {"labels": {"team": None}, "annotations": {"note": None}}})
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
    patch_job(world, {"metadata": {"labels": label}})
    world.settle()
    assert world.held("job") == 1


def test_running_follows_the_bound_pods_and_the_phase_becomes_running() -> None:
    world = World()
    world.quota(cpu=4)
    world.job("job", parallelism=2)
    world.settle()
    world.bind("job", 1)
    world.settle()
    assert world.status("job")["admissions"][0]["running"] == 1
    assert world.status("job")["phase"] == "Dequeued"
    world.bind("job", 1)
    world.settle()
    assert world.status("job")["admissions"][0]["running"] == 2
    assert world.status("job")["phase"] == "Running"


def test_what_has_finished_and_is_not_replaced_gives_its_share_back() -> None:
    world = World()
    world.quota(cpu=6)
    world.job("job", parallelism=3)
    world.settle()
    world.bind("job", 3)
    world.succeed("job", 1)
    world.settle(jobs=False)
    assert world.status("job")["admissions"] == [{"name": "job", "replicas": 3, "running": 3}]
    world.settle()
    assert world.status("job")["admissions"] == [{"name": "job", "replicas": 2, "running": 2}]
    assert world.status("job")["phase"] == "Running"


def test_count_falls_before_replicas_do() -> None:
    world = World()
    world.quota(cpu=6)
    world.job("job", parallelism=3)
    world.settle()
    world.bind("job", 3)
    world.succeed("job", 1)
    world.settle()
    for name, raw in world.history:
        held = sum(entry["replicas"] for entry in raw.get("status", {}).get("admissions", []))
        if name == "job" and held:
            assert held >= raw["spec"]["podSet"][0]["count"]


def test_a_job_that_wants_no_pods_waits_and_is_admitted_like_any_other_afterwards() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job", completions=3)
    world.settle()
    world.bind("job")
    world.settle()
    assert world.status("job")["phase"] == "Running"
    patch_job(world, {"spec": {"parallelism": 0}})
    world.settle()
    assert (world.held("job"), world.status("job")["phase"]) == (0, "Enqueued")
    patch_job(world, {"spec": {"parallelism": 1}})
    world.settle()
    assert (world.held("job"), world.status("job")["phase"]) == (1, "Dequeued")


def test_failure_is_reported_and_releases_the_quota() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job")
    world.settle()
    world.job("next")
    world.settle()
    failed = {"conditions": [{"type": "Failed", "status": "True"}]}
    patch_job(world, {"status": failed})
    world.settle(jobs=False)
    assert world.status("job")["phase"] == "Failed"
    assert "admissions" not in world.status("job")
    assert world.held("next") == 1


def test_a_waiting_job_resumed_by_hand_is_suspended_again() -> None:
    world = World()
    world.quota(cpu=1)
    world.job("job")
    world.settle()
    patch_job(world, {"spec": {"suspend": False}})
    world.settle()
    assert world.spec_of("job")["suspend"] is True
    assert world.pods("job") == []


def test_an_admitted_job_suspended_by_hand_stays_so_and_its_quota_is_released() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job")
    world.settle()
    world.job("next")
    world.settle()
    patch_job(world, {"spec": {"suspend": True}})
    world.settle(jobs=False)
    assert world.held("job") == 1
    world.settle()
    assert world.spec_of("job")["suspend"] is True
    assert world.held("job") == 0
    assert world.unit("job")["spec"]["podSet"][0]["count"] == 0
    assert world.held("next") == 1
    assert world.settle() == 0


def test_pods_that_change_after_a_suspension_by_hand_stay_charged_until_the_old_are_gone() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job")
    world.settle()
    world.bind("job")
    world.settle()
    patch_job(world, {"spec": {"suspend": True}})
    containers = [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]
    patch_job(world, {"spec": {"template": {"spec": {"containers": containers}}}})
    world.job("next", cpu=1)
    world.settle(jobs=False)
    assert (world.held("job"), world.held("next")) == (1, 0)
    assert world.unit("job")["spec"]["podSet"][0]["count"] == 0
    world.settle()
    assert (world.held("job"), world.held("next")) == (0, 1)
    assert world.unit("job")["spec"]["podSet"][0]["template"]["spec"]["containers"] == containers


def test_resumed_by_hand_again_it_waits_its_turn() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job")
    world.settle()
    patch_job(world, {"spec": {"suspend": True}})
    world.job("next")
    world.settle()
    patch_job(world, {"spec": {"suspend": False}})
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
    world = World()
    world.quota(cpu=4)
    world.job("job", parallelism=2, completions=9)
    world.settle()
    world.bind("job", 2)
    world.settle()
    patch_job(world, {"spec": {"parallelism": 3}})
    world.settle()
    assert len(world.pods("job")) == 2
    assert world.unit("job")["spec"]["podSet"][0]["count"] == 3
    world.quota(cpu=6)
    world.settle()
    assert world.held("job") == 3
    assert len(world.pods("job")) == 3
    assert world.settle() == 0


def test_a_unit_deleted_while_its_job_runs_comes_back_with_what_runs() -> None:
    world = World()
    world.quota(cpu=4)
    world.job("job", parallelism=2)
    world.settle()
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
    patch_job(world, {"spec": {"template": {"spec": {"containers": containers}}}})
    world.extension_runs = True
    world.settle()
    assert world.held("job") == 0
    assert world.spec_of("job")["suspend"] is True
    assert world.message("job").startswith("limited quotaName:team")


def test_a_finished_job_gets_no_unit_and_a_deleting_one_is_left_alone() -> None:
    world = World()
    world.quota(cpu=2, annotations=BOTH)
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    raw = world.job("job")
    world.put(Kind.JOB, {**raw, "status": done})
    raw = world.job("other")
    leaving = {**raw["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}
    world.put(Kind.JOB, {**raw, "metadata": leaving})
    assert world.settle(jobs=False) <= 1
    assert (Kind.UNIT, "default", "job") not in world.objects
    assert (Kind.UNIT, "default", "other") not in world.objects


def test_the_resuming_write_carries_its_annotation() -> None:
    world = World()
    world.quota(cpu=2)
    raw = world.job("job")
    world.settle()
    meta = world.objects[Kind.JOB, "default", "job"]["metadata"]
    assert meta["annotations"] == {RESUMED: raw["metadata"]["uid"]}
    assert [write.target.kind for write in world.writes].count(Kind.JOB) == 1


def test_a_job_whose_pods_are_all_done_is_not_suspended_before_it_is_complete() -> None:
    world = World()
    world.quota(cpu=2)
    world.job("job")
    world.settle()
    patch_job(world, {"status": {"succeeded": 1}})
    world.settle(jobs=False)
    assert world.held("job") == 0
    assert world.spec_of("job")["suspend"] is False
    assert world.status("job")["phase"] == "Dequeued"
