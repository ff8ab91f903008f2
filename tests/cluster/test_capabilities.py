"""What is found out by trying, on a server that answers as it is told."""

import pytest

from queuecheck.cluster.capabilities import found_out
from queuecheck.kube import Api
from tests.fault_server import Answer, FaultServer

PLURALS = ("configmaps", "serviceaccounts", "events")


@pytest.fixture
def api(client: Api) -> Api:
    return client


def path(plural: str) -> str:
    return f"/api/v1/namespaces/ns/{plural}"


def counting(server: FaultServer, **starts: int) -> None:
    """Each write is the third one after that of its kind before it; all count from a start."""
    for place, plural in enumerate(PLURALS):
        versions = [starts[plural] + place + 3 * number for number in range(3)]
        answers = [
            Answer(201, {"metadata": {"name": plural, "resourceVersion": str(version)}})
            for version in versions
        ]
        server.script("POST", path(plural), *answers)
        server.script("DELETE", f"{path(plural)}/{plural}", Answer(200, {}))


def test_kinds_that_count_on_one_clock_are_in_order(server: FaultServer, api: Api) -> None:
    counting(server, configmaps=10, serviceaccounts=10, events=10)
    assert found_out(api, namespace="ns") == {"cross-kind-order"}


@pytest.mark.parametrize("plural", PLURALS)
@pytest.mark.parametrize("start", [1, 9000])
def test_one_kind_with_a_clock_of_its_own_makes_an_end_of_the_order(
    server: FaultServer, api: Api, plural: str, start: int
) -> None:
    counting(server, **{**dict.fromkeys(PLURALS, 100), plural: start})
    assert found_out(api, namespace="ns") == frozenset()


def test_what_was_written_is_taken_away(server: FaultServer, api: Api) -> None:
    counting(server, configmaps=10, serviceaccounts=10, events=10)
    found_out(api, namespace="ns")
    assert len(server.requests("POST")) == len(server.requests("DELETE")) == 9


def test_the_event_is_about_something_in_its_own_namespace(server: FaultServer, api: Api) -> None:
    counting(server, configmaps=10, serviceaccounts=10, events=10)
    found_out(api, namespace="ns")
    body = server.requests("POST", path("events"))[0].body
    assert body["involvedObject"]["namespace"] == "ns"
