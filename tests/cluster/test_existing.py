"""The provider ``existing`` where its first steps fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from queuecheck.cluster import ClusterError
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.existing import ExistingCluster
from queuecheck.cluster.simulated import SimulatedNodes
from queuecheck.kube import Api, KubeconfigError, KubeObject, Unreachable
from tests.fault_server import Answer, FaultServer, Stream, failure


@pytest.mark.parametrize("keeps", [False, True])
def test_the_namespace_stays_where_it_is_asked_for(tmp_path: Path, *, keeps: bool) -> None:
    namespaces = "/api/v1/namespaces"
    with FaultServer(tmp_path) as server:
        choice = ClusterChoice("existing", server.kubeconfig, "here")
        cluster = ExistingCluster(
            choice, namespace="qc-x7k2p", labels={}, annotations={}, keeps=lambda: keeps
        )
        cluster._made = True
        cluster._connection.open(server.kubeconfig)
        cluster.stop()
        assert bool(server.requests("DELETE", f"{namespaces}/qc-x7k2p")) is not keeps


@pytest.fixture
def with_nodes(server: FaultServer) -> ExistingCluster:
    """It has a namespace and two nodes, one of which may not be deleted."""
    choice = ClusterChoice("existing", server.kubeconfig, "here")
    cluster = ExistingCluster(choice, namespace="qc-x7k2p", labels={}, annotations={})
    cluster._made = True
    nodes = cluster._simulated = SimulatedNodes(cluster._connection.open(server.kubeconfig))
    nodes._begun = ["one", "two"]
    server.script("DELETE", "/api/v1/nodes/one", failure(403, "Forbidden"))
    return cluster


LEFT = "DELETE /api/v1/nodes/one: 403 Forbidden: no"


def test_what_may_not_be_deleted_is_told_and_the_rest_goes(
    server: FaultServer, with_nodes: ExistingCluster
) -> None:
    with pytest.raises(ClusterError) as told:
        with_nodes.stop()
    assert str(told.value) == LEFT
    assert [each.path for each in server.requests("DELETE")] == [
        "/api/v1/nodes/one",
        "/api/v1/nodes/two",
        "/api/v1/namespaces/qc-x7k2p",
    ]
    with_nodes.stop()


def test_a_node_of_which_nobody_knows_whether_it_is_there_goes_too(server: FaultServer) -> None:
    server.script("POST", "/api/v1/nodes", Stream(end="cut"))
    nodes = SimulatedNodes(Api.from_kubeconfig(server.kubeconfig), prefix="qc-x7k2p")
    with pytest.raises(Unreachable):
        nodes.start()
    assert nodes.remove() == []
    assert [each.path for each in server.requests("DELETE")] == ["/api/v1/nodes/qc-x7k2p-0"]


def test_why_it_cannot_start_is_told_before_what_is_left(
    with_nodes: ExistingCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: ExistingCluster) -> None:
        raise KubeconfigError("no such context")

    monkeypatch.setattr(ExistingCluster, "_start", start)
    with pytest.raises(ClusterError) as told:
        with_nodes.start()
    assert str(told.value) == f"cluster here: no such context\n{LEFT}"


def test_the_namespace_of_another_run_is_left_alone(tmp_path: Path) -> None:
    with FaultServer(tmp_path) as server:
        server.script("POST", "/api/v1/namespaces", failure(409, "AlreadyExists"))
        choice = ClusterChoice("existing", server.kubeconfig, "here")
        cluster = ExistingCluster(choice, namespace="qc-x7k2p", labels={}, annotations={})
        with pytest.raises(ClusterError, match="AlreadyExists"):
            cluster.start()
        assert server.requests("DELETE") == []


class InterruptedApi(Api):
    """Ctrl-C comes when a request to create something was answered, and nobody knows it yet."""

    def create(self, *words: Any, **how: Any) -> KubeObject:
        super().create(*words, **how)
        raise KeyboardInterrupt


def test_a_namespace_of_which_nobody_knows_yet_that_it_is_there_goes_after_ctrl_c(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespaces = "/api/v1/namespaces"
    server.script("POST", namespaces, Answer(201, {"metadata": {"name": "qc-x7k2p"}}))
    monkeypatch.setattr("queuecheck.cluster.connection.Api", InterruptedApi)
    choice = ClusterChoice("existing", server.kubeconfig, "here")
    cluster = ExistingCluster(choice, namespace="qc-x7k2p", labels={}, annotations={})
    with pytest.raises(KeyboardInterrupt):
        cluster.start()
    assert [each.path for each in server.requests("DELETE")] == [f"{namespaces}/qc-x7k2p"]
