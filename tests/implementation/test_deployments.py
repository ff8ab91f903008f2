"""Verbs on Deployments, by the real Deployment controller and scheduler.

Nodes are simulated: their pods become ready and end, but say nothing and have no pages.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import tenacity
import yaml

from queuecheck.cluster import Cluster, LocalCluster
from queuecheck.cluster.simulated import SimulatedNodes
from queuecheck.implementation import ImplementationError, implement, rollout
from queuecheck.implementation.changes import MISLED, find_changes, put_back
from queuecheck.implementation.config_map import AS_FOUND
from queuecheck.implementation.deployments import DeploymentImplementation
from queuecheck.kube import Api, ApiError, KubeObject, NotFound, Resource
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS, PODS
from tests.cluster.test_simulated_nodes import PATIENCE, watched
from tests.implementation.deployed import (
    COMPONENTS,
    CONFIG,
    config_map,
    deployment,
    described,
)


@pytest.fixture
def room(control_plane: LocalCluster, namespace: str) -> Iterator[str]:
    """The namespace, whose pods find a node that runs them."""
    control_plane.nodes.open_slot(namespace, pods=20)
    control_plane.nodes.run(namespace)
    yield namespace
    control_plane.nodes.close_slot(namespace)


@pytest.fixture
def installed_by_hand(api: Api, room: str) -> str:
    api.create(CONFIG_MAPS, config_map(room), namespace=room)
    for component in COMPONENTS:
        api.create(DEPLOYMENTS, deployment(room, component), namespace=room)
    return room


@pytest.fixture
def played(
    control_plane: LocalCluster, installed_by_hand: str, tmp_path: Path
) -> Iterator[DeploymentImplementation]:
    found = DeploymentImplementation(
        described(installed_by_hand, tmp_path), cast("Cluster", control_plane)
    )
    found.start()
    yield found
    found.close()


def await_alive(played: DeploymentImplementation, expected: str | None) -> None:
    """It follows a watch, which may run behind."""
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_result(lambda told: told != expected),
        stop=tenacity.stop_after_delay(PATIENCE),
        wait=tenacity.wait_fixed(0.01),
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
    )
    assert retrying(played.alive) == expected


def pods(api: Api, namespace: str, component: str) -> dict[str, KubeObject]:
    found = api.list(PODS, namespace=namespace, label_selector=f"app={component}").items
    return {each["metadata"]["uid"]: each for each in found}


def spec_of(api: Api, namespace: str, component: str) -> KubeObject:
    found: KubeObject = api.get(DEPLOYMENTS, f"the-{component}", namespace=namespace)["spec"]
    return found


def config_now(api: Api, namespace: str) -> Any:
    return yaml.safe_load(api.get(CONFIG_MAPS, "config", namespace=namespace)["data"]["file"])


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


def test_an_attempt_runs_beside_the_others_and_leaves_nothing(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    before = pods(api, room, "queue")
    attempt = played.attempt({**CONFIG, "time": "soon"})
    assert attempt.exit_code is None
    assert attempt.file == Path("/etc/main/file")
    assert pods(api, room, "queue").keys() == before.keys()
    assert len(api.list(PODS, namespace=room).items) == 2
    names = {each["metadata"]["name"] for each in api.list(CONFIG_MAPS, namespace=room).items}
    assert names <= {"config", "kube-root-ca.crt"}
    assert config_now(api, room) == CONFIG


def test_an_attempt_returns_when_its_pod_is_gone(
    api: Api, room: str, played: DeploymentImplementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = SimulatedNodes._release

    def slowly(self: SimulatedNodes, pod: KubeObject) -> None:
        threading.Event().wait(0.5)  # a kubelet that takes its time
        release(self, pod)

    monkeypatch.setattr(SimulatedNodes, "_release", slowly)
    played.attempt({**CONFIG, "time": "soon"})
    assert len(api.list(PODS, namespace=room).items) == 2


def test_an_attempt_whose_pod_does_not_end_is_told(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr("secrets.token_hex", lambda _: "abcdef")
        patching.setattr("queuecheck.implementation.trial.END_SECONDS", 0.5)
        patching.setattr(SimulatedNodes, "_release", lambda *_: None)
        with pytest.raises(
            ImplementationError,
            match=r"^the attempt to start is not gone 0\.5 s after it was deleted: "
            r"pod the-queue-attempt-abcdef is ending$",
        ):
            played.attempt({**CONFIG, "time": "soon"})
    api.delete(PODS, "the-queue-attempt-abcdef", namespace=room, grace_seconds=0)
    with pytest.raises(NotFound):
        api.get(CONFIG_MAPS, "the-queue-attempt-abcdef", namespace=room)


def test_an_attempt_whose_pod_may_not_be_deleted_leaves_nothing_else(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    name = "the-queue-attempt-abcdef"
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr("secrets.token_hex", lambda _: "abcdef")
        said = refuse(patching, "delete", PODS, name)
        with pytest.raises(ImplementationError, match=f"^played 1: {said}$"):
            played.attempt({**CONFIG, "time": "soon"})
    api.delete(PODS, name, namespace=room)
    with pytest.raises(NotFound):
        api.get(CONFIG_MAPS, name, namespace=room)


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


def test_it_leaves_copies_and_configuration_as_it_found_them(
    api: Api, control_plane: LocalCluster, installed_by_hand: str, tmp_path: Path
) -> None:
    room = installed_by_hand
    # Its pod is there and gone again before: one that is about to leave could pass for another.
    watched(api, PODS, room, lambda pods: rollout.settled(pods.values(), copies=2))
    api.patch(DEPLOYMENTS, "the-extension", {"spec": {"replicas": 0}}, namespace=room)
    watched(api, PODS, room, lambda pods: rollout.settled(pods.values(), copies=1))
    specs = {each: spec_of(api, room, each) for each in COMPONENTS}
    found = DeploymentImplementation(described(room, tmp_path), cast("Cluster", control_plane))
    found.start()
    assert len(pods(api, room, "extension")) == 1
    found.second("queue")
    found.reconfigure({**CONFIG, "time": "1s"})
    found.kill("queue")
    found.close()
    assert {each: spec_of(api, room, each) for each in COMPONENTS} == specs
    assert config_now(api, room) == CONFIG
    for found_again in api.list(DEPLOYMENTS, namespace=room).items:
        assert AS_FOUND not in found_again["metadata"].get("annotations", {})
    assert len(api.list(DEPLOYMENTS, namespace=room).items) == 2


def refuse(patching: pytest.MonkeyPatch, verb: str, resource: Resource, name: str) -> str:
    """From now on the server says no to that; how it is told."""
    real = getattr(Api, verb)

    def refusing(self: Api, asked: Resource, *words: Any, **others: Any) -> Any:
        if (asked, *words[:1]) == (resource, name):
            raise ApiError(verb=verb, path=name, status=403, reason="Forbidden", message="no")
        return real(self, asked, *words, **others)

    patching.setattr(Api, verb, refusing)
    return f"{verb} {name}: 403 Forbidden: no"


@pytest.fixture
def changed(
    control_plane: LocalCluster, installed_by_hand: str, tmp_path: Path
) -> DeploymentImplementation:
    """All of it is otherwise than it was found."""
    found = DeploymentImplementation(
        described(installed_by_hand, tmp_path), cast("Cluster", control_plane)
    )
    found.start()
    found.second("queue")
    found.reconfigure({**CONFIG, "time": "1s"})
    found.hold("extension")
    return found


def left_by(found: DeploymentImplementation) -> str:
    with pytest.raises(ImplementationError) as told:
        found.close()
    return str(told.value)


def copies(api: Api, room: str) -> dict[str, int]:
    found = api.list(DEPLOYMENTS, namespace=room).items
    return {each["metadata"]["name"]: each["spec"]["replicas"] for each in found}


def test_a_copy_that_may_not_be_deleted_keeps_nothing_else_from_being_as_it_was(
    api: Api, installed_by_hand: str, changed: DeploymentImplementation
) -> None:
    room = installed_by_hand
    with pytest.MonkeyPatch.context() as patching:
        said = refuse(patching, "delete", DEPLOYMENTS, "the-queue-copy")
        assert left_by(changed) == f"played 1: {said}"
    assert config_now(api, room) == CONFIG
    assert copies(api, room) == {"the-queue": 1, "the-queue-copy": 1, "the-extension": 1}
    assert put_back(api, find_changes(api, room)) == {}
    assert copies(api, room) == {"the-queue": 1, "the-extension": 1}


def test_no_deployment_is_started_beside_a_configuration_that_may_not_be_put_back(
    api: Api, installed_by_hand: str, changed: DeploymentImplementation
) -> None:
    room = installed_by_hand
    with pytest.MonkeyPatch.context() as patching:
        said = refuse(patching, "patch", CONFIG_MAPS, "config")
        assert left_by(changed) == (
            f"played 1: {said}; played 1: Deployment {room}/the-extension: {MISLED}"
        )
    assert copies(api, room) == {"the-queue": 1, "the-extension": 0}
    assert put_back(api, find_changes(api, room)) == {}
    assert config_now(api, room) == CONFIG
    assert copies(api, room) == {"the-queue": 1, "the-extension": 1}


def test_what_a_scenario_could_not_undo_is_undone_after_the_next(
    api: Api, installed_by_hand: str, changed: DeploymentImplementation
) -> None:
    room = installed_by_hand
    before = pods(api, room, "queue")
    with pytest.MonkeyPatch.context() as patching:
        said = refuse(patching, "delete", DEPLOYMENTS, "the-queue-copy")
        with pytest.raises(ImplementationError, match=f"^played 1: {said}$"):
            changed.restore()
    changed.restore()
    assert copies(api, room) == {"the-queue": 1, "the-extension": 1}
    assert not pods(api, room, "queue").keys() & before.keys()
    assert config_now(api, room) == CONFIG
    changed.close()


def test_what_a_killed_run_has_left_is_put_back_by_the_next(
    api: Api, control_plane: LocalCluster, installed_by_hand: str, tmp_path: Path
) -> None:
    room = installed_by_hand
    descriptor = described(room, tmp_path)
    killed = DeploymentImplementation(descriptor, cast("Cluster", control_plane))
    killed.start()
    killed.second("queue")
    killed.reconfigure({**CONFIG, "time": "1s"})
    killed.stop()
    after = DeploymentImplementation(descriptor, cast("Cluster", control_plane))
    after.start()
    assert after.config == CONFIG
    assert config_now(api, room) == CONFIG
    assert len(pods(api, room, "queue")) == 1
    assert len(api.list(DEPLOYMENTS, namespace=room).items) == 2
    after.close()


def test_what_a_killed_run_had_uninstalled_is_brought_back_by_the_next(
    api: Api, control_plane: LocalCluster, installed_by_hand: str, tmp_path: Path
) -> None:
    room = installed_by_hand
    descriptor = described(room, tmp_path)
    specs = {each: spec_of(api, room, each) for each in COMPONENTS}
    killed = DeploymentImplementation(descriptor, cast("Cluster", control_plane))
    killed.start()
    killed.uninstall()
    after = DeploymentImplementation(descriptor, cast("Cluster", control_plane))
    after.start()
    assert {each: spec_of(api, room, each) for each in COMPONENTS} == specs
    names = {each["metadata"]["name"] for each in api.list(CONFIG_MAPS, namespace=room).items}
    assert names <= {"config", "kube-root-ca.crt"}
    after.close()


def test_manifests_are_applied_where_there_is_nothing_and_taken_away_again(
    api: Api, control_plane: LocalCluster, room: str, tmp_path: Path
) -> None:
    objects = [config_map(room), *(deployment(room, each) for each in COMPONENTS)]
    (tmp_path / "all.yaml").write_text(yaml.safe_dump_all(objects), "utf-8")
    found = DeploymentImplementation(
        described(room, tmp_path, manifests=["all.yaml"]), cast("Cluster", control_plane)
    )
    found.start()
    assert len(pods(api, room, "queue")) == 1
    found.uninstall()
    with pytest.raises(NotFound):
        api.get(CONFIG_MAPS, "config", namespace=room)
    found.restore()
    assert len(pods(api, room, "queue")) == 1
    found.close()
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
