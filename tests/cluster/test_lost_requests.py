"""Node drivers whose requests come to nothing, or whose watch is behind: all is done the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from queuecheck.cluster import SLOT_LABEL
from queuecheck.cluster.held_pods import GATE_DOMAIN
from queuecheck.cluster.real_nodes import RealNodes
from queuecheck.cluster.simulated import POOL, SimulatedNodes
from queuecheck.cluster.workload import Workload
from queuecheck.kube import Api
from tests.fault_server import Answer, FaultServer, Stream, failure, listing

PODS = "/api/v1/pods"
WORKLOAD = Workload()
LOST = failure(500, "InternalError")


@pytest.fixture
def api(client: Api) -> Api:
    return client


@pytest.fixture
def simulated(server: FaultServer, api: Api) -> Iterator[SimulatedNodes]:
    """With the pods ``a`` and ``b`` running in the slot ``s``."""
    server.script("POST", "/api/v1/nodes", Answer(201))
    for number in range(POOL):
        server.script("PATCH", f"/api/v1/nodes/simulated-{number}", Answer())
        server.script("PATCH", f"/api/v1/nodes/simulated-{number}/status", Answer())
    server.script("GET", PODS, listing("9", *(simulated_pod(name, "Running") for name in "ab")))
    server.script("WATCH", PODS, Stream(end="silence"))
    nodes = SimulatedNodes(api)
    nodes.start()
    yield nodes
    server.end_streams()
    nodes.stop()


@pytest.fixture
def real(server: FaultServer, api: Api) -> Iterator[RealNodes]:
    """With the pod ``a`` that waits for the slot ``s``."""
    server.script("GET", PODS, listing("9", real_pod("5")))
    server.script("WATCH", PODS, Stream(end="silence"))
    nodes = RealNodes(api, WORKLOAD)
    nodes.start()
    yield nodes
    server.end_streams()
    nodes.stop()


def metadata(name: str, version: str) -> dict[str, Any]:
    return {"name": name, "namespace": "ns", "uid": name, "resourceVersion": version}


def simulated_pod(name: str, phase: str, *, version: str = "5") -> dict[str, Any]:
    return {
        "metadata": metadata(name, version),
        "spec": {
            "nodeName": "simulated-0",
            "nodeSelector": {SLOT_LABEL: "s"},
            "containers": [{"name": "main", "image": "busybox"}],
        },
        "status": {"phase": phase},
    }


def real_pod(
    version: str, *, gated: bool = True, phase: str = "Pending", image: str = WORKLOAD.held
) -> dict[str, Any]:
    return {
        "metadata": metadata("a", version),
        "spec": {
            "schedulingGates": [{"name": f"{GATE_DOMAIN}/s"}] if gated else [],
            "containers": [{"name": "main", "image": image}],
        },
        "status": {"phase": phase},
    }


def written(server: FaultServer, path: str) -> list[Any]:
    return [each.body for each in server.requests("PATCH", path)]


def test_a_simulated_pod_ends_as_it_was_told_to_when_the_first_write_is_lost(
    server: FaultServer, simulated: SimulatedNodes
) -> None:
    status = "/api/v1/namespaces/ns/pods/{}/status"
    after = Answer(200, simulated_pod("a", "Succeeded", version="8"))
    server.script("PATCH", status.format("a"), LOST, LOST, after)
    server.script(
        "PATCH", status.format("b"), Answer(200, simulated_pod("b", "Failed", version="7"))
    )
    simulated.finish("s", succeeded=1, failed=1)
    server.wait_for(lambda: len(server.requests("PATCH", status.format("a"))) == 3)
    phases = [body["status"]["phase"] for body in written(server, status.format("a"))]
    assert phases == ["Succeeded"] * 3
    assert [body["status"]["phase"] for body in written(server, status.format("b"))] == ["Failed"]


def test_a_node_whose_pod_the_watch_has_not_seen_is_not_given_again(
    server: FaultServer, simulated: SimulatedNodes
) -> None:
    server.wait_for(lambda: bool(server.requests("WATCH", PODS)))
    unseen = simulated_pod("c", "Pending")
    unseen["spec"]["nodeName"] = "simulated-1"
    server.script("GET", PODS, listing("10", unseen), listing("10"))
    simulated.open_slot("t", pods=1)
    assert written(server, "/api/v1/nodes/simulated-2") == [
        {"spec": {"taints": None}},
        {"metadata": {"labels": {SLOT_LABEL: "t"}}},
    ]


def test_a_pod_is_let_in_when_the_first_write_is_lost(server: FaultServer, real: RealNodes) -> None:
    pod = "/api/v1/namespaces/ns/pods/a"
    server.script("GET", pod, Answer(200, real_pod("5")))
    server.script("PATCH", pod, LOST, Answer(200, real_pod("6", gated=False)))
    real.open_slot("s", pods=1)
    server.wait_for(lambda: len(server.requests("PATCH", pod)) == 2)
    gate = [{"op": "remove", "path": "/spec/schedulingGates/0"}]
    assert written(server, pod) == [gate, gate]


def test_a_pod_that_was_let_in_is_not_let_in_again_when_only_the_answer_is_lost(
    server: FaultServer, real: RealNodes
) -> None:
    pod = "/api/v1/namespaces/ns/pods/a"
    started = real_pod("7", gated=False, image=WORKLOAD.runs)
    server.script("GET", pod, Answer(200, real_pod("6", gated=False)))
    server.script("PATCH", pod, LOST, Answer(200, started))
    real.open_slot("s", pods=1)
    server.wait_for(lambda: bool(server.requests("GET", pod)))
    real.run("s")
    server.wait_for(lambda: len(server.requests("PATCH", pod)) == 2)
    image = {"op": "replace", "path": "/spec/containers/0/image", "value": WORKLOAD.runs}
    assert written(server, pod)[1] == [image]


def test_a_pod_ends_as_it_was_told_to_when_the_first_write_is_lost(
    server: FaultServer, real: RealNodes
) -> None:
    pod = "/api/v1/namespaces/ns/pods/a"
    runs = real_pod("6", gated=False, phase="Running", image=WORKLOAD.runs)
    ended = real_pod("7", gated=False, phase="Running", image=WORKLOAD.fails)
    server.script("GET", pod, Answer(200, runs))
    server.script("PATCH", pod, Answer(200, runs), LOST, LOST, Answer(200, ended))
    real.run("s")
    real.open_slot("s", pods=1)
    server.wait_for(lambda: len(server.requests("PATCH", pod)) == 1)
    real.finish("s", failed=1)
    server.wait_for(lambda: len(server.requests("PATCH", pod)) == 4)
    image = {"op": "replace", "path": "/spec/containers/0/image", "value": WORKLOAD.fails}
    assert written(server, pod)[1:] == [[image]] * 3
