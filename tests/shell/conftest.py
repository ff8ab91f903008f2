import threading

import pytest

from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.requests import Requests
from controller.shell.signs import Signs


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def requests(metrics: Metrics, stop: threading.Event) -> Requests:
    return Requests(
        component="queue", metrics=metrics, journal=Journal("queue"), stop=stop, signs=Signs()
    )
