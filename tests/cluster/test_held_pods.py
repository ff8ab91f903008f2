"""What is written into pods that wait for a slot."""

from __future__ import annotations

from typing import Any

import pytest

from queuecheck.cluster import held_pods
from queuecheck.cluster.workload import Workload

WORKLOAD = Workload("example.test/work")


def pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    named = [{"name": f"c{place}", **each} for place, each in enumerate(containers)]
    return {"spec": {"containers": named, **spec}}


def test_a_pod_is_held_by_a_gate_and_by_images_that_are_not_there() -> None:
    found = held_pods.held(
        {
            "restartPolicy": "Never",
            "initContainers": [{"name": "first", "image": "busybox", "args": ["true"]}],
            "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "3600"]}],
        },
        "low-1",
        WORKLOAD,
    )
    image = {"image": WORKLOAD.held, "imagePullPolicy": "Never"}
    assert found == {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "schedulingGates": [{"name": "slot.queuecheck.dev/low-1"}],
        "initContainers": [{"name": "first", **image}],
        "containers": [{"name": "main", **image}],
    }
    assert held_pods.slot_of({"spec": found}) == "low-1"


def test_the_patience_that_a_text_asks_for_stays() -> None:
    asked = {"containers": [], "terminationGracePeriodSeconds": 20}
    assert held_pods.held(asked, "low-1", WORKLOAD)["terminationGracePeriodSeconds"] == 20


def test_somebody_elses_gate_stays() -> None:
    gates = [{"name": "example.test/theirs"}, {"name": "slot.queuecheck.dev/low"}]
    patch = held_pods.letting_in(
        pod({"image": "any"}, schedulingGates=gates), WORKLOAD, start=False
    )
    assert patch == [{"op": "remove", "path": "/spec/schedulingGates/1"}]


def test_a_pod_that_may_start_gets_its_images_with_the_gate() -> None:
    waiting = pod({"image": WORKLOAD.held}, schedulingGates=[{"name": "slot.queuecheck.dev/low"}])
    assert not held_pods.starts(waiting, WORKLOAD)
    patch = held_pods.letting_in(waiting, WORKLOAD, start=True)
    assert patch[1:] == [
        {"op": "replace", "path": "/spec/containers/0/image", "value": WORKLOAD.runs}
    ]


def test_what_comes_first_ends_and_what_stays_beside_runs() -> None:
    started = held_pods.starting(
        pod(
            {"image": WORKLOAD.held},
            initContainers=[
                {"name": "fetch", "image": WORKLOAD.held},
                {"name": "sidecar", "image": WORKLOAD.held, "restartPolicy": "Always"},
            ],
        ),
        WORKLOAD,
    )
    assert {each["path"]: each["value"] for each in started} == {
        "/spec/initContainers/0/image": WORKLOAD.succeeds,
        "/spec/initContainers/1/image": WORKLOAD.runs,
        "/spec/containers/0/image": WORKLOAD.runs,
    }


@pytest.mark.parametrize(
    ("phase", "image"), [("Succeeded", WORKLOAD.succeeds), ("Failed", WORKLOAD.fails)]
)
def test_every_container_ends_as_the_pod_shall(phase: str, image: str) -> None:
    running = pod(
        {"image": WORKLOAD.runs},
        {"image": WORKLOAD.runs},
        initContainers=[{"name": "sidecar", "image": WORKLOAD.runs, "restartPolicy": "Always"}],
    )
    assert held_pods.ending(running, WORKLOAD, phase) == [
        {"op": "replace", "path": "/spec/containers/0/image", "value": image},
        {"op": "replace", "path": "/spec/containers/1/image", "value": image},
    ]


@pytest.mark.parametrize(
    ("resources", "changed"),
    [
        ({}, {}),
        ({"requests": {"memory": "1Gi"}}, {}),
        ({"requests": {"cpu": "2"}}, {"requests": "10m"}),
        ({"requests": {"cpu": "1500m"}}, {"requests": "10m"}),
        ({"requests": {"cpu": "10m"}}, {}),
        ({"requests": {"cpu": "0"}}, {}),
        ({"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}, {"requests": "10m"}),
        (
            {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}},
            {"requests": "100m", "limits": "100m"},
        ),
        ({"requests": {"cpu": "50m"}, "limits": {"cpu": "50m"}}, {}),
    ],
)
def test_a_pod_is_made_small_without_a_change_of_its_class(
    resources: dict[str, Any], changed: dict[str, str]
) -> None:
    patch = held_pods.shrinking(pod({"resources": resources}))
    assert {each["path"].split("/")[-2]: each["value"] for each in patch} == changed
    assert all(each["path"].endswith("/cpu") for each in patch)


def waiting(image: str, reason: str, *, about: str = "") -> dict[str, Any]:
    """A pod with a container whose image is not there, in the words of a kubelet."""
    message = f'Container image "{about or image}" is not present with pull policy of Never'
    state = {"waiting": {"reason": reason, "message": message}}
    held = pod({"image": image}, nodeName="b")
    told = {"name": "main", "image": image, "state": state}
    return {**held, "status": {"containerStatuses": [told]}}


def test_an_image_that_a_node_lacks_is_told_in_its_words() -> None:
    assert held_pods.lacking_image(waiting(WORKLOAD.runs, "ErrImageNeverPull"), WORKLOAD) == (
        "a pod does not start on node b: ErrImageNeverPull: Container image "
        '"example.test/work:runs" is not present with pull policy of Never'
    )


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(waiting(WORKLOAD.held, "ErrImageNeverPull"), id="held back"),
        pytest.param(
            waiting(WORKLOAD.runs, "ErrImageNeverPull", about=WORKLOAD.held), id="held until now"
        ),
        pytest.param(waiting(WORKLOAD.runs, "ErrImagePull"), id="pulled again soon"),
        pytest.param(waiting(WORKLOAD.runs, "ContainerCreating"), id="starting"),
        pytest.param(pod({"image": WORKLOAD.runs}), id="without a status"),
    ],
)
def test_a_pod_that_is_held_back_or_starting_lacks_no_image(found: dict[str, Any]) -> None:
    assert held_pods.lacking_image(found, WORKLOAD) is None
