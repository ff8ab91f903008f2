"""Attempts to start, in Pods of their own: what is known of them, and what they leave."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from queuecheck.cluster.simulated import SimulatedNodes
from queuecheck.implementation import ImplementationError
from queuecheck.implementation.deployments import DeploymentImplementation
from queuecheck.kube import Api, KubeObject, NotFound
from queuecheck.kube.resource import CONFIG_MAPS, PODS
from tests.implementation.deployed import (
    CONFIG,
    config_now,
    pods,
    refuse,
)


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
