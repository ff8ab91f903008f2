"""What was found is there again at the end, also after refusals and a run that was killed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from queuecheck.cluster import Cluster, LocalCluster
from queuecheck.implementation import ImplementationError, rollout
from queuecheck.implementation.changes import MISLED, find_changes, put_back
from queuecheck.implementation.config_map import AS_FOUND
from queuecheck.implementation.deployments import DeploymentImplementation
from queuecheck.kube import Api, NotFound, Resource, Unreachable
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS, PODS
from tests.cluster.test_simulated_nodes import watched
from tests.implementation.deployed import (
    COMPONENTS,
    CONFIG,
    config_now,
    described,
    lose_answer,
    pods,
    refuse,
    spec_of,
)


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


NO_ANSWER = Unreachable(verb="PATCH", path="/", status=0, reason="", message="reset")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), NO_ANSWER], ids=["Ctrl-C", "no answer"])
@pytest.mark.parametrize(
    ("act", "verb", "resource"),
    [
        (lambda found: found.stop("queue"), "patch", DEPLOYMENTS),
        (lambda found: found.reconfigure({**CONFIG, "time": "1s"}), "patch", CONFIG_MAPS),
        (lambda found: found.second("queue"), "create", DEPLOYMENTS),
    ],
    ids=["scaled", "configured", "copied"],
)
def test_what_was_done_though_nobody_knows_it_is_undone(  # noqa: PLR0917
    api: Api,
    installed_by_hand: str,
    played: DeploymentImplementation,
    act: Callable[[DeploymentImplementation], object],
    verb: str,
    resource: Resource,
    error: BaseException,
) -> None:
    room = installed_by_hand
    with pytest.MonkeyPatch.context() as patching:
        lose_answer(patching, verb, resource, error)
        with pytest.raises((KeyboardInterrupt, ImplementationError)):
            act(played)
    played.close()
    assert copies(api, room) == {"the-queue": 1, "the-extension": 1}
    assert config_now(api, room) == CONFIG
    assert find_changes(api, room) == ()


def test_a_scenario_after_an_answer_was_lost_finds_everything_as_described(
    api: Api, room: str, played: DeploymentImplementation
) -> None:
    with pytest.MonkeyPatch.context() as patching:
        lose_answer(patching, "patch", DEPLOYMENTS, NO_ANSWER)
        with pytest.raises(ImplementationError, match="the-queue cannot be scaled"):
            played.stop("queue")
    played.restore()
    assert len(pods(api, room, "queue")) == 1


def test_what_was_brought_by_a_start_that_is_interrupted_goes_again(
    api: Api, room: str, brought: DeploymentImplementation
) -> None:
    with pytest.MonkeyPatch.context() as patching:
        lose_answer(patching, "create", DEPLOYMENTS, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            brought.start()
    brought.close()
    assert not api.list(DEPLOYMENTS, namespace=room).items
    with pytest.raises(NotFound):
        api.get(CONFIG_MAPS, "config", namespace=room)
