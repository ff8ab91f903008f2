"""Why a pod that was let in does not run, as the cluster tells it."""

from __future__ import annotations

from typing import Any

from queuecheck.kube import KubeObject
from queuecheck.world.obstacle import obstacle


def pod(**status: Any) -> KubeObject:
    return {"metadata": {"name": "a"}, "spec": {"nodeName": "node-1"}, "status": status}


def waits(reason: str, message: str = "") -> KubeObject:
    waiting = {"reason": reason, "message": message}
    return pod(containerStatuses=[{"name": "main", "state": {"waiting": waiting}}])


def test_an_image_that_a_node_does_not_have_is_told_with_what_to_do() -> None:
    lacking = waits("ErrImageNeverPull", 'Container image "w:runs" is not present')
    assert obstacle([pod(phase="Running"), lacking]) == (
        "does not start on node node-1: ErrImageNeverPull: "
        'Container image "w:runs" is not present; '
        "nodes need the images that queuecheck workload writes, loaded, or pulled by "
        "--workload-image"
    )


def test_an_init_container_that_does_not_start_is_told_of_too() -> None:
    state = {"waiting": {"reason": "CrashLoopBackOff"}}
    found = pod(
        initContainerStatuses=[{"name": "first", "state": state}],
        containerStatuses=waits("PodInitializing")["status"]["containerStatuses"],
    )
    assert obstacle([found]) == "does not start on node node-1: CrashLoopBackOff"


def test_a_pod_that_no_node_takes_is_told_in_the_schedulers_words() -> None:
    refused = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/1 nodes are available: 1 Insufficient cpu.",
    }
    assert obstacle([pod(conditions=[refused])]) == (
        "finds no node: 0/1 nodes are available: 1 Insufficient cpu."
    )


def test_a_pod_that_is_about_to_start_or_still_gated_has_no_obstacle() -> None:
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    assert obstacle([waits("ContainerCreating"), pod(conditions=[gated]), pod()]) is None
