"""The provider ``existing`` where its first steps fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck.cluster import ClusterError
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.existing import ExistingCluster
from tests.fault_server import FaultServer, failure


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


def test_the_namespace_of_another_run_is_left_alone(tmp_path: Path) -> None:
    with FaultServer(tmp_path) as server:
        server.script("POST", "/api/v1/namespaces", failure(409, "AlreadyExists"))
        choice = ClusterChoice("existing", server.kubeconfig, "here")
        cluster = ExistingCluster(choice, namespace="qc-x7k2p", labels={}, annotations={})
        with pytest.raises(ClusterError, match="AlreadyExists"):
            cluster.start()
        assert server.requests("DELETE") == []
