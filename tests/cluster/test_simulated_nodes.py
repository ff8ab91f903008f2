"""The node driver with the real scheduler and the real Job controller."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from queuecheck.cluster import SLOT_LABEL, LocalCluster, NodeDriver
from queuecheck.kube import Api, Changed, KubeObject, Listed, ListWatch, Resource
from queuecheck.kube.resource import JOBS, NODES, PODS

PATIENCE = 60.0
Objects = dict[str, KubeObject]


@pytest.fixture
def nodes(control_plane: LocalCluster) -> Iterator[NodeDriver]:
    yield control_plane.nodes
    control_plane.nodes.reset()


def watched(
    api: Api, resource: Resource, namespace: str, condition: Callable[[Objects], object]
) -> Objects:
    """The first state seen that satisfies the condition; fails with the last one seen."""
    watch = ListWatch(api, resource, namespace=namespace)
    timer = threading.Timer(PATIENCE, watch.stop)
    timer.start()
    objects: Objects = {}
    try:
        for item in watch:
            if isinstance(item, Listed):
                objects = {each["metadata"]["name"]: each for each in item.objects}
            elif isinstance(item, Changed):
                name = item.object["metadata"]["name"]
                objects = {key: value for key, value in objects.items() if key != name}
                if item.verb != "DELETED":
                    objects[name] = item.object
            if condition(objects):
                return objects
    finally:
        timer.cancel()
        watch.stop()
    pytest.fail(f"never seen; last: {[each.get('status') for each in objects.values()]}")


def submit(
    api: Api, namespace: str, slot: str, *, parallelism: int, name: str = "work", **spec: Any
) -> str:
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10"}
    body = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            "parallelism": parallelism,
            "completions": parallelism,
            "backoffLimit": 0,
            **spec,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "nodeSelector": {SLOT_LABEL: slot},
                    "terminationGracePeriodSeconds": 0,
                    "containers": [container],
                }
            },
        },
    }
    api.create(JOBS, body, namespace=namespace)
    return slot


def bound(pods: Objects) -> list[KubeObject]:
    return [pod for pod in pods.values() if pod["spec"].get("nodeName")]


def unschedulable(pods: Objects) -> list[KubeObject]:
    return [
        pod
        for pod in pods.values()
        for condition in pod["status"].get("conditions", ())
        if condition.get("reason") == "Unschedulable"
    ]


def phases(pods: Objects) -> list[str]:
    return sorted(pod["status"]["phase"] for pod in pods.values())


def condition_of(jobs: Objects, kind: str) -> bool:
    return any(
        condition["type"] == kind and condition["status"] == "True"
        for job in jobs.values()
        for condition in job["status"].get("conditions", ())
    )


def test_pods_stay_unbound_while_their_slot_is_closed(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    submit(api, namespace, f"{namespace}-closed", parallelism=2)
    pods = watched(api, PODS, namespace, lambda pods: len(unschedulable(pods)) == 2)
    assert not bound(pods)


def test_as_many_pods_are_bound_as_the_slot_has_room_for_and_none_is_started(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    slot = submit(api, namespace, f"{namespace}-room", parallelism=3)
    nodes.open_slot(slot, pods=2)
    pods = watched(
        api, PODS, namespace, lambda pods: len(bound(pods)) == 2 and len(unschedulable(pods)) == 1
    )
    for pod in bound(pods):
        assert pod["status"]["phase"] == "Pending"
        assert "startTime" not in pod["status"]
        assert "containerStatuses" not in pod["status"]


def test_an_open_slot_can_be_widened(api: Api, namespace: str, nodes: NodeDriver) -> None:
    slot = submit(api, namespace, f"{namespace}-wide", parallelism=3)
    nodes.open_slot(slot, pods=1)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1)
    nodes.open_slot(slot, pods=3)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 3)


def test_pods_run_that_were_bound_before_the_order_and_after_it(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    slot = submit(api, namespace, f"{namespace}-run", parallelism=2)
    nodes.open_slot(slot, pods=1)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1)
    nodes.run(slot)
    watched(api, PODS, namespace, lambda pods: phases(pods) == ["Pending", "Running"])
    nodes.open_slot(slot, pods=2)
    watched(api, PODS, namespace, lambda pods: phases(pods) == ["Running", "Running"])
    watched(
        api, JOBS, namespace, lambda jobs: any(j["status"].get("ready") == 2 for j in jobs.values())
    )


def test_a_job_completes_when_its_pods_finish(api: Api, namespace: str, nodes: NodeDriver) -> None:
    slot = submit(api, namespace, f"{namespace}-done", parallelism=2)
    nodes.open_slot(slot, pods=2)
    nodes.run(slot)
    watched(api, PODS, namespace, lambda pods: phases(pods) == ["Running", "Running"])
    nodes.finish(slot)
    watched(api, JOBS, namespace, lambda jobs: condition_of(jobs, "Complete"))


def test_only_so_many_pods_end_as_were_asked_for(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    slot = submit(api, namespace, f"{namespace}-some", parallelism=3, backoffLimit=6)
    nodes.open_slot(slot, pods=3)
    nodes.run(slot)
    watched(api, PODS, namespace, lambda pods: phases(pods) == ["Running"] * 3)
    nodes.close_slot(slot)
    nodes.finish(slot, succeeded=1, failed=1)
    pods = watched(
        api,
        PODS,
        namespace,
        lambda pods: {"Failed", "Succeeded"} <= set(phases(pods)),
    )
    assert phases(pods).count("Running") == 1


def test_an_order_to_end_waits_for_pods_that_do_not_run_yet(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    slot = f"{namespace}-early"
    nodes.open_slot(slot, pods=2)
    nodes.run(slot)
    nodes.finish(slot, succeeded=2)
    submit(api, namespace, slot, parallelism=2)
    watched(api, JOBS, namespace, lambda jobs: condition_of(jobs, "Complete"))


def test_a_failed_pod_fails_its_job(api: Api, namespace: str, nodes: NodeDriver) -> None:
    slot = submit(api, namespace, f"{namespace}-fail", parallelism=1)
    nodes.open_slot(slot, pods=1)
    nodes.run(slot)
    nodes.finish(slot, failed=1)
    watched(api, JOBS, namespace, lambda jobs: condition_of(jobs, "Failed"))


def test_nothing_further_is_bound_through_a_closed_slot_and_what_is_bound_stays(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    slot = f"{namespace}-shut"
    submit(api, namespace, slot, name="early", parallelism=1)
    nodes.open_slot(slot, pods=5)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1)
    nodes.close_slot(slot)
    # The scheduler hears of nodes in their order: of this one after the one that was closed.
    fence = submit(api, namespace, f"{namespace}-fence", name="fence", parallelism=1)
    nodes.open_slot(fence, pods=1)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 2)
    submit(api, namespace, slot, name="late", parallelism=1)
    pods = watched(api, PODS, namespace, lambda pods: len(pods) == 3 and unschedulable(pods))
    assert len(bound(pods)) == 2


def test_deleted_pods_go_also_when_they_are_bound(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    slot = submit(api, namespace, f"{namespace}-gone", parallelism=2)
    nodes.open_slot(slot, pods=2)
    nodes.run(slot)
    watched(api, PODS, namespace, lambda pods: phases(pods) == ["Running", "Running"])
    api.patch(JOBS, "work", {"spec": {"suspend": True}}, namespace=namespace)
    watched(api, PODS, namespace, lambda pods: not pods)
    job = api.get(JOBS, "work", namespace=namespace)
    assert "failed" not in job["status"]


def test_after_a_reset_no_node_has_a_slot_and_a_busy_node_is_not_given_again(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    slot = submit(api, namespace, f"{namespace}-old", parallelism=1)
    nodes.open_slot(slot, pods=1)
    nodes.run(slot)
    # A pod that runs is one that the driver, whose watch may run behind ours, has seen.
    pods = watched(api, PODS, namespace, lambda pods: phases(pods) == ["Running"])
    busy = bound(pods)[0]["spec"]["nodeName"]
    nodes.reset()
    assert not api.list(NODES, label_selector=SLOT_LABEL).items
    room = {each["status"]["allocatable"]["pods"] for each in api.list(NODES).items}
    assert room == {"0"}, "a pod that asks for no slot would be bound"
    nodes.open_slot(f"{namespace}-new", pods=1)
    (node,) = api.list(NODES, label_selector=SLOT_LABEL).items
    assert node["metadata"]["name"] != busy


def test_more_slots_can_be_open_than_there_were_nodes_at_the_start(
    api: Api, namespace: str, nodes: NodeDriver
) -> None:
    for number in range(12):
        nodes.open_slot(f"{namespace}-{number}", pods=1)
    assert len(api.list(NODES, label_selector=SLOT_LABEL).items) == 12
