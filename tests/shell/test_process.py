"""The process as its supervisor sees it: probes, signals, exit codes."""

import json
import re
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import tenacity
import urllib3

from controller.shell.kinds import QUEUE_UNITS
from controller.shell.schema import EXTENSION_REQUIREMENTS
from queuecheck.implementation.instance import STOP_SECONDS
from queuecheck.kube import Resource
from queuecheck.kube.resource import JOBS, LEASES, PODS, PRIORITY_CLASSES, RUNTIME_CLASSES
from tests.fault_server import PATIENCE, Answer, FaultServer, Reply, Stream, failure, listing
from tests.shell.program import Program, running

LEASE = LEASES.path(namespace="koord-queue", name="koord-queue-extension")
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


def asked(program: Program, page: str) -> urllib3.BaseHTTPResponse:
    url = program.line(r"metrics listening on (http://127\.0\.0\.1:[0-9]+)$")[1]
    return urllib3.request("GET", f"{url}{page}", retries=False, timeout=PATIENCE)


def probe(program: Program, page: str) -> int:
    return asked(program, page).status


def assert_sick(program: Program, thread: str) -> None:
    """In the end /healthz tells of that thread, and of it alone.

    On a busy machine another one may have been silent for too long before, and is heard of again.
    """
    said = re.compile(rf"{thread} has given no sign of life for \d+ s\n")
    probing = tenacity.Retrying(
        retry=tenacity.retry_if_result(lambda answer: not said.fullmatch(answer.data.decode())),
        stop=tenacity.stop_after_delay(PATIENCE),
        wait=tenacity.wait_fixed(0.1),
    )
    answer: urllib3.BaseHTTPResponse = probing(asked, program, "/healthz")
    assert answer.status == 503


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
    started = time.monotonic()
    with running(program_server.kubeconfig, "extension") as program:
        program.ready()
        asked_to = time.monotonic()
        assert program.end(number) == 0
        # By then it would be killed. A machine so busy that it starts no sooner has longer for it.
        assert time.monotonic() - asked_to < max(STOP_SECONDS, asked_to - started)
        assert program.lines[-1].endswith("stopped")
    written = [one for one in program_server.requests() if one.method not in {"GET", "WATCH"}]
    assert written == []


def test_who_writes_is_told_to_the_server(program_server: FaultServer) -> None:
    with running(program_server.kubeconfig, "extension") as program:
        program.ready()
    agents = {one.headers["user-agent"] for one in program_server.requests()}
    assert agents == {"queuecheck-controller/extension"}


@pytest.mark.parametrize(("code", "leads"), [(201, "1.0"), (403, "0.0")])
def test_its_metrics_say_whether_it_leads(
    program_server: FaultServer, code: int, leads: str
) -> None:
    made = {"metadata": {"resourceVersion": "1"}, "spec": {}}
    program_server.script("POST", LEASES.path(namespace="koord-queue"), Answer(code, made))
    program_server.script("PATCH", LEASE, Answer(200, made))  # else it leads with breaks
    with running(program_server.kubeconfig, "extension", "--leader-elect") as program:
        lines = asked(program.ready(), "/metrics").data.decode().splitlines()
    assert f'leader_election_master_status{{name="koord-queue-extension"}} {leads}' in lines


def test_a_crash_of_one_thread_ends_it_with_one_line(program_server: FaultServer) -> None:
    offer(program_server, PRIORITY_CLASSES, Answer(200, listing_of_what_is_no_object()))
    with running(program_server.kubeconfig, "extension") as program:
        assert program.wait() == 1
    assert [line for line in program.lines if "crashed" in line]
    assert not [line for line in program.lines if "Traceback" in line]


ENDLESS = Stream("", "trickle")


def decides_for_ever(server: FaultServer) -> None:
    job = {"namespace": "ns", "name": "a", "uid": "u", "resourceVersion": "1"}
    server.script("GET", JOBS.path(), listing("1", {"metadata": job, "spec": {}}))


def lists_for_ever(server: FaultServer) -> None:
    server.script("GET", JOBS.path(), ENDLESS)


def watches_what_is_no_event(server: FaultServer) -> None:
    server.script("WATCH", JOBS.path(), ENDLESS)


def renews_for_ever(server: FaultServer) -> None:
    server.script("GET", LEASE, Answer(200, {"metadata": {"resourceVersion": "1"}}), ENDLESS)


def impatient(server: FaultServer, *flags: str) -> AbstractContextManager[Program]:
    program = Path(__file__).with_name("hanging.py")
    return running(server.kubeconfig, "extension", *flags, words=(str(program),))


@pytest.mark.parametrize(
    ("hang", "thread", "flags"),
    [
        (decides_for_ever, "extension-worker", ()),
        (lists_for_ever, "extension-watch-Job", ()),
        (watches_what_is_no_event, "extension-watch-Job", ()),
        (renews_for_ever, "extension-election", ("--leader-elect-retry-period=0.5s",)),
    ],
)
def test_a_thread_that_hangs_makes_it_sick_and_is_told_in_the_log_at_the_end(
    program_server: FaultServer,
    hang: Callable[[FaultServer], None],
    thread: str,
    flags: Sequence[str],
) -> None:
    hang(program_server)
    with impatient(program_server, *flags) as program:
        assert_sick(program, thread)
        assert program.end() == 0
    program.line(rf" error +process +{thread} has given no sign of life for \d+ s$")


def test_a_start_that_hangs_makes_it_sick(program_server: FaultServer) -> None:
    program_server.script("GET", "/version", ENDLESS)
    with impatient(program_server) as program:
        assert_sick(program, "MainThread")


def listing_of_what_is_no_object() -> str:
    return json.dumps({"metadata": {"resourceVersion": "1"}, "items": [{"metadata": None}]})
