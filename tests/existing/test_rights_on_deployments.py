"""The roles that we ship are enough for every verb on Deployments, and are asked for beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from queuecheck.cluster import Cluster
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.kubeconfig import as_token, read_context, write
from queuecheck.implementation import ImplementationError
from queuecheck.implementation.deployments import DeploymentImplementation
from queuecheck.kube import Api, KubeObject
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS, PODS, SERVICE_ACCOUNTS
from queuecheck.world.examination import examine
from tests.cluster.test_simulated_nodes import watched
from tests.existing.somebodys import CONTEXT, Somebodys, play, token
from tests.implementation.deployed import COMPONENTS, CONFIG, config_map, deployment, described

HOME = "koord-queue"


@dataclass(frozen=True)
class ReachedBySuite:
    kubeconfig: Path


@pytest.fixture
def installed_by_hand(somebodys: Somebodys) -> Iterator[None]:
    nodes = somebodys.cluster.nodes
    nodes.open_slot(HOME, pods=20)
    nodes.run(HOME)
    somebodys.admin.create(CONFIG_MAPS, config_map(HOME), namespace=HOME)
    for each in COMPONENTS:
        somebodys.admin.create(DEPLOYMENTS, deployment(HOME, each), namespace=HOME)
    yield
    for each in COMPONENTS:
        somebodys.admin.delete(DEPLOYMENTS, f"the-{each}", namespace=HOME, propagation="Background")
    somebodys.admin.delete(CONFIG_MAPS, "config", namespace=HOME)
    # Their pods go a moment later, and would be the next test's.
    watched(somebodys.admin, PODS, HOME, lambda pods: not pods)
    nodes.reset()


@pytest.fixture
def as_the_suite(
    somebodys: Somebodys, installed_by_hand: None, tmp_path: Path
) -> DeploymentImplementation:
    """The implementation, played with the rights of the suite's user."""
    cluster = cast("Cluster", ReachedBySuite(somebodys.suite))
    return DeploymentImplementation(described(HOME, tmp_path), cluster)


def lasting(admin: Api) -> list[KubeObject]:
    """What of the implementation does not come and go with its pods."""
    found = [*admin.list(DEPLOYMENTS, namespace=HOME).items]
    found += admin.list(CONFIG_MAPS, namespace=HOME).items
    return [
        {"name": each["metadata"]["name"], "spec": each.get("spec"), "data": each.get("data")}
        for each in found
    ]


def test_every_verb_is_allowed(
    somebodys: Somebodys, as_the_suite: DeploymentImplementation
) -> None:
    as_the_suite.start()
    as_the_suite.second("queue")
    as_the_suite.hold("extension")
    as_the_suite.kill("queue")
    as_the_suite.reconfigure({**CONFIG, "time": "1s"})
    as_the_suite.restore()
    as_the_suite.restart()
    as_the_suite.attempt(CONFIG)
    as_the_suite.logs(since=as_the_suite.log_mark())
    with pytest.raises(ImplementationError, match="metrics of pod"):  # no kubelet has them
        as_the_suite.metrics("queue")
    as_the_suite.uninstall()
    as_the_suite.restore()
    as_the_suite.close()
    refused = [
        (each["verb"], each["requestURI"])
        for each in somebodys.requests()
        if each.get("responseStatus", {}).get("code") == 403
        and f"/namespaces/{HOME}/" in each["requestURI"]
    ]
    assert refused == []


def test_what_a_killed_run_has_left_is_put_back_by_clean(
    somebodys: Somebodys, as_the_suite: DeploymentImplementation
) -> None:
    before = lasting(somebodys.admin)
    as_the_suite.start()
    as_the_suite.second("queue")
    as_the_suite.reconfigure({**CONFIG, "time": "1s"})
    as_the_suite.kill()
    cleaned = play(somebodys.queuecheck("clean", "--yes"))
    assert cleaned.returncode == 0, cleaned.stdout + cleaned.stderr
    assert cleaned.stdout.splitlines()[1:] == [
        "ConfigMap koord-queue/config had another configuration",
        "Deployment koord-queue/the-extension had 1 copy",
        "Deployment koord-queue/the-queue had 1 copy",
        "Deployment koord-queue/the-queue-copy is a run's own",
        "all of it is gone",
    ]
    again = play(somebodys.queuecheck("clean"))
    assert "nothing of any run is there" in again.stdout
    assert lasting(somebodys.admin) == before


def test_what_a_run_had_uninstalled_when_it_was_killed_is_brought_back_by_clean(
    somebodys: Somebodys, as_the_suite: DeploymentImplementation
) -> None:
    before = lasting(somebodys.admin)
    as_the_suite.start()
    as_the_suite.uninstall()
    assert not somebodys.admin.list(DEPLOYMENTS, namespace=HOME).items
    of_one_run = play(somebodys.queuecheck("clean", "--run", "x7k2p"))
    assert "clean without --run puts it back" in of_one_run.stderr
    cleaned = play(somebodys.queuecheck("clean", "--yes"))
    assert cleaned.returncode == 0, cleaned.stdout + cleaned.stderr
    assert cleaned.stdout.splitlines()[1:] == [
        "Deployment koord-queue/the-extension was taken away",
        "Deployment koord-queue/the-queue was taken away",
        "all of it is gone",
    ]
    assert lasting(somebodys.admin) == before


def test_a_right_that_is_missing_is_named_before_anything_is_written(
    somebodys: Somebodys, tmp_path: Path
) -> None:
    account = {"metadata": {"name": "nobody"}}
    somebodys.admin.create(SERVICE_ACCOUNTS, account, namespace="queuecheck")
    document = as_token(
        read_context(somebodys.cluster.kubeconfig, CONTEXT), token(somebodys.admin, name="nobody")
    )
    choice = ClusterChoice("existing", write(document, tmp_path / "nobody"), CONTEXT)
    (problem, *_) = examine(choice, described("elsewhere", tmp_path)).problems
    assert "patch and watch deployments.apps in elsewhere" in problem
    assert "get pods/proxy in elsewhere" in problem
    somebodys.admin.delete(SERVICE_ACCOUNTS, "nobody", namespace="queuecheck")


def test_the_roles_give_all_that_is_asked_for(somebodys: Somebodys, tmp_path: Path) -> None:
    choice = ClusterChoice("existing", somebodys.suite, CONTEXT)
    problems = examine(choice, described(HOME, tmp_path)).problems
    assert [each for each in problems if "may not" in each] == []
