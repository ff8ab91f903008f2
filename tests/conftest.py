"""What tests of several areas share: one real control plane, one scripted server, one browser."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from queuecheck import resources
from queuecheck.cluster import LocalCluster, apply_manifests
from queuecheck.kube import Api
from queuecheck.kube.resource import NAMESPACES
from tests.browser import Browser, browser, program
from tests.fault_server import FaultServer

# How quick the machine is says nothing of the code.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


def pytest_configure() -> None:
    """Ctrl-C, and the end of a terminal, mean something to what the tests start.

    A shell that runs a job in the background ignores the one, nohup the other, and whoever is
    started inherits that; a function is not inherited.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers, one of them has the control plane and all the tests that use it."""
    for item in items:
        if "control_plane" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("control plane"))


@pytest.fixture(scope="session")
def control_plane() -> Iterator[LocalCluster]:
    """A started control plane, with nothing on it but what Kubernetes itself makes."""
    cluster = LocalCluster("tests")
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def api(control_plane: LocalCluster) -> Iterator[Api]:
    """Its administrator."""
    api = Api.from_kubeconfig(control_plane.kubeconfig, user_agent="queuecheck-tests")
    yield api
    api.close()


@pytest.fixture(scope="session")
def installed(api: Api) -> Api:
    """The administrator of a control plane with our CRDs and roles."""
    for part in ("crds", "rbac"):
        apply_manifests(api, resources.manifests_root() / part)
    return api


@pytest.fixture
def namespace(api: Api) -> str:
    """A namespace of the test's own."""
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "t-"}}
    name: str = api.create(NAMESPACES, body)["metadata"]["name"]
    return name


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FaultServer]:
    """An API server that answers as it is told."""
    with FaultServer(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: FaultServer) -> Iterator[Api]:
    """Its client."""
    made = Api.from_kubeconfig(server.kubeconfig, user_agent="a-test")
    yield made
    made.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A Chromium, where there is one."""
    found = program()
    if found is None:
        pytest.skip("there is no Chromium here (Debian: apt-get install chromium)")
    with browser(found) as running:
        yield running
