from collections.abc import Iterator
from pathlib import Path

import pytest

from queuecheck.kube import Api
from tests.fault_server import FaultServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FaultServer]:
    with FaultServer(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: FaultServer) -> Iterator[Api]:
    made = Api.from_kubeconfig(server.kubeconfig, user_agent="a-test")
    yield made
    made.close()
