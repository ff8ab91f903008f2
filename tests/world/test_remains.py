"""Whether what was taken away is gone, on a server that may not tell."""

from typing import Any

import pytest

from queuecheck.kube import Api
from queuecheck.kube.resource import NAMESPACES
from queuecheck.profiles import load_profile
from queuecheck.world.remains import Remnant, remove_remains
from tests.fault_server import Answer, FaultServer, Stream, event, failure, listing

PROFILE = load_profile("koord-queue")
PATH = NAMESPACES.path()
NAME = "qc-abcde-one"
REMNANT = Remnant(0, NAMESPACES, "", NAME, "abcde")
DOWN = failure(503, "ServiceUnavailable")


@pytest.fixture
def server(server: FaultServer) -> FaultServer:
    for resource in ("pods", "nodes"):
        server.script("GET", f"/api/v1/namespaces/{NAME}/{resource}", listing("1"))
        server.script("GET", f"/api/v1/{resource}", listing("1"))
    server.script("DELETE", f"{PATH}/{NAME}", Answer(200, {}))
    server.script("WATCH", PATH, Stream(end="silence"))
    return server


@pytest.fixture
def api(client: Api) -> Api:
    return client


def namespace() -> dict[str, Any]:
    return {"metadata": {"name": NAME, "uid": "one", "resourceVersion": "4"}}


def left(api: Api, *, seconds: float) -> list[str]:
    return remove_remains(api, PROFILE, [REMNANT], seconds=seconds)


def test_what_no_list_has_is_gone(server: FaultServer, api: Api) -> None:
    server.script("GET", PATH, listing("9"))
    assert left(api, seconds=5) == []


def test_what_could_not_be_looked_at_is_not_said_to_be_gone(server: FaultServer, api: Api) -> None:
    server.script("GET", PATH, DOWN)
    (told,) = left(api, seconds=0.2)
    assert told.startswith(f"namespace {NAME}: nobody could see whether it is gone: ")
    assert "503" in told


def test_a_list_that_fails_at_first_is_waited_for(server: FaultServer, api: Api) -> None:
    server.script("GET", PATH, DOWN, listing("9", namespace()))
    lines = event("DELETED", namespace())
    server.script("WATCH", PATH, Stream(lines, end="silence"))
    assert left(api, seconds=5) == []


def test_what_is_still_there_after_a_list_that_failed_is_told(
    server: FaultServer, api: Api
) -> None:
    server.script("GET", PATH, DOWN, listing("9", namespace()))
    assert left(api, seconds=0.5) == [f"namespace {NAME}: it is still there"]
