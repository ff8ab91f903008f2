"""The driver for real nodes with the real scheduler; that pods run is played by the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from queuecheck.cluster import LocalCluster
from queuecheck.cluster.real_nodes import RealNodes
from queuecheck.cluster.workload import Workload
from queuecheck.kube import Api, KubeObject
from queuecheck.kube.resource import JOBS, PODS
from tests.cluster.test_simulated_nodes import Objects, bound, watched

WORKLOAD = Workload()


@pytest.fixture
def nodes(control_plane: LocalCluster, api: Api) -> Iterator[RealNodes]:
    """With one node that takes whatever selects no other."""
    control_plane.nodes.open_slot("whoever", pods=20)
    driver = RealNodes(api, WORKLOAD)
    driver.start()
    yield driver
    driver.stop()
    control_plane.nodes.reset()


def submit(api: Api, namespace: str, nodes: RealNodes, *, pods: int) -> str:
    """The slot of a Job whose pods ask for more cpu than any node has."""
    slot = f"{namespace}-slot"
    container = {
        "name": "main",
        "image": "busybox",
        "command": ["sleep", "3600"],
        "resources": {"requests": {"cpu": "200k"}},
    }
    pod = {"restartPolicy": "Never", "containers": [container]}
    body = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work"},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "backoffLimit": 0,
            "template": {"spec": nodes.placed(pod, slot)},
        },
    }
    api.create(JOBS, body, namespace=namespace)
    return slot


def images(pods: Objects) -> list[str]:
    return sorted(pod["spec"]["containers"][0]["image"] for pod in pods.values())


def play(api: Api, pod: KubeObject, phase: str) -> None:
    api.patch(
        PODS,
        pod["metadata"]["name"],
        {"status": {"phase": phase}},
        namespace=pod["metadata"]["namespace"],
        subresource="status",
    )


def lacks(api: Api, pod: KubeObject, image: str) -> None:
    """The words of a kubelet on whose node the image is not."""
    message = f'Container image "{image}" is not present with pull policy of Never'
    waits = {"waiting": {"reason": "ErrImageNeverPull", "message": message}}
    found = {"name": "main", "image": image, "imageID": "", "ready": False, "restartCount": 0}
    api.patch(
        PODS,
        pod["metadata"]["name"],
        {"status": {"containerStatuses": [{**found, "state": waits}]}},
        namespace=pod["metadata"]["namespace"],
        subresource="status",
    )


def test_as_many_pods_are_bound_as_there_is_room_for(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    slot = submit(api, namespace, nodes, pods=3)
    watched(api, PODS, namespace, lambda pods: len(pods) == 3)
    nodes.open_slot(slot, pods=1)
    pods = watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1)
    assert sum("schedulingGates" in pod["spec"] for pod in pods.values()) == 2
    assert images(pods) == [WORKLOAD.held] * 3


def test_a_pod_that_comes_later_finds_the_slot_open(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    nodes.open_slot(f"{namespace}-slot", pods=2)
    submit(api, namespace, nodes, pods=2)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 2)


def test_what_a_pod_asks_for_is_made_small_in_the_pod_alone(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    nodes.open_slot(submit(api, namespace, nodes, pods=1), pods=1)
    (pod,) = bound(watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1))
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "10m"}
    job = api.get(JOBS, "work", namespace=namespace)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["resources"]["requests"] == {"cpu": "200k"}


def test_pods_that_are_bound_start_when_they_are_told_to(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    slot = submit(api, namespace, nodes, pods=2)
    nodes.open_slot(slot, pods=1)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1)
    nodes.run(slot)
    watched(api, PODS, namespace, lambda pods: images(pods) == [WORKLOAD.held, WORKLOAD.runs])


def test_a_node_that_lacks_an_image_is_found_out_once_pods_are_told_to_run(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    slot = submit(api, namespace, nodes, pods=1)
    nodes.open_slot(slot, pods=1)
    (pod,) = bound(watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1))
    lacks(api, pod, WORKLOAD.held)
    assert nodes.hindrance() is None
    nodes.run(slot)
    (pod,) = watched(api, PODS, namespace, lambda pods: images(pods) == [WORKLOAD.runs]).values()
    lacks(api, pod, WORKLOAD.runs)
    # A pod of another slot comes after the node's words have been seen.
    nodes.open_slot(f"{namespace}-other", pods=1)
    spec = nodes.placed({"containers": [{"name": "main"}]}, f"{namespace}-other")
    api.create(PODS, {"metadata": {"name": "other"}, "spec": spec}, namespace=namespace)
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 2)
    assert (nodes.hindrance() or "").startswith("a pod does not start on node")


def test_pods_end_as_they_are_told_to_and_each_of_them_once(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    slot = submit(api, namespace, nodes, pods=3)
    nodes.open_slot(slot, pods=3)
    nodes.run(slot)
    nodes.finish(slot, succeeded=1)
    nodes.finish(slot, failed=1)
    for pod in bound(watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 3)):
        play(api, pod, "Running")
    wanted = [WORKLOAD.fails, WORKLOAD.runs, WORKLOAD.succeeds]
    watched(api, PODS, namespace, lambda pods: images(pods) == wanted)


def test_a_pod_that_has_ended_leaves_its_room_to_another(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    slot = submit(api, namespace, nodes, pods=2)
    nodes.open_slot(slot, pods=1)
    (first,) = bound(watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1))
    play(api, first, "Succeeded")
    watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 2)


def test_nothing_more_is_bound_once_the_slot_is_closed(
    api: Api, namespace: str, nodes: RealNodes
) -> None:
    slot = submit(api, namespace, nodes, pods=2)
    nodes.open_slot(slot, pods=1)
    (first,) = bound(watched(api, PODS, namespace, lambda pods: len(bound(pods)) == 1))
    nodes.close_slot(slot)
    play(api, first, "Succeeded")
    # A pod of another slot comes after all that would have been done for this one.
    other = f"{namespace}-other"
    spec = nodes.placed({"containers": [{"name": "main"}]}, other)
    api.create(PODS, {"metadata": {"name": "other"}, "spec": spec}, namespace=namespace)
    nodes.open_slot(other, pods=1)
    pods = watched(
        api, PODS, namespace, lambda pods: "nodeName" in pods.get("other", {}).get("spec", {})
    )
    assert len(bound(pods)) == 2
