"""Jobs taken over: which of them get a unit, what it says, and whose it is."""

from controller.core.decisions import Delete, Kind
from controller.core.jobs import JobLedger
from tests.core.world import BOTH, World, admitted


def test_the_unit_says_what_the_job_asks_for() -> None:
    world = World()
    world.queue_runs = False
    raw = world.job("job", priority=7, cpu=2, parallelism=3, completions=2)
    world.patch_job("job", {"metadata": {"annotations": {"example.com/note": "kept"}}})
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
    world.patch_job("job", {"spec": {"parallelism": 2}})
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
    world = admitted()
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
    world.patch_job("gone", {"metadata": leaving})
    world.job("next")
    world.settle()
    assert (Kind.UNIT, "default", "gone") not in world.objects
    world.bind("first")
    world.settle()
    world.succeed("first")
    world.settle()
    assert world.held("next") == 1


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
