"""Pods of a deleted Job hold quota until they are gone."""

from typing import Any

import hypothesis.strategies as st
from hypothesis import given, settings

from controller.core import QueueLedger
from controller.core.decisions import Kind
from tests.core.objects import START
from tests.core.world import QUEUES, World

LEAVING = frozenset({Kind.POD})


def world_with(job: str, *, parallelism: int, bound: int, cpu: int = 4) -> World:
    world = World()
    world.quota(cpu=cpu)
    world.job(job, cpu=1, parallelism=parallelism)
    world.settle()
    world.bind(job, bound)
    world.settle()
    assert world.held(job) == parallelism
    return world


def pods_of(world: World) -> list[str]:
    return sorted(name for kind, _, name in world.objects if kind is Kind.POD)


def test_the_pods_of_a_deleted_job_hold_its_quota_until_they_are_gone() -> None:
    world = world_with("old", parallelism=2, bound=2, cpu=2)
    world.delete(Kind.JOB, "default", "old", later=LEAVING)
    world.job("new", cpu=1)
    world.settle(jobs=False)
    assert world.held("new") == 0
    assert "limited quotaName:team, limited resKey:cpu" in world.message("new")
    world.delete(Kind.POD, "default", pods_of(world)[0])
    world.settle(jobs=False)
    assert world.held("new") == 1


def test_a_pod_that_has_ended_or_was_never_bound_and_is_leaving_holds_nothing() -> None:
    world = world_with("old", parallelism=2, bound=1, cpu=2)
    world.delete(Kind.JOB, "default", "old", later=LEAVING)
    world.job("new", cpu=2)
    world.settle(jobs=False)
    assert world.held("new") == 0
    for name in pods_of(world):
        raw = world.objects[Kind.POD, "default", name]
        ended = {"status": {"phase": "Succeeded"}}
        leaving = {"metadata": {"deletionTimestamp": "2027-01-15T08:00:00Z"}}
        world.patch(Kind.POD, "default", name, ended if raw["spec"] else leaving)
    world.settle(jobs=False)
    assert world.held("new") == 1


def test_no_more_is_held_than_the_unit_held() -> None:
    world = world_with("old", parallelism=1, bound=1, cpu=2)
    stray = dict(world.objects[Kind.POD, "default", pods_of(world)[0]])
    meta = {**stray["metadata"], "name": "stray", "uid": "stray"}
    world.put(Kind.POD, {**stray, "metadata": meta})
    world.delete(Kind.JOB, "default", "old", later=LEAVING)
    world.job("new", cpu=1)
    world.settle(jobs=False)
    assert world.held("new") == 1


def test_a_job_made_again_under_the_name_competes_with_the_pods_of_the_old_one() -> None:
    world = world_with("job", parallelism=2, bound=2, cpu=2)
    world.delete(Kind.JOB, "default", "job", later=LEAVING)
    world.job("job", cpu=1)
    world.settle(jobs=False)
    assert world.held("job") == 0
    for name in pods_of(world):
        world.delete(Kind.POD, "default", name)
    world.settle(jobs=False)
    assert world.held("job") == 1


def test_a_unit_that_comes_back_while_its_job_runs_is_charged_once() -> None:
    world = world_with("job", parallelism=2, bound=2, cpu=3)
    world.delete(Kind.UNIT, "default", "job")
    world.job("other", cpu=2)
    world.settle(jobs=False)
    assert (world.held("job"), world.held("other")) == (2, 0)
    world.job("third", cpu=1)
    world.settle(jobs=False)
    assert world.held("third") == 1


def test_what_is_given_back_wakes_the_queues_that_share_a_limit() -> None:
    world = World()
    world.quota("department", cpu=1)
    world.quota(cpu=1, parent="department")
    world.quota("sibling", cpu=1, parent="department")
    world.job("old", cpu=1)
    world.settle()
    world.bind("old")
    world.settle()
    world.delete(Kind.JOB, "default", "old", later=LEAVING)
    world.job("new", cpu=1, queue="sibling")
    world.settle(jobs=False)
    assert world.held("new") == 0
    world.delete(Kind.POD, "default", pods_of(world)[0])
    world.settle(jobs=False)
    assert world.held("new") == 1


def test_a_ledger_that_never_saw_the_unit_does_not_know_of_it() -> None:
    world = world_with("old", parallelism=2, bound=2, cpu=2)
    world.delete(Kind.JOB, "default", "old", later=LEAVING)
    world.restart()
    world.job("new", cpu=2)
    world.settle(jobs=False)
    assert world.held("new") == 1


def test_orphaned_pods_hold_nothing_for_a_job() -> None:
    world = world_with("old", parallelism=1, bound=1, cpu=1)
    (pod,) = pods_of(world)
    world.delete(Kind.JOB, "default", "old", later=LEAVING)
    world.patch(Kind.POD, "default", pod, {"metadata": {"ownerReferences": None}})
    world.job("new", cpu=1)
    world.settle(jobs=False)
    assert world.held("new") == 1


changes = st.one_of(
    st.tuples(st.just("pod"), st.integers(0, 2), st.integers(0, 3), st.booleans()),
    st.tuples(st.just("unit"), st.integers(0, 2), st.integers(0, 3), st.booleans()),
)


@settings(max_examples=150)
@given(st.lists(changes, max_size=25))
def test_use_is_never_negative_and_nothing_once_units_and_pods_are_gone(
    script: list[tuple[Any, ...]],
) -> None:
    ledger = QueueLedger(namespace=QUEUES)
    known: dict[tuple[Kind, str], Any] = {}
    for kind, job, number, deleted in script:
        raw = pod(job, number) if kind == "pod" else unit(job, number)
        name = (Kind.POD if kind == "pod" else Kind.UNIT, raw["metadata"]["name"])
        if deleted:
            raw = known.pop(name, None) or raw
        else:
            known[name] = raw
        ledger.apply(name[0], raw, deleted=deleted)
        assert ledger._quotas.used("team").get("cpu", 0) >= 0
    for (kind, _), raw in known.items():
        ledger.apply(kind, raw, deleted=True)
    assert not any(ledger._quotas._own.values())
    ledger.plan("team", START)


def pod(job: int, number: int) -> Any:
    owner = {"kind": "Job", "name": f"job-{job}", "uid": f"job-{job}", "controller": True}
    return {
        "metadata": {
            "namespace": "default",
            "name": f"job-{job}-{number}",
            "uid": f"pod-{job}-{number}",
            "ownerReferences": [owner],
        },
        "spec": {"nodeName": "node"},
        "status": {"phase": "Running"},
    }


def unit(job: int, replicas: int) -> Any:
    template = {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}
    return {
        "metadata": {
            "namespace": "default",
            "name": f"job-{job}",
            "uid": f"unit-{job}",
            "labels": {"quota.scheduling.koordinator.sh/name": "team"},
        },
        "spec": {
            "consumerRef": {"kind": "Job", "uid": f"job-{job}"},
            "podSet": [{"name": "main", "count": 3, "template": template}],
        },
        "status": {"admissions": [{"name": "main", "replicas": replicas}]},
    }
