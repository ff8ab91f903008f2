"""What classes give to a Job: its priority, and the overhead of its pods."""

import pytest

from controller.core.decisions import Create, Kind
from controller.core.jobs import JobLedger, JobPlan
from tests.core.world import World


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
        world.patch_job("job", {"spec": {"template": template}})
    if annotation:
        key = "scheduling.x-k8s.io/priority"
        world.patch_job("job", {"metadata": {"annotations": {key: annotation}}})
    world.settle()
    spec = world.unit("job")["spec"]
    assert spec["priority"] == expected
    assert spec.get("priorityClassName") == class_name
    warned = "InvalidPriority" in world.reasons("job")
    assert warned == (annotation in {"soon", "99999999999"})


def test_a_class_that_comes_later_counts() -> None:
    world = World()
    world.job("job")
    world.patch_job("job", {"spec": {"template": {"spec": {"priorityClassName": "high"}}}})
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
    world.patch_job("job", {"spec": {"template": {"spec": {"runtimeClassName": "heavy"}}}})
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
    world.patch_job("job", {"spec": {"template": {"spec": {"runtimeClassName": "heavy"}}}})
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
