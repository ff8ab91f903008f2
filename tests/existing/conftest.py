"""A cluster that is somebody else's, reached by a kubeconfig: here a control plane of our own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml

from queuecheck import resources
from queuecheck.cluster import LocalCluster, apply_manifests
from queuecheck.cluster.kubeconfig import as_token, read_context, write
from queuecheck.kube import Api
from queuecheck.profiles import load_profile
from queuecheck.world.remains import find_remains, remove_remains
from tests.existing.listing import await_rest
from tests.existing.somebodys import CONTEXT, TESTS, Somebodys, token

AUDIT = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived", "ResponseStarted"],
    "rules": [
        {"level": "Metadata", "userGroups": ["system:serviceaccounts:queuecheck"]},
        {"level": "None"},
    ],
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers, one of them has the cluster and all the tests that use it."""
    for item in items:
        if "somebodys" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("somebodys"))


@pytest.fixture(scope="session")
def somebodys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Somebodys]:
    """With the implementation's definitions and roles, and the roles of the suite."""
    directory = tmp_path_factory.mktemp("somebodys")
    policy, audit = directory / "policy.yaml", directory / "audit.log"
    policy.write_text(yaml.safe_dump(AUDIT), encoding="utf-8")
    manifests = resources.manifests_root()
    cluster = LocalCluster(
        CONTEXT,
        manifests=(manifests / "crds", manifests / "rbac"),
        apiserver_flags=(f"--audit-policy-file={policy}", f"--audit-log-path={audit}"),
    )
    cluster.start()
    admin = Api.from_kubeconfig(cluster.kubeconfig, user_agent="queuecheck-tests")
    try:
        apply_manifests(admin, manifests / "suite-rbac")
        document = as_token(read_context(cluster.kubeconfig, CONTEXT), token(admin))
        suite = write(document, directory / "suite.kubeconfig")
        await_rest(admin)
        yield Somebodys(cluster, admin, suite, audit)
    finally:
        admin.close()
        cluster.stop()


@pytest.fixture
def swept(somebodys: Somebodys) -> Iterator[None]:
    """Whatever a test makes with the label of the run ``tests`` is gone when it ends."""
    yield
    profile = load_profile("koord-queue")
    assert (
        remove_remains(somebodys.admin, profile, find_remains(somebodys.admin, profile, run=TESTS))
        == []
    )
