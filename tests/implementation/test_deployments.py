"""Verbs on Deployments, by the real Deployment controller and scheduler.

Nodes are simulated: their pods become ready and end, but say nothing and have no pages.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
import tenacity

from queuecheck.cluster import Cluster, LocalCluster
from queuecheck.implementation import ImplementationError, implement
from queuecheck.implementation.deployments import DeploymentImplementation
from queuecheck.kube import Api, NotFound
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS, PODS
from tests.cluster.test_simulated_nodes import PATIENCE, watched
from tests.implementation.deployed import (
    COMPONENTS,
    CONFIG,
    config_map,
    config_now,
    deployment,
    described,
    pods,
    spec_of,
)


def await_alive(played: DeploymentImplementation, expected: str | None) -> None:
    """It follows a watch, which may run behind."""
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_result(lambda told: told != expected),
        stop=tenacity.stop_after_delay(PATIENCE),
        wait=tenacity.wait_fixed(0.01),
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
    )
    assert retrying(played.alive) == expected


def test_a_component_is_stopped_by_itself_and_started(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    (extension,) = pods(api, room, "extension")
    played.stop("queue")
    assert not pods(api, room, "queue")
    played.start("queue")
    assert len(pods(api, room, "queue")) == 1
    assert set(pods(api, room, "extension")) == {extension}


def test_a_restart_brings_other_pods_and_leaves_the_deployment_alone(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    before = {each: pods(api, room, each).keys() for each in COMPONENTS}
    specs = {each: spec_of(api, room, each) for each in COMPONENTS}
    played.restart()
    for each in COMPONENTS:
        after = pods(api, room, each)
        assert len(after) == 1
        assert not after.keys() & before[each]
        assert spec_of(api, room, each) == specs[each]


def test_nothing_is_started_in_place_of_what_was_killed(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    played.kill()
    assert not pods(api, room, "queue")
    assert not pods(api, room, "extension")
    assert played.alive() is None
    played.start()
    assert len(pods(api, room, "queue")) == 1


def test_what_was_held_comes_back_when_it_is_released(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    played.stop("queue")
    played.hold("extension")
    assert not pods(api, room, "extension")
    with pytest.raises(ImplementationError, match="extension cannot be held: it is not running"):
        played.hold("extension")
    played.release()
    assert len(pods(api, room, "extension")) == 1
    assert not pods(api, room, "queue")


def test_a_second_instance_is_told_apart_and_goes_with_the_scenario(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    (first,) = pods(api, room, "queue")
    assert played.second("queue") == "queue-2"
    assert len(pods(api, room, "queue")) == 2
    assert list(played.instances) == ["queue", "extension", "queue-2"]
    with pytest.raises(ImplementationError, match="queue has a second instance already"):
        played.second("queue")
    played.kill("queue")
    assert len(pods(api, room, "queue")) == 1
    assert first not in pods(api, room, "queue")
    played.restore()
    assert list(played.instances) == ["queue", "extension"]
    assert len(pods(api, room, "queue")) == 1
    assert len(api.list(DEPLOYMENTS, namespace=room).items) == 2


def test_another_configuration_reaches_those_that_read_it(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    (queue,), (extension,) = pods(api, room, "queue"), pods(api, room, "extension")
    assert played.config == CONFIG
    played.reconfigure({**CONFIG, "time": "5s"})
    assert config_now(api, room) == {**CONFIG, "time": "5s"}
    assert played.config == CONFIG
    assert queue not in pods(api, room, "queue")
    assert extension in pods(api, room, "extension")
    (changed,) = pods(api, room, "queue")
    played.restore()
    assert config_now(api, room) == CONFIG
    assert changed not in pods(api, room, "queue")


def test_what_was_uninstalled_is_there_again_for_the_next_scenario(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    specs = {each: spec_of(api, room, each) for each in COMPONENTS}
    played.uninstall()
    assert not api.list(DEPLOYMENTS, namespace=room).items
    assert not api.list(PODS, namespace=room).items
    played.restore()
    assert {each: spec_of(api, room, each) for each in COMPONENTS} == specs
    assert len(pods(api, room, "queue")) == 1
    assert {each["metadata"]["name"] for each in api.list(CONFIG_MAPS, namespace=room).items} <= {
        "config",
        "kube-root-ca.crt",
    }


def test_a_container_that_was_started_again_is_an_end_that_nobody_asked_for(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    (found,) = pods(api, room, "queue").values()
    crashed = {
        "name": "main",
        "image": "x",
        "imageID": "",
        "ready": True,
        "restartCount": 1,
        "state": {"running": {}},
        "lastState": {"terminated": {"exitCode": 3, "reason": "Error"}},
    }
    name = found["metadata"]["name"]
    status = {"status": {"containerStatuses": [crashed]}}
    api.patch(PODS, name, status, namespace=room, subresource="status")
    await_alive(played, f"queue: pod {name}: container main ended with exit code 3, Error")
    played.restore()
    await_alive(played, None)
    assert found["metadata"]["uid"] not in pods(api, room, "queue")


def test_manifests_are_applied_where_there_is_nothing_and_taken_away_again(
    api: Api, room: str, brought: DeploymentImplementation
) -> None:
    brought.start()
    assert len(pods(api, room, "queue")) == 1
    brought.uninstall()
    with pytest.raises(NotFound):
        api.get(CONFIG_MAPS, "config", namespace=room)
    brought.restore()
    assert len(pods(api, room, "queue")) == 1
    brought.close()
    assert not api.list(DEPLOYMENTS, namespace=room).items


def test_a_deployment_that_is_not_there_is_named(
    control_plane: LocalCluster, room: str, tmp_path: Path
) -> None:
    found = DeploymentImplementation(described(room, tmp_path), cast("Cluster", control_plane))
    with pytest.raises(ImplementationError) as told:
        found.start()
    assert str(told.value) == (
        f"played 1: Deployment {room}/the-queue is not there; install it first, or name its "
        "manifests in the descriptor"
    )
    found.close()


def test_a_pod_that_finds_no_node_is_told_when_the_time_is_over(
    api: Api,
    control_plane: LocalCluster,
    namespace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api.create(CONFIG_MAPS, config_map(namespace), namespace=namespace)
    for component in COMPONENTS:
        body = deployment(namespace, component)
        body["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 0
        api.create(DEPLOYMENTS, body, namespace=namespace)
    watched(api, PODS, namespace, lambda pods: len(pods) == len(COMPONENTS))
    monkeypatch.setattr("queuecheck.implementation.workload.READY_SECONDS", 2.0)
    found = DeploymentImplementation(described(namespace, tmp_path), cast("Cluster", control_plane))
    with pytest.raises(
        ImplementationError, match=r"is not ready within 2 s: pod the-queue-.* is Pen"
    ):
        found.start()
    found.close()


def test_where_nothing_runs_containers_it_is_refused(
    control_plane: LocalCluster, namespace: str, tmp_path: Path
) -> None:
    with pytest.raises(ImplementationError, match=r"^played 1 is made of Deployments, and on clu"):
        implement(
            described(namespace, tmp_path), cast("Cluster", control_plane), directory=tmp_path
        )
