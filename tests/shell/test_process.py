"""The process as its supervisor sees it: probes, signals, exit codes."""

import json
import signal
import time
from typing import Any

import pytest
import urllib3

from controller.shell.kinds import QUEUE_UNITS
from controller.shell.schema import EXTENSION_REQUIREMENTS
from queuecheck.kube import Resource
from queuecheck.kube.resource import JOBS, PODS, PRIORITY_CLASSES, RUNTIME_CLASSES
from tests.fault_server import Answer, FaultServer, Reply, Stream, failure, listing
from tests.shell.program import Program, running

KINDS = (JOBS, PODS, PRIORITY_CLASSES, RUNTIME_CLASSES, QUEUE_UNITS)


def openapi() -> dict[str, Any]:
    """A document in which every status field that is written has its place."""
    schema: dict[str, Any] = {}
    for field in EXTENSION_REQUIREMENTS[0].fields:
        node = schema
        for part in field.split("."):
            node = node.setdefault("properties", {}).setdefault(part.removesuffix("[]"), {})
            node = node.setdefault("items", {}) if part.endswith("[]") else node
    about = {"group": QUEUE_UNITS.group, "version": QUEUE_UNITS.version, "kind": QUEUE_UNITS.kind}
    path = f"/apis/{QUEUE_UNITS.api_version}/namespaces/{{namespace}}/queueunits/{{name}}/status"
    return {
        "paths": {path: {}},
        "components": {"schemas": {"unit": {**schema, "x-kubernetes-group-version-kind": [about]}}},
    }


@pytest.fixture
def program_server(server: FaultServer) -> FaultServer:
    """A server on which the extension finds nothing to do."""
    server.script("GET", "/version", Answer())
    server.script("GET", f"/openapi/v3/apis/{QUEUE_UNITS.api_version}", Answer(200, openapi()))
    for resource in KINDS:
        offer(server, resource, listing("1"))
    return server


def offer(server: FaultServer, resource: Resource, answer: Reply) -> None:
    server.script("GET", resource.path(), answer)
    server.script("WATCH", resource.path(), Stream("", "silence"))


def probe(program: Program, page: str) -> int:
    url = program.line(r"metrics listening on (http://127\.0\.0\.1:[0-9]+)$")[1]
    return urllib3.request("GET", f"{url}{page}", retries=False, timeout=10.0).status


def test_it_is_ready_when_every_kind_has_been_listed_and_not_before(
    program_server: FaultServer,
) -> None:
    program_server.script("GET", JOBS.path(), failure(503, "ServiceUnavailable"))
    with running(program_server.kubeconfig, "extension") as program:
        program.line("watch of Job starts again")
        assert (probe(program, "/healthz"), probe(program, "/readyz")) == (200, 503)
        offer(program_server, JOBS, listing("1"))
        program.ready()
        assert (probe(program, "/readyz"), probe(program, "/metrics")) == (200, 200)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_soon_and_well(
    program_server: FaultServer, number: signal.Signals
) -> None:
    with running(program_server.kubeconfig, "extension") as program:
        program.ready()
        begun = time.monotonic()
        assert program.end(number) == 0
        assert time.monotonic() - begun < 3
        assert program.lines[-1].endswith("stopped")
    written = [one for one in program_server.requests() if one.method not in {"GET", "WATCH"}]
    assert written == []


def test_who_writes_is_told_to_the_server(program_server: FaultServer) -> None:
    with running(program_server.kubeconfig, "extension") as program:
        program.ready()
    agents = {one.headers["user-agent"] for one in program_server.requests()}
    assert agents == {"queuecheck-controller/extension"}


def test_a_crash_of_one_thread_ends_it_with_one_line(program_server: FaultServer) -> None:
    offer(program_server, PRIORITY_CLASSES, Answer(200, listing_of_what_is_no_object()))
    with running(program_server.kubeconfig, "extension") as program:
        assert program.wait() == 1
    assert [line for line in program.lines if "crashed" in line]
    assert not [line for line in program.lines if "Traceback" in line]


def listing_of_what_is_no_object() -> str:
    return json.dumps({"metadata": {"resourceVersion": "1"}, "items": [{"metadata": None}]})
