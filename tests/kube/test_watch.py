"""A watch that broke, however, leads to a fresh list; one that just ended goes on where it was."""

import itertools
import random
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pytest
from urllib3 import BaseHTTPResponse

from queuecheck.kube import Api, Changed, Interrupted, Listed, ListWatch, WatchItem
from queuecheck.kube.resource import PODS
from tests.fault_server import (
    PATIENCE,
    Answer,
    FaultServer,
    Reply,
    Stream,
    event,
    failure,
    listing,
    status,
)

PATH = "/api/v1/pods"


def pod(name: str, version: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "ns", "uid": name, "resourceVersion": version}}


@pytest.fixture
def client(server: FaultServer, client: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    """It bears silence for no longer than it is told to, and a server that is merely slow."""
    open_stream = client.open_stream

    def opened(path: str, *, query: Mapping[str, str], read_timeout: float) -> BaseHTTPResponse:
        patience = max(read_timeout, PATIENCE)
        response = open_stream(path, query=query, read_timeout=patience)
        reply = server.last_reply
        if isinstance(reply, Stream) and reply.end == "silence":  # its text is there already
            connection: Any = response.connection
            assert connection.sock.gettimeout() == patience
            connection.sock.settimeout(read_timeout)
        return response

    monkeypatch.setattr(client, "open_stream", opened)
    return client


@pytest.fixture
def watch(client: Api) -> Iterator[ListWatch]:
    made = ListWatch(client, PODS, read_timeout=0.2, retry_delays=(0.001, 0.002))
    yield made
    made.stop()


def take(watch: ListWatch, number: int) -> list[WatchItem]:
    return list(itertools.islice(watch, number))


def script(server: FaultServer, *watches: Reply) -> None:
    server.script("GET", PATH, listing("10", pod("a", "4")), listing("20", pod("b", "15")))
    server.script("WATCH", PATH, *watches, Stream(event("ADDED", pod("c", "21"))))


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(failure(410, "Expired"), id="410 as the answer"),
        pytest.param(Stream(event("ERROR", status(410, "Expired"))), id="410 as an event"),
        pytest.param(Stream(event("ERROR", {"kind": "Status"})), id="an error without a code"),
        pytest.param(Stream('{"type":"ADDED","object":{"metadata":{"name":"x"\n'), id="half line"),
        pytest.param(Stream('{"type":"ADDED","object":{"metada'), id="half line, proper end"),
        pytest.param(Stream('{"type":"ADDED","object":{"metada', "cut"), id="half line, cut"),
        pytest.param(Stream('{"object":{}}\n'), id="no type"),
        pytest.param(Stream("[]\n"), id="no event"),
        pytest.param(Stream("", "cut"), id="connection cut"),
        pytest.param(
            Stream('{"type":"ADDED","object":{"metada', "silence"), id="half line, silence"
        ),
        pytest.param(failure(500, "InternalError"), id="500"),
        pytest.param(failure(429, "TooManyRequests", Retry_After="1"), id="429"),
    ],
)
def test_a_break_is_followed_by_a_list_and_a_watch_from_its_version(
    server: FaultServer, watch: ListWatch, fault: Reply
) -> None:
    script(server, fault)
    first, interrupted, again, changed = take(watch, 4)
    assert isinstance(first, Listed)
    assert first.resource_version == "10"
    assert isinstance(interrupted, Interrupted)
    assert isinstance(again, Listed)
    assert [found["metadata"]["name"] for found in again.objects] == ["b"]
    assert changed == Changed("ADDED", pod("c", "21"))
    versions = [one.query["resourceVersion"] for one in server.requests("WATCH")]
    assert versions == ["10", "20"]


BOOKMARK = event("BOOKMARK", {"kind": "Pod", "metadata": {"resourceVersion": "13"}})


# The server ends each watch in time, and is silent where nothing happens and it sends no bookmarks:
# it has what came after the last version seen, and nothing is lost.
@pytest.mark.parametrize("end", ["proper", "silence"])
@pytest.mark.parametrize(
    ("text", "version"),
    [
        pytest.param("", "10", id="of the list"),
        pytest.param(event("ADDED", pod("b", "12")), "12", id="of an event"),
        pytest.param(event("DELETED", pod("a", "12")) + BOOKMARK, "13", id="of a bookmark"),
    ],
)
def test_a_watch_that_ends_goes_on_at_the_last_version_seen(
    server: FaultServer,
    watch: ListWatch,
    text: str,
    version: str,
    end: Literal["proper", "silence"],
) -> None:
    script(server, Stream(text, end))
    events = bool(text)
    items = take(watch, 2 + events)
    assert items[1 + events] == Changed("ADDED", pod("c", "21"))
    assert not [item for item in items if isinstance(item, Interrupted)]
    assert len(server.requests("GET")) == 1
    assert [one.query["resourceVersion"] for one in server.requests("WATCH")] == ["10", version]


def test_a_version_that_is_gone_by_then_is_an_interruption(
    server: FaultServer, watch: ListWatch
) -> None:
    script(server, Stream(event("ADDED", pod("b", "12"))), failure(410, "Expired"))
    _, _, interrupted, again = take(watch, 4)
    assert isinstance(interrupted, Interrupted)
    assert isinstance(again, Listed)
    assert [one.query["resourceVersion"] for one in server.requests("WATCH")] == ["10", "12"]


def test_a_bookmark_is_no_object(server: FaultServer, watch: ListWatch) -> None:
    bookmark = event("BOOKMARK", {"kind": "Pod", "metadata": {"resourceVersion": "11"}})
    script(server, Stream(bookmark + event("MODIFIED", pod("a", "12"))))
    assert take(watch, 2)[1] == Changed("MODIFIED", pod("a", "12"))


def test_events_split_over_chunks_arrive_whole(server: FaultServer, watch: ListWatch) -> None:
    lines = "".join(event("ADDED", pod(f"p{n}", str(11 + n))) for n in range(3000))
    script(server, Stream(lines))
    items = take(watch, 3001)
    names = [one.object["metadata"]["name"] for one in items if isinstance(one, Changed)]
    assert names == [f"p{n}" for n in range(3000)]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(200, "<html>"), id="no JSON"),
        pytest.param(Answer(200, {"items": []}), id="no version"),
        pytest.param(failure(503, "ServiceUnavailable"), id="503"),
    ],
)
def test_a_list_that_fails_is_tried_again(
    server: FaultServer, watch: ListWatch, answer: Answer
) -> None:
    server.script("GET", PATH, answer, listing("10"))
    server.script("WATCH", PATH, Stream("", "silence"))
    interrupted, listed = take(watch, 2)
    assert isinstance(interrupted, Interrupted)
    assert listed == Listed((), "10")


def test_a_refused_connection_is_an_interruption(server: FaultServer, client: Api) -> None:
    server.__exit__()
    watch = ListWatch(client, PODS, retry_delays=(0.001, 0.002))
    assert all(isinstance(item, Interrupted) for item in take(watch, 3))


def test_its_waits_leave_the_generator_that_all_threads_share_alone(
    server: FaultServer, client: Api
) -> None:
    server.__exit__()
    before = random.getstate()
    take(ListWatch(client, PODS, retry_delays=(0.001, 0.002)), 3)
    assert random.getstate() == before


def test_stop_ends_a_watch_that_waits_for_the_server(server: FaultServer, client: Api) -> None:
    server.script("GET", PATH, listing("10"))
    server.script("WATCH", PATH, Stream("", "silence"))
    watch = ListWatch(client, PODS, read_timeout=3600)
    thread = threading.Thread(target=lambda: list(watch), daemon=True)
    thread.start()
    server.wait_for(lambda: len(server.requests("WATCH")) == 1)
    watch.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_it_says_that_it_is_alive_each_time_round_though_there_is_nothing_to_tell(
    server: FaultServer, client: Api
) -> None:
    rounds: list[int] = []
    watch = ListWatch(
        client,
        PODS,
        read_timeout=0.2,
        retry_delays=(0.001, 0.002),
        alive=lambda: rounds.append(len(server.requests("WATCH"))),
    )
    script(server, *[Stream("", "silence")] * 2, Stream(BOOKMARK), Stream("", "silence"))
    take(watch, 2)
    assert len(server.requests("GET")) == 1
    # Before each watch and when it is open; the third has a line to tell of, and the fifth too.
    assert sorted(rounds) == rounds
    assert [rounds.count(number) for number in range(6)] == [2, 2, 2, 3, 2, 2]


def test_selectors_go_with_the_list_and_the_watch(server: FaultServer, client: Api) -> None:
    path = "/api/v1/namespaces/ns/pods"
    server.script("GET", path, listing("10"))
    server.script("WATCH", path, Stream(event("ADDED", pod("c", "11"))))
    take(ListWatch(client, PODS, namespace="ns", label_selector="a=b", field_selector="c=d"), 2)
    for request in server.requests():
        assert request.query["labelSelector"] == "a=b"
        assert request.query["fieldSelector"] == "c=d"
