import threading
from collections.abc import Iterator

import pytest

from controller.shell.component import Component
from controller.shell.lifecycle import Lifecycle
from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.requests import Requests
from controller.shell.signs import Signs
from queuecheck.kube import Api
from tests.fault_server import PATIENCE
from tests.shell.scripted import ScriptedLeadership, ScriptedWork, Start


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


@pytest.fixture
def work() -> ScriptedWork:
    return ScriptedWork()


@pytest.fixture
def lifecycle() -> Lifecycle:
    return Lifecycle(Journal("process"))


@pytest.fixture
def start(
    client: Api, metrics: Metrics, lifecycle: Lifecycle, work: ScriptedWork
) -> Iterator[Start]:
    started: list[Component[str]] = []

    def begin(leadership: ScriptedLeadership | None = None) -> Component[str]:
        component = Component(
            work,
            api=client,
            metrics=metrics,
            lifecycle=lifecycle,
            journal=Journal("queue"),
            leadership=leadership,
        )
        started.append(component)
        component.start()
        return component

    yield begin
    lifecycle.stop.set()
    for component in started:
        component.stop()
    lifecycle.join(lambda: PATIENCE)
