"""Which of the objects of manifests were brought, and go again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from queuecheck.implementation.deployed import Deployed
from queuecheck.implementation.installation import BROUGHT_LABEL, Installation
from queuecheck.kube import Api, KubeObject, Unreachable
from tests.fault_server import Answer, FaultServer, Stream, failure

ROOM = "/api/v1/namespaces/room/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/room/deployments"
QUEUE = Deployed("queue", "room", "queue", None, None, None)


@pytest.fixture
def server(server: FaultServer) -> FaultServer:
    """It has no object, but takes every one."""
    server.script("GET", "/api/v1", served("configmaps", "ConfigMap"))
    server.script("GET", "/apis/apps/v1", served("deployments", "Deployment"))
    for place in (ROOM, DEPLOYMENTS):
        server.script("POST", place, Answer(201, {}))
    return server


@pytest.fixture
def api(client: Api) -> Api:
    return client


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    file = tmp_path / "all.yaml"
    objects = [body("v1", "ConfigMap", "config"), body("apps/v1", "Deployment", "queue")]
    file.write_text(yaml.safe_dump_all(objects), "utf-8")
    return file


def served(plural: str, kind: str) -> Answer:
    return Answer(200, {"resources": [{"name": plural, "kind": kind, "namespaced": True}]})


def body(version: str, kind: str, name: str) -> dict[str, Any]:
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "room", "labels": {"app": "queue"}},
    }


def there(*, brought: bool) -> Answer:
    return Answer(200, {"metadata": {"labels": {BROUGHT_LABEL: "true"} if brought else {}}})


def deleted(server: FaultServer) -> list[str]:
    return [each.path for each in server.requests("DELETE")]


def test_what_is_brought_says_so_and_goes_again(
    server: FaultServer, api: Api, manifests: Path
) -> None:
    installation = Installation(api, [manifests])
    installation.make_complete([QUEUE])
    (created,) = server.requests("POST", ROOM)
    assert created.body["metadata"]["labels"] == {"app": "queue", BROUGHT_LABEL: "true"}
    installation.remove()
    assert deleted(server) == [f"{DEPLOYMENTS}/queue", f"{ROOM}/config"]


def test_what_another_worker_has_brought_goes_with_the_last_of_them(
    server: FaultServer, api: Api, manifests: Path
) -> None:
    server.script("GET", f"{DEPLOYMENTS}/queue", there(brought=True))
    server.script("GET", f"{ROOM}/config", there(brought=False))
    installation = Installation(api, [manifests])
    installation.make_complete([QUEUE])
    installation.remove()
    assert server.requests("POST") == []
    assert deleted(server) == [f"{DEPLOYMENTS}/queue"]


def test_what_cannot_be_read_is_not_ours(server: FaultServer, api: Api, manifests: Path) -> None:
    server.script("GET", f"{DEPLOYMENTS}/queue", there(brought=True))
    server.script("GET", f"{ROOM}/config", failure(403, "Forbidden"))
    installation = Installation(api, [manifests])
    installation.make_complete([QUEUE])
    installation.remove()
    assert deleted(server) == [f"{DEPLOYMENTS}/queue"]


def test_what_may_not_be_deleted_keeps_nothing_else_from_going(
    server: FaultServer, api: Api, manifests: Path
) -> None:
    server.script("DELETE", f"{DEPLOYMENTS}/queue", failure(403, "Forbidden"))
    installation = Installation(api, [manifests])
    installation.make_complete([QUEUE])
    assert installation.remove() == [f"DELETE {DEPLOYMENTS}/queue: 403 Forbidden: no"]
    assert deleted(server) == [f"{DEPLOYMENTS}/queue", f"{ROOM}/config"]


@pytest.mark.parametrize("ours", [True, False])
def test_what_nobody_knows_to_be_brought_goes_if_it_says_so(
    server: FaultServer, api: Api, manifests: Path, *, ours: bool
) -> None:
    server.script("POST", DEPLOYMENTS, Stream(end="cut"))
    installation = Installation(api, [manifests])
    with pytest.raises(Unreachable):
        installation.make_complete([QUEUE])
    server.script("GET", f"{DEPLOYMENTS}/queue", there(brought=ours))
    assert installation.remove() == []
    assert deleted(server) == [*([f"{DEPLOYMENTS}/queue"] if ours else []), f"{ROOM}/config"]


def test_what_is_not_brought_back_yet_is_not_forgotten_for_a_ctrl_c(
    server: FaultServer, api: Api, manifests: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation = Installation(api, [manifests])
    installation.make_complete([QUEUE])
    installation.take_away([])

    def interrupted(_: Installation, __: KubeObject) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patching:
        patching.setattr(Installation, "_create", interrupted)
        with pytest.raises(KeyboardInterrupt):
            installation.bring_back()
    assert installation.lacks
    assert installation.bring_back() == []
    created = [each.path for each in server.requests("POST")]
    assert created == [ROOM, DEPLOYMENTS, ROOM, DEPLOYMENTS]


def test_what_could_not_be_brought_back_is_brought_back_the_next_time(
    server: FaultServer, api: Api, manifests: Path
) -> None:
    installation = Installation(api, [manifests])
    installation.make_complete([QUEUE])
    installation.take_away([])
    server.script("POST", ROOM, failure(403, "Forbidden"))
    lacking = [installation.lacks]
    assert installation.bring_back() == [f"POST {ROOM}: 403 Forbidden: no"]
    lacking.append(installation.lacks)
    server.script("POST", ROOM, Answer(201, {}))
    assert installation.bring_back() == []
    assert [*lacking, installation.lacks] == [True, True, False]
    created = [each.path for each in server.requests("POST")]
    assert created == [ROOM, DEPLOYMENTS, ROOM, DEPLOYMENTS, ROOM]
