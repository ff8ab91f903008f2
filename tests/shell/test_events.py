import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.decisions import EmitEvent, Kind, Ref
from controller.shell.events import EventWriter, body, shortened
from controller.shell.logs import Journal
from controller.shell.requests import Requests
from controller.shell.signs import Signs
from queuecheck.kube import Api, ApiError, KubeObject
from tests.fault_server import PATIENCE, Answer, FaultServer, failure

EVENTS = "/api/v1/namespaces/ns/events"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def made(message: str = "no room", *, name: str = "a", once: str | None = None) -> KubeObject:
    target = Ref(Kind.UNIT, "ns", name, "uid-a")
    event = EmitEvent(target, "Warning", "FailedScheduling", message, once)
    return body(event, uid="uid-a", component="queue", now=NOW)


@pytest.fixture
def writer(client: Api, requests: Requests) -> EventWriter:
    return EventWriter(
        api=client,
        requests=requests,
        journal=Journal("queue"),
        component="queue",
        signs=Signs(),
        backlog=2,
    )


@pytest.fixture
def running(writer: EventWriter) -> Iterator[EventWriter]:
    thread = threading.Thread(target=writer.run, daemon=True)
    thread.start()
    yield writer
    writer.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_an_event_says_what_whom_and_by_whom() -> None:
    event = made()
    assert event["involvedObject"] == {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "QueueUnit",
        "namespace": "ns",
        "name": "a",
        "uid": "uid-a",
    }
    assert event["source"] == {"component": "queuecheck-queue"}
    assert (event["type"], event["reason"]) == ("Warning", "FailedScheduling")
    assert event["firstTimestamp"] == event["lastTimestamp"] == "2026-01-02T03:04:05Z"
    assert event["count"] == 1


def test_equal_events_have_one_name_and_different_ones_have_not() -> None:
    assert made()["metadata"] == made()["metadata"]
    assert made()["metadata"]["name"] != made("another")["metadata"]["name"]
    assert len(made(name="a" * 253)["metadata"]["name"]) <= 253


def test_an_event_that_exists_once_has_its_own_name() -> None:
    assert made(once="a.reclaimed.1")["metadata"]["name"] == "a.reclaimed.1"


@given(st.text(max_size=1200))
def test_a_message_fits_and_is_cut_only_if_it_must_be(message: str) -> None:
    cut = shortened(message)
    assert len(cut.encode()) <= 1024
    assert cut == message or (cut.endswith("…") and message.startswith(cut[:-1]))
    assert cut == message or len(message.encode()) > 1024


def test_a_repeated_event_is_counted_up_in_the_one_that_is_there(
    server: FaultServer, running: EventWriter
) -> None:
    event = made()
    path = f"{EVENTS}/{event['metadata']['name']}"
    known = {"metadata": {"resourceVersion": "5"}, "count": 3}
    server.script("POST", EVENTS, failure(409, "AlreadyExists"))
    server.script("GET", path, Answer(200, known))
    server.script("PATCH", path, failure(409, "Conflict"), Answer())
    running.submit(event)
    server.wait_for(lambda: len(server.requests("PATCH")) == 2)
    assert server.requests("PATCH")[1].body == {
        "metadata": {"resourceVersion": "5"},
        "count": 4,
        "lastTimestamp": "2026-01-02T03:04:05Z",
    }


def test_an_event_that_fails_does_not_keep_the_next_one_back(
    server: FaultServer, running: EventWriter
) -> None:
    server.script("POST", EVENTS, failure(422, "Invalid"), Answer(201))
    running.submit(made())
    running.submit(made("another"))
    server.wait_for(lambda: len(server.requests("POST")) == 2)


def test_too_many_waiting_events_are_dropped_and_nothing_blocks(writer: EventWriter) -> None:
    for number in range(10):
        writer.submit(made(str(number)))
    assert writer._waiting.qsize() == 2


def test_an_event_that_exists_already_is_written(server: FaultServer, writer: EventWriter) -> None:
    server.script("POST", EVENTS, failure(409, "AlreadyExists"))
    writer.write_once(made(once="x"))
    assert len(server.requests()) == 1


def test_where_the_namespace_goes_no_event_is_needed(
    server: FaultServer, writer: EventWriter
) -> None:
    status = {"reason": "Forbidden", "message": "namespace ns because it is being terminated"}
    server.script("POST", EVENTS, Answer(403, status), failure(404, "NotFound"))
    writer.write_once(made(once="x"))
    writer.write_once(made(once="x"))


def test_an_event_that_is_forbidden_is_an_error(server: FaultServer, writer: EventWriter) -> None:
    server.script("POST", EVENTS, failure(403, "Forbidden"))
    with pytest.raises(ApiError):
        writer.write_once(made(once="x"))
