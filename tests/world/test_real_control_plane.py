"""A world, and the canary, on a real control plane; the implementation is played."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from queuecheck.cluster import Cluster, LocalCluster
from queuecheck.faults import FaultProxy, Refuse, Rule, Target
from queuecheck.implementation import Implementation, LogMark, Sample, packaged_descriptor
from queuecheck.implementation.reroute import rerouted
from queuecheck.kube import Api, ApiError, KubeObject, NotFound
from queuecheck.kube.resource import CONFIG_MAPS, NAMESPACES, PRIORITY_CLASSES, SERVICE_ACCOUNTS
from queuecheck.profiles import load_profile
from queuecheck.timeline import Budgets, Feed, Subject, exists
from queuecheck.world import EnvironmentBroken, Ground, Names, World
from queuecheck.world.accounts import CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS, lend_rights
from queuecheck.world.canary import check_canary
from queuecheck.world.names import RUN_LABEL

PROFILE = load_profile("koord-queue")
NUMBERS = itertools.count(1)


class Played:
    """An implementation that does nothing at all."""

    name = "played 1"
    queue_namespace = "koord-queue"
    features: frozenset[str] = frozenset()
    restart_count = 0
    restored = 0
    server = ""

    def reroute(self, server: str, _instance: str | None = None) -> None:
        self.server = server

    def restore(self) -> None:
        self.restored += 1

    def log_mark(self) -> LogMark:
        return LogMark({})

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:  # noqa: ARG002
        return {"queue": "nothing to do"}

    def metrics(self) -> Sequence[Sample]:
        return [Sample("waiting", {"queue": "team"}, 1.0)]

    def alive(self) -> str | None:
        return None


@pytest.fixture
def played() -> Played:
    return Played()


@pytest.fixture
def names() -> Names:
    """Another test's namespace may still be on its way out."""
    return Names("tests", "KQ-QTA-01", f"a{next(NUMBERS)}")


class Somebodys:
    """The control plane as if it were not ours alone."""

    def __init__(self, cluster: LocalCluster) -> None:
        self._cluster = cluster

    @property
    def capabilities(self) -> frozenset[str]:
        return self._cluster.capabilities - {"disposable"}

    def __getattr__(self, name: str) -> object:
        return getattr(self._cluster, name)


@pytest.fixture
def world(
    installed: Api, control_plane: LocalCluster, played: Played, names: Names, tmp_path: Path
) -> World:
    return opened(cast("Cluster", Somebodys(control_plane)), played, names, tmp_path)


def opened(cluster: Cluster, played: Played, names: Names, tmp_path: Path) -> World:
    ground = Ground(
        run="tests",
        profile=PROFILE,
        cluster=cluster,
        implementation=cast("Implementation", played),
        budgets=Budgets(),
        cross_kind_order=True,
        evidence_directory=tmp_path,
        api=(api := Api.from_kubeconfig(cluster.kubeconfig)),
        feed=Feed(api, wide="disposable" in cluster.capabilities),
        proxy=lambda: started(
            FaultProxy(cluster.kubeconfig, certificate=cluster.serving_certificate)
        ),
    )
    world = World(ground, names, reproduce="run it", priority_class=lambda value: f"class-{value}")
    world.open()
    return world


def started(proxy: FaultProxy) -> FaultProxy:
    proxy.start()
    return proxy


def quota(world: World) -> dict[str, object]:
    return {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": world.name("team")},
        "spec": {"min": {"cpu": "1"}, "max": {"cpu": "1"}},
    }


def test_what_is_created_says_who_created_it(world: World) -> None:
    created = world.create(world.resource("ElasticQuota"), quota(world))
    world.close()
    assert created["metadata"]["namespace"] == world.namespace
    assert created["metadata"]["labels"] == {
        "queuecheck.dev/run": "tests",
        "queuecheck.dev/requirement": "KQ-QTA-01",
    }
    scenario = world.name("x").removeprefix("x-tests-")
    assert created["metadata"]["managedFields"][0]["manager"] == f"queuecheck-{scenario}"


def test_what_happens_in_the_namespace_is_recorded(world: World) -> None:
    world.create(world.resource("ElasticQuota"), quota(world))
    subject = Subject("ElasticQuota", world.namespace, world.name("team"))
    world.claims.eventually(exists(subject), within="create")
    world.close()


def test_pods_can_be_made_at_once(world: World, api: Api) -> None:
    assert api.get(SERVICE_ACCOUNTS, "default", namespace=world.namespace)
    world.close()


def test_the_end_takes_everything_away(world: World, api: Api, played: Played) -> None:
    resource = world.resource("ElasticQuota")
    world.create(resource, quota(world))
    world.create(
        CONFIG_MAPS,
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": world.name("mine")}},
        namespace="default",
    )
    world.create(
        PRIORITY_CLASSES,
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": world.name("mine")},
            "value": 1,
        },
    )
    world.close()
    assert api.list(resource, namespace=world.namespace).items == ()
    with pytest.raises(NotFound):
        api.get(CONFIG_MAPS, world.name("mine"), namespace="default")
    with pytest.raises(NotFound):
        api.get(PRIORITY_CLASSES, world.name("mine"))
    assert _is_going(api, world.namespace)
    assert played.restored == 1


def test_on_a_control_plane_of_our_own_the_emptied_namespace_stays(
    installed: Api, control_plane: LocalCluster, played: Played, names: Names, tmp_path: Path
) -> None:
    world = opened(control_plane, played, names, tmp_path)
    resource = world.resource("ElasticQuota")
    world.create(resource, quota(world))
    world.close()
    assert installed.list(resource, namespace=world.namespace).items == ()
    assert not _is_going(installed, world.namespace)


def test_a_kept_world_stays(world: World, api: Api) -> None:
    world.close(keep=True)
    assert not _is_going(api, world.namespace)
    api.delete(NAMESPACES, world.namespace)


def test_evidence_has_objects_logs_and_metrics(world: World) -> None:
    world.create(world.resource("ElasticQuota"), quota(world))
    subject = Subject("ElasticQuota", world.namespace, world.name("team"))
    world.claims.eventually(exists(subject), within="create")
    evidence = world.take_evidence(error="it went wrong")
    world.close()
    files = {path.name: path for path in evidence.directory.rglob("*") if path.is_file()}
    assert files["queue.log"].read_text("utf-8") == "nothing to do\n"
    assert 'waiting{queue="team"} 1' in files["implementation.txt"].read_text("utf-8")
    assert files["error.txt"].read_text("utf-8") == "it went wrong\n"
    assert f"ElasticQuota_{world.namespace}_{world.name('team')}.yaml" in files


def test_a_canary_that_nobody_takes_over_is_a_broken_environment(
    installed: Api, control_plane: LocalCluster, played: Played
) -> None:
    with pytest.raises(EnvironmentBroken) as told:
        check_canary(
            installed,
            replace(PROFILE.canary, timeout=2.0),
            nodes=control_plane.nodes,
            implementation=cast("Implementation", played),
            namespace="qc-tests-canary",
            labels={RUN_LABEL: "tests"},
        )
    assert str(told.value) == (
        "played 1: the canary, one Job, is still suspended: it was not admitted after 2 s"
        "\nlog of queue:\nnothing to do"
    )


def test_a_canary_does_not_wait_for_an_implementation_that_is_gone(
    installed: Api, control_plane: LocalCluster
) -> None:
    class Gone(Played):
        def alive(self) -> str | None:
            return "extension ended with exit code 1"

    with pytest.raises(EnvironmentBroken) as told:
        check_canary(
            installed,
            replace(PROFILE.canary, timeout=3600.0),
            nodes=control_plane.nodes,
            implementation=cast("Implementation", Gone()),
            namespace="qc-tests-gone",
            labels={RUN_LABEL: "tests"},
        )
    assert str(told.value) == "played 1: extension ended with exit code 1"


def test_a_user_is_lent_what_its_account_is_bound_to(installed: Api) -> None:
    descriptor = packaged_descriptor("reference")
    lend_rights(installed, descriptor)
    lend_rights(installed, descriptor)
    for resource in (CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS):
        bindings = installed.list(resource).items
        for user in ("queue-component", "extension-component"):
            lent = [
                each
                for each in bindings
                if any(subject["name"] == user for subject in each.get("subjects") or ())
            ]
            account = user.removesuffix("-component")
            bound = [
                each
                for each in bindings
                if {"kind": "ServiceAccount", "name": account, "namespace": "koord-queue"}
                in (each.get("subjects") or ())
            ]
            # Other tests may have bound the user to the same role as well.
            assert _roles(lent) == _roles(bound)


def _roles(bindings: list[KubeObject]) -> set[tuple[str, str]]:
    return {(each["roleRef"]["kind"], each["roleRef"]["name"]) for each in bindings}


def _is_going(api: Api, namespace: str) -> bool:
    try:
        return "deletionTimestamp" in api.get(NAMESPACES, namespace)["metadata"]
    except NotFound:
        return True


def test_a_further_namespace_is_recorded_and_cleared_as_the_first_one_is(
    installed: Api, world: World
) -> None:
    further = world.add_namespace()
    assert further != world.namespace
    assert further.startswith(f"qc-{world.run}-")
    world.create(world.resource("ElasticQuota"), quota(world), namespace=further)
    world.timeline.catch_up(frozenset({("ElasticQuota", further)}), settle=0.3, within=60)
    assert len(world.timeline.newest("ElasticQuota", further)) == 1
    world.close()
    assert installed.list(world.resource("ElasticQuota"), namespace=further).items == ()


def test_the_proxy_is_put_between_and_forgets_its_rules_when_the_scenario_ends(
    world: World, played: Played, control_plane: LocalCluster, tmp_path: Path
) -> None:
    world.interpose_proxy()
    way = rerouted(control_plane.kubeconfig, server=played.server, to=tmp_path / "way")
    client = Api.from_kubeconfig(way)
    world.proxy.add(Rule(Target("any"), Refuse(500), times=None))
    with pytest.raises(ApiError, match="made on purpose"):
        client.raw("/version")
    proxy = world.proxy
    world.close()
    assert "gitVersion" in client.raw("/version")
    client.close()
    proxy.stop()
