"""What Deployments and pods tell: each reading by itself."""

from __future__ import annotations

from typing import Any

import pytest

from queuecheck.implementation import rollout
from queuecheck.kube import KubeObject


def pod(name: str = "a", **status: Any) -> KubeObject:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], **status}
    return {"metadata": {"name": name, "uid": f"uid-{name}"}, "status": status}


def unready(name: str = "a", **status: Any) -> KubeObject:
    return pod(name, conditions=[{"type": "Ready", "status": "False"}], **status)


def leaving(name: str = "a") -> KubeObject:
    found = pod(name)
    found["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return found


def waits(reason: str, message: str = "") -> KubeObject:
    waiting = {"reason": reason, "message": message}
    return unready(containerStatuses=[{"name": "main", "state": {"waiting": waiting}}])


def deployment(**spec: Any) -> KubeObject:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "queue",
            "namespace": "here",
            "uid": "1",
            "resourceVersion": "2",
            "annotations": {"deployment.kubernetes.io/revision": "3", "ours": "4"},
        },
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "queue"}},
            "template": {
                "metadata": {"labels": {"app": "queue"}},
                "spec": {
                    "containers": [
                        {"name": "main", "volumeMounts": [{"name": "v", "mountPath": "/etc/c"}]},
                        {"name": "side"},
                    ],
                    "volumes": [{"name": "v", "configMap": {"name": "config"}}],
                },
            },
            **spec,
        },
        "status": {"observedGeneration": 4, "replicas": 3},
    }


@pytest.mark.parametrize(
    ("pods", "copies", "leavers", "expected"),
    [
        ([pod()], 1, (), True),
        ([], 0, (), True),
        ([], 1, (), False),
        ([pod(), pod("b")], 1, (), False),
        ([unready()], 1, (), False),
        ([leaving()], 1, (), False),
        ([pod(), leaving("b")], 1, (), False),
        ([pod()], 1, ("uid-a",), False),
        ([pod("b")], 1, ("uid-a",), True),
        ([pod(), unready("b", phase="Failed")], 1, (), True),
    ],
    ids=str,
)
def test_settled_is_so_many_ready_pods_and_no_other(
    pods: list[KubeObject], copies: int, leavers: tuple[str, ...], expected: bool
) -> None:
    assert rollout.settled(pods, copies=copies, leaving=leavers) is expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"observedGeneration": 4}, True),
        ({"observedGeneration": 5, "replicas": 0}, True),
        ({"observedGeneration": 3}, False),
        ({"observedGeneration": 4, "replicas": 1}, False),
        ({}, False),
    ],
    ids=str,
)
def test_scaled_down_is_seen_by_the_controllers(status: dict[str, int], expected: bool) -> None:
    assert rollout.scaled_down({"status": status}, generation=4) is expected


def test_a_copys_pods_are_told_from_the_first_ones() -> None:
    first = deployment(
        selector={
            "matchLabels": {"app": "queue"},
            "matchExpressions": [
                {"key": "tier", "operator": "In", "values": ["a", "b"]},
                {"key": "old", "operator": "DoesNotExist"},
            ],
        }
    )
    ours = "app=queue,tier in (a,b),!old"
    assert rollout.selector(first) == f"{ours},!queuecheck.dev/copy"
    second = rollout.copied(first, name="queue-copy", instance="queue-2")
    assert rollout.selector(second, of_copy="queue-2") == f"{ours},queuecheck.dev/copy=queue-2"


def test_a_copy_is_reached_as_the_first_is_and_selects_only_its_own() -> None:
    first = deployment()
    second = rollout.copied(first, name="queue-copy", instance="queue-2")
    labels = {"app": "queue", "queuecheck.dev/copy": "queue-2"}
    assert second["spec"]["selector"]["matchLabels"] == labels
    assert second["spec"]["template"]["metadata"]["labels"] == labels
    assert second["spec"]["replicas"] == 1
    assert second["metadata"] == {
        "name": "queue-copy",
        "namespace": "here",
        "labels": {"queuecheck.dev/copy": "queue-2"},
    }
    assert "status" not in second
    assert first == deployment()


def test_what_a_server_has_added_is_not_created_again() -> None:
    assert rollout.again(deployment())["metadata"] == {
        "name": "queue",
        "namespace": "here",
        "annotations": {"ours": "4"},
    }


def test_a_tried_pod_is_nobodys_and_reads_another_config_map() -> None:
    found = deployment()
    tried = rollout.tried(found, name="try", config_map="config", instead="other")
    assert tried["metadata"]["labels"] == {"queuecheck.dev/copy": "try"}
    assert tried["spec"]["restartPolicy"] == "Never"
    assert tried["spec"]["volumes"] == [{"name": "v", "configMap": {"name": "other"}}]
    assert found == deployment()


@pytest.mark.parametrize(
    ("volume", "mount", "expected"),
    [
        ({}, {}, "/etc/c/file"),
        ({"items": [{"key": "file", "path": "sub/f.yaml"}]}, {}, "/etc/c/sub/f.yaml"),
        ({"items": [{"key": "other", "path": "o"}]}, {}, None),
        ({}, {"subPath": "file", "mountPath": "/etc/c.yaml"}, "/etc/c.yaml"),
        ({"name": "another"}, {}, None),
    ],
    ids=str,
)
def test_the_file_is_where_the_container_mounts_it(
    volume: dict[str, Any], mount: dict[str, Any], expected: str | None
) -> None:
    found = deployment()
    spec = found["spec"]["template"]["spec"]
    spec["volumes"][0]["configMap"] |= volume
    spec["containers"][0]["volumeMounts"][0] |= mount
    assert rollout.config_file(found, "main", config_map="config", key="file") == expected


def test_the_container_is_the_first_unless_named() -> None:
    assert rollout.container_of(deployment(), None) == "main"
    assert rollout.container_of(deployment(), "side") == "side"
    with pytest.raises(KeyError, match="no container mian; it has main, side"):
        rollout.container_of(deployment(), "mian")


@pytest.mark.parametrize("reason", ["CrashLoopBackOff", "ImagePullBackOff", "ErrImageNeverPull"])
def test_a_pod_that_will_not_become_ready_says_so(reason: str) -> None:
    told = rollout.hopeless(waits(reason, "no such\nimage"))
    assert told == f"pod a: container main: {reason}: no such image"


@pytest.mark.parametrize("reason", ["ContainerCreating", "ErrImagePull", "PodInitializing"])
def test_a_pod_that_may_become_ready_is_not_given_up(reason: str) -> None:
    assert rollout.hopeless(waits(reason)) is None


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (pod(), "pod a is Running"),
        (unready(), "pod a is Running, not ready"),
        (leaving(), "pod a is ending"),
        (waits("ContainerCreating"), "pod a is Running, not ready (ContainerCreating)"),
        (
            pod(
                phase="Pending",
                conditions=[
                    {
                        "type": "PodScheduled",
                        "status": "False",
                        "reason": "Unschedulable",
                        "message": "0/1 nodes",
                    }
                ],
            ),
            "pod a is Pending (Unschedulable: 0/1 nodes)",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_pods_state_is_one_line(found: KubeObject, told: str) -> None:
    assert rollout.state(found) == told


def test_a_container_that_ended_is_read_by_name() -> None:
    ended = pod(
        containerStatuses=[
            {"name": "side", "state": {"terminated": {"exitCode": 0}}},
            {"name": "main", "state": {"terminated": {"exitCode": 2}}, "restartCount": 3},
        ]
    )
    assert rollout.exit_code(ended, "main") == 2
    assert rollout.exit_code(pod(), "main") is None
    assert rollout.restarts(ended) == 3


def test_the_end_before_a_restart_is_told_with_its_reason() -> None:
    last = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
    restarted = pod(containerStatuses=[{"name": "main", "lastState": last}])
    assert rollout.last_end(restarted) == "container main ended with exit code 137, OOMKilled"
