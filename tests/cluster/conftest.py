"""One real control plane for all tests of this directory that need one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from queuecheck.cluster import LocalCluster
from queuecheck.kube import Api
from queuecheck.kube.resource import NAMESPACES

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers, one of them has the control plane and all the tests that use it."""
    for item in items:
        if HERE in item.path.parents and "control_plane" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("tests/cluster"))


@pytest.fixture(scope="session")
def control_plane() -> Iterator[LocalCluster]:
    cluster = LocalCluster("tests")
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def api(control_plane: LocalCluster) -> Iterator[Api]:
    api = Api.from_kubeconfig(control_plane.kubeconfig, user_agent="queuecheck-tests")
    yield api
    api.close()


@pytest.fixture
def namespace(api: Api) -> str:
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "t-"}}
    name: str = api.create(NAMESPACES, body)["metadata"]["name"]
    return name
