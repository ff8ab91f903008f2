import socket
import threading
from collections.abc import Iterator

import pytest
import urllib3
from prometheus_client.parser import text_string_to_metric_families

from controller.shell.errors import StartError, UsageError
from controller.shell.metrics import Metrics
from controller.shell.serving import Endpoints, parse_address
from tests.fault_server import PATIENCE


def shown(metrics: Metrics) -> dict[str, list[tuple[dict[str, str], float]]]:
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        family.name: [(sample.labels, sample.value) for sample in family.samples]
        for family in families
    }


def test_the_two_names_of_the_contract_are_shown_to_the_letter(metrics: Metrics) -> None:
    metrics.set_active({"team": 2})
    metrics.attempt("team", "unschedulable")
    metrics.attempt("team", "unschedulable")
    metrics.attempt("team", "scheduled")
    lines = metrics.exposition().decode().splitlines()
    assert 'job_schedule_attempts{queue="team",result="unschedulable"} 2.0' in lines
    assert 'job_schedule_attempts{queue="team",result="scheduled"} 1.0' in lines
    assert 'queueunits_in_active_queue{queue="team"} 2.0' in lines
    assert "# TYPE job_schedule_attempts untyped" in lines


def test_the_whole_text_is_understood_by_the_parser_of_prometheus(metrics: Metrics) -> None:
    metrics.set_active({'odd"queue\\': 1})
    metrics.decided("queue", 0.01)
    metrics.api_call("queue", "patch", "QueueUnit", "200")
    metrics.watch_restarted("queue", "Queue")
    metrics.marked("team", 3)
    families = shown(metrics)
    assert families["queueunits_in_active_queue"] == [({"queue": 'odd"queue\\'}, 1.0)]
    assert families["queuecheck_preemption_victims"] == [({"queue": "team"}, 3.0)]
    assert not any(name.endswith("_created") for name in families)


def test_the_series_of_a_deleted_queue_go(metrics: Metrics) -> None:
    for queue in ("stays", "goes"):
        metrics.attempt(queue, "scheduled")
        metrics.marked(queue, 1)
    metrics.set_active({"stays": 0, "goes": 0})
    assert 'queue="goes"' in metrics.exposition().decode()
    metrics.set_active({"stays": 0})
    text = metrics.exposition().decode()
    assert 'queue="goes"' not in text
    assert 'queueunits_in_active_queue{queue="stays"} 0.0' in text
    assert 'job_schedule_attempts{queue="stays",result="scheduled"} 1.0' in text


@pytest.fixture
def ready() -> threading.Event:
    return threading.Event()


@pytest.fixture
def endpoints(metrics: Metrics, ready: threading.Event) -> Iterator[Endpoints]:
    made = Endpoints("127.0.0.1:0", metrics=metrics, ready=ready.is_set, ailment=lambda: "")
    threading.Thread(target=made.run, daemon=True).start()
    yield made
    made.close()


def get(url: str) -> urllib3.BaseHTTPResponse:
    return urllib3.request("GET", url, retries=False, timeout=PATIENCE)


def test_ready_only_when_the_caches_are_complete(
    endpoints: Endpoints, ready: threading.Event
) -> None:
    assert get(f"{endpoints.url}/readyz").status == 503
    assert get(f"{endpoints.url}/healthz").status == 200
    ready.set()
    assert get(f"{endpoints.url}/readyz").status == 200


def test_metrics_are_served_as_text_and_nothing_else_is(endpoints: Endpoints) -> None:
    answer = get(f"{endpoints.url}/metrics?x=1")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert b"job_schedule_attempts" in answer.data
    assert get(f"{endpoints.url}/").status == 404


def test_a_taken_port_is_one_clear_line(metrics: Metrics, endpoints: Endpoints) -> None:
    with pytest.raises(StartError) as raised:
        Endpoints(
            f"127.0.0.1:{endpoints.port}",
            metrics=metrics,
            ready=lambda: True,
            ailment=lambda: "",
        )
    assert str(raised.value).startswith(
        f"metrics address 127.0.0.1:{endpoints.port}: Address already in use"
    )
    assert "--metrics-bind-address" in str(raised.value)


def test_every_address_is_shown_as_one_that_can_be_called(metrics: Metrics) -> None:
    made = Endpoints(":0", metrics=metrics, ready=lambda: True, ailment=lambda: "")
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    assert made.url == f"http://127.0.0.1:{made.port}"
    with socket.create_connection(("127.0.0.1", made.port), timeout=PATIENCE):
        pass
    made.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (":0", ("", 0)),
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        ("[::1]:8080", ("::1", 8080)),
        ("localhost:65535", ("localhost", 65535)),
    ],
)
def test_an_address_is_host_and_port(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "8080", "host", "host:", "host:http", ":70000", "::1:80"])
def test_anything_else_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError, match="not host:port"):
        parse_address(text)
