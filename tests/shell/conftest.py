import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.requests import Requests
from queuecheck.kube import Api
from tests.fault_server import FaultServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FaultServer]:
    with FaultServer(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: FaultServer) -> Iterator[Api]:
    made = Api.from_kubeconfig(server.kubeconfig)
    yield made
    made.close()


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def requests(metrics: Metrics, stop: threading.Event) -> Requests:
    return Requests(component="queue", metrics=metrics, journal=Journal("queue"), stop=stop)
