"""The proxy between a client and a scripted server."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from queuecheck.faults import (
    Delay,
    Drop,
    EndWatch,
    FaultProxy,
    Halt,
    Meanwhile,
    Refuse,
    Rule,
    Target,
)
from queuecheck.implementation.reroute import rerouted
from queuecheck.kube import Api, ApiError, Conflict, Interrupted, Listed, ListWatch, Unreachable
from queuecheck.kube.resource import JOBS, PODS
from tests.fault_server import PATIENCE, Answer, FaultServer, Stream, event, listing

LIST = "/apis/batch/v1/jobs"
ONE = "/apis/batch/v1/namespaces/team/jobs/low"
JOB = {"metadata": {"name": "low", "namespace": "team", "resourceVersion": "2"}}
ALWAYS = None


@pytest.fixture
def server(server: FaultServer) -> FaultServer:
    server.script("GET", ONE, Answer(200, JOB))
    server.script("PATCH", ONE, Answer(200, JOB))
    server.script("GET", LIST, listing("1"))
    return server


@pytest.fixture
def proxy(server: FaultServer) -> Iterator[FaultProxy]:
    running = FaultProxy(server.kubeconfig)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def client(server: FaultServer, proxy: FaultProxy, tmp_path: Path) -> Iterator[Api]:
    to = rerouted(server.kubeconfig, server=proxy.url, to=tmp_path / "through")
    made = Api.from_kubeconfig(to, user_agent="test")
    yield made
    made.close()


def read(client: Api) -> object:
    return client.get(JOBS, "low", namespace="team")


def write(client: Api) -> object:
    return client.patch(JOBS, "low", {"spec": {"suspend": True}}, namespace="team")


def test_what_is_not_told_otherwise_is_passed_on_as_it_is(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    assert read(client) == JOB
    assert write(client) == JOB
    (seen,) = server.requests("PATCH")
    assert seen.body == {"spec": {"suspend": True}}
    assert seen.headers["authorization"] == "Bearer t"
    assert seen.headers["user-agent"] == "test"
    assert [str(one) for one in proxy.writes] == ["PATCH jobs/low"]


def test_so_many_writes_of_a_kind_are_refused_and_no_more(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    rule = proxy.add(Rule(Target("write", "jobs"), Refuse(409), times=2))
    for _ in range(2):
        read(client)
        with pytest.raises(Conflict, match="made on purpose by the suite"):
            write(client)
    assert write(client) == JOB
    assert len(server.requests("PATCH")) == 1
    assert len(rule.hits) == 2


def test_a_refusal_may_ask_for_patience(proxy: FaultProxy, client: Api) -> None:
    proxy.add(Rule(Target("write"), Refuse(429, retry_after=7)))
    with pytest.raises(ApiError) as told:
        write(client)
    assert (told.value.status, told.value.retry_after) == (429, 7)


def test_a_rule_can_begin_later(proxy: FaultProxy, client: Api) -> None:
    proxy.add(Rule(Target("write"), Refuse(500), first=2))
    write(client)
    with pytest.raises(ApiError, match="500 InternalError"):
        write(client)
    write(client)


def test_a_rule_can_strike_every_other_request(proxy: FaultProxy, client: Api) -> None:
    rule = proxy.add(Rule(Target("write"), Refuse(500), times=2, every=2))
    came = []
    for _ in range(6):
        try:
            write(client)
        except ApiError as error:
            came.append(error.status)
        else:
            came.append(200)
    assert came == [500, 200, 500, 200, 200, 200]
    assert len(rule.hits) == 2


def test_a_rule_can_count_each_kind_by_itself(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    proxy.add(Rule(Target("list"), Refuse(410), for_each_kind=True))
    server.script("GET", "/api/v1/pods", listing("1"))
    for resource in (JOBS, PODS):
        with pytest.raises(ApiError, match="410 Expired"):
            client.list(resource)
        client.list(resource)


def test_what_is_forgotten_does_not_happen_any_more(proxy: FaultProxy, client: Api) -> None:
    proxy.add(Rule(Target(), Refuse(500), times=ALWAYS))
    proxy.forget()
    assert write(client) == JOB


def test_a_delayed_request_arrives_later(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    proxy.add(Rule(Target(), Delay(0.2)))
    begun = time.monotonic()
    read(client)
    assert time.monotonic() - begun >= 0.2


@pytest.mark.parametrize("passed_on", [False, True])
def test_a_dropped_connection_leaves_open_whether_the_server_acted(
    server: FaultServer, proxy: FaultProxy, client: Api, passed_on: bool
) -> None:
    proxy.add(Rule(Target("write"), Drop(passed_on=passed_on)))
    with pytest.raises(Unreachable):
        write(client)
    assert len(server.requests("PATCH")) == int(passed_on)


def test_something_else_can_happen_before_a_request_arrives(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    seen: list[int] = []
    count = Meanwhile(lambda: seen.append(len(server.requests("PATCH"))))
    proxy.add(Rule(Target("write"), count))
    write(client)
    assert (seen, len(server.requests("PATCH"))) == ([0], 1)


def followed(client: Api, server: FaultServer, *streams: Stream) -> Iterator[object]:
    server.script("WATCH", LIST, *streams, Stream("", "silence"))
    return iter(ListWatch(client, JOBS, retry_delays=(0.01, 0.01)))


def test_a_watch_is_passed_on_event_by_event_and_can_be_cut(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    items = followed(client, server, Stream(event("ADDED", JOB), "silence"))
    assert isinstance(next(items), Listed)
    assert "Changed(verb='ADDED'" in str(next(items))
    assert proxy.cut_watches(Target("watch", "pods")) == 0
    assert proxy.cut_watches() == 1
    assert isinstance(next(items), Interrupted)
    assert isinstance(next(items), Listed)


def test_a_watch_can_end_after_an_event_as_too_old(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    proxy.add(Rule(Target("watch"), EndWatch(1, gone=True)))
    text = event("ADDED", JOB) + event("MODIFIED", JOB)
    items = followed(client, server, Stream(text, "silence"))
    next(items)
    assert "ADDED" in str(next(items))
    interrupted = next(items)
    assert isinstance(interrupted, Interrupted)
    assert "410 Expired" in interrupted.reason


def test_what_a_watch_begins_with_does_not_count(
    server: FaultServer, proxy: FaultProxy, client: Api
) -> None:
    proxy.add(Rule(Target("watch"), EndWatch(1)))
    synced = {"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}
    text = event("ADDED", JOB) + event("BOOKMARK", synced) + event("MODIFIED", JOB)
    server.script("WATCH", LIST, Stream(text + event("DELETED", JOB), "silence"))
    query = {"watch": "true", "sendInitialEvents": "true"}
    stream = client.open_stream(LIST, query=query, read_timeout=10)
    assert b"".join(stream.stream()).decode() == text


class Writer(threading.Thread):
    """Writes, and remembers what came of it."""

    def __init__(self, client: Api) -> None:
        super().__init__(daemon=True)
        self._client = client
        self.error: ApiError | None = None
        self.start()

    def run(self) -> None:
        try:
            write(self._client)
        except ApiError as error:
            self.error = error


@pytest.fixture
def waiting(proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Counts those that begin to wait for a halted world to go on."""
    counted = threading.Semaphore(0)
    released = proxy._released
    wait = released.wait

    async def counting() -> bool:
        counted.release()
        return await wait()

    monkeypatch.setattr(released, "wait", counting)
    return counted


@pytest.mark.parametrize("passed_on", [False, True])
def test_a_halted_world_lets_nothing_pass_and_never_what_waited(
    server: FaultServer,
    proxy: FaultProxy,
    client: Api,
    waiting: threading.Semaphore,
    passed_on: bool,
) -> None:
    proxy.add(Rule(Target("write"), Halt(passed_on=passed_on), first=2))
    write(client)
    assert not proxy.await_halt(0)
    last = Writer(client)
    assert proxy.await_halt(PATIENCE)
    other = Writer(client)
    assert waiting.acquire(timeout=PATIENCE)
    assert waiting.acquire(timeout=PATIENCE)
    assert (last.is_alive(), other.is_alive()) == (True, True)
    proxy.go_on()
    last.join(PATIENCE)
    other.join(PATIENCE)
    assert isinstance(last.error, Unreachable)
    assert isinstance(other.error, Unreachable)
    assert len(server.requests("PATCH")) == 1 + int(passed_on)
    assert write(client) == JOB


@pytest.mark.parametrize("passed_on", [False, True])
def test_what_halts_the_world_is_dropped_however_soon_it_goes_on(
    server: FaultServer,
    proxy: FaultProxy,
    client: Api,
    monkeypatch: pytest.MonkeyPatch,
    passed_on: bool,
) -> None:
    halted = proxy._halted.set

    def and_go_on() -> None:
        halted()
        proxy.go_on()

    monkeypatch.setattr(proxy._halted, "set", and_go_on)
    proxy.add(Rule(Target("write"), Halt(passed_on=passed_on)))
    with pytest.raises(Unreachable):
        write(client)
    assert len(server.requests("PATCH")) == int(passed_on)
    assert write(client) == JOB


def test_stopping_breaks_off_what_is_under_way(server: FaultServer, tmp_path: Path) -> None:
    proxy = FaultProxy(server.kubeconfig)
    proxy.start()
    client = Api.from_kubeconfig(
        rerouted(server.kubeconfig, server=proxy.url, to=tmp_path / "through")
    )
    items = followed(client, server)
    assert isinstance(next(items), Listed)
    proxy.add(Rule(Target("write"), Halt()))
    last = Writer(client)
    assert proxy.await_halt(PATIENCE)
    proxy.stop()
    last.join(PATIENCE)
    assert isinstance(last.error, Unreachable)
    client.close()


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Of a server that is called api.test, signed by itself."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl here")
    file, key = tmp_path / "api.crt", tmp_path / "api.key"
    request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=api.test", "-addext", "subjectAltName=DNS:api.test"]
    words = [program, *request.split(), *names, "-keyout", str(key), "-out", str(file)]
    subprocess.run(words, check=True, capture_output=True)
    return file, key


@pytest.mark.parametrize(
    ("known_by", "status"),
    [
        ({"insecure-skip-tls-verify": True}, 200),
        ({"certificate-authority": "api.crt", "tls-server-name": "api.test"}, 200),
        ({"certificate-authority": "api.crt"}, 0),
    ],
)
def test_a_server_is_known_by_what_the_kubeconfig_says(
    server: FaultServer,
    certificate: tuple[Path, Path],
    tmp_path: Path,
    known_by: dict[str, object],
    status: int,
) -> None:
    upstream = FaultProxy(server.kubeconfig, certificate=certificate)
    upstream.start()
    document = yaml.safe_load(server.kubeconfig.read_text("utf-8"))
    document["clusters"][0]["cluster"] = {"server": upstream.url, **known_by}
    kubeconfig = tmp_path / "of-the-upstream"
    kubeconfig.write_text(yaml.safe_dump(document), "utf-8")
    proxy = FaultProxy(kubeconfig)
    proxy.start()
    client = Api.from_kubeconfig(
        rerouted(server.kubeconfig, server=proxy.url, to=tmp_path / "through"), user_agent="test"
    )
    try:
        if status:
            assert read(client) == JOB
        else:
            with pytest.raises(Unreachable):
                read(client)
    finally:
        client.close()
        proxy.stop()
        upstream.stop()
