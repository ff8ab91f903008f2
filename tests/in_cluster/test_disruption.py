"""A round that is under way when the controller's pods are killed, or their node is drained.

On a cluster with kubelets, where ``manifests/controller`` is applied: QUEUECHECK_IN_CLUSTER is its
kubeconfig. Pods of the round find no node, so nothing but the controller runs there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from queuecheck.cluster.pods import uid
from queuecheck.implementation import rollout
from queuecheck.implementation.watched import Watched
from queuecheck.kube import Api, KubeObject, NotFound, Resource
from queuecheck.kube.resource import EVENTS, JOBS, NAMESPACES, NODES, PODS, PRIORITY_CLASSES
from queuecheck.profiles import load_profile

VARIABLE = "QUEUECHECK_IN_CLUSTER"
HOME = "koord-queue"
SECONDS = 90.0
LOW = ("low-1", "low-2")
PROFILE = load_profile("koord-queue")
SWITCHES = ("koord-queue/wait-for-pods-running", "koord-queue/enable-queueunit-preemption")
UNITS, QUOTAS = PROFILE.resource("QueueUnit"), PROFILE.resource("ElasticQuota")
QUEUES = PROFILE.resource("Queue")

pytestmark = pytest.mark.skipif(
    VARIABLE not in os.environ, reason=f"{VARIABLE} names no kubeconfig of a cluster to disturb"
)


@pytest.fixture
def there() -> Iterator[Api]:
    api = Api.from_kubeconfig(os.environ[VARIABLE], user_agent="queuecheck-tests")
    yield api
    api.close()


@pytest.fixture
def team(there: Api) -> Iterator[str]:
    """A namespace with a quota of its name, 2 cpu with the gate and preemption off, and classes."""
    body = {"metadata": {"generateName": "disturbed-"}}
    name: str = there.create(NAMESPACES, body)["metadata"]["name"]
    for priority in (1, 100):
        metadata = {"metadata": {"name": f"{name}-{priority}"}, "value": priority}
        there.create(PRIORITY_CLASSES, metadata)
    amount = {"cpu": "2"}
    quota: KubeObject = {
        "apiVersion": QUOTAS.api_version,
        "kind": QUOTAS.kind,
        "metadata": {"name": name},
        "spec": {"min": amount, "max": amount},
    }
    there.create(QUOTAS, quota, namespace=name)
    yield name
    for priority in (1, 100):
        there.delete(PRIORITY_CLASSES, f"{name}-{priority}")
    there.delete(QUOTAS, name, namespace=name)
    there.delete(NAMESPACES, name)


def turn_on(api: Api, team: str) -> None:
    """The gate and preemption, by the quota; returns when its Queue has them."""
    patch = {"metadata": {"annotations": dict.fromkeys(SWITCHES, "true")}}
    api.patch(QUOTAS, team, patch, namespace=team)
    wanted = patch["metadata"]["annotations"].items()
    until(
        api,
        QUEUES,
        HOME,
        lambda queues: any(
            each["metadata"]["name"] == team
            and wanted <= (each["metadata"].get("annotations") or {}).items()
            for each in queues
        ),
    )


def submit(api: Api, team: str, job: str, *, priority: int, cpu: int) -> None:
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": str(cpu)}}}
    pod = {
        "priorityClassName": f"{team}-{priority}",
        "nodeSelector": {"queuecheck.dev/slot": "closed"},
        "restartPolicy": "Never",
        "containers": [container],
    }
    metadata = {"name": job, "labels": {"quota.scheduling.koordinator.sh/name": team}}
    body = {"metadata": metadata, "spec": {"suspend": True, "template": {"spec": pod}}}
    api.create(JOBS, body, namespace=team)


def until(
    api: Api, resource: Resource, namespace: str, test: Callable[[list[KubeObject]], bool]
) -> list[KubeObject]:
    watched = Watched(api, resource, namespace=namespace, seconds=SECONDS)
    for found in watched:
        if test(list(found)):
            return list(found)
    seen = [
        (each["metadata"]["name"], each.get("reason") or each.get("status"))
        for each in watched.objects
    ]
    raise AssertionError(f"not so within {SECONDS:g} s: {seen}")


def held(units: list[KubeObject]) -> dict[str, int]:
    """How many replicas each unit is admitted with."""
    return {
        each["metadata"]["name"]: sum(
            int(admission.get("replicas", 0))
            for admission in (each.get("status") or {}).get("admissions") or ()
        )
        for each in units
    }


def marked(units: list[KubeObject]) -> bool:
    return any(
        admission.get("reclaimState")
        for each in units
        for admission in (each.get("status") or {}).get("admissions") or ()
    )


def counted(events: list[KubeObject]) -> dict[tuple[str, str], int]:
    """How many times each unit was told of as preempted and as reclaimed."""
    found: Counter[tuple[str, str]] = Counter()
    for each in events:
        if each["reason"] in {"Preempted", "Reclaimed"}:
            found[each["reason"], each["involvedObject"]["name"]] += each.get("count") or 1
    return dict(found)


def controllers(api: Api) -> list[KubeObject]:
    selector = "app.kubernetes.io/name=queuecheck-controller"
    return list(api.list(PODS, namespace=HOME, label_selector=selector).items)


@contextmanager
def kill(api: Api) -> Iterator[None]:
    for pod in controllers(api):
        api.delete(PODS, pod["metadata"]["name"], namespace=HOME, grace_seconds=0)
    yield


@contextmanager
def drain(api: Api) -> Iterator[None]:
    pods = controllers(api)
    nodes = {each["spec"]["nodeName"] for each in pods}
    if len(api.list(NODES).items) == len(nodes):
        pytest.skip("there is no other node for the controller's pods to go to")
    for node in nodes:
        api.patch(NODES, node, {"spec": {"unschedulable": True}})
    try:
        for pod in pods:
            eviction: dict[str, Any] = {
                "apiVersion": "policy/v1",
                "kind": "Eviction",
                "metadata": {"name": pod["metadata"]["name"], "namespace": HOME},
            }
            with suppress(NotFound):
                name = pod["metadata"]["name"]
                api.create(PODS, eviction, namespace=HOME, name=name, subresource="eviction")
        yield
        assert not nodes & {each["spec"]["nodeName"] for each in controllers(api)}
    finally:
        for node in nodes:
            api.patch(NODES, node, {"spec": {"unschedulable": None}})


@pytest.mark.parametrize("disturbed", [kill, drain], ids=["killed", "drained"])
def test_a_round_ends_right_all_the_same(
    there: Api, team: str, disturbed: Callable[[Api], Any]
) -> None:
    for job in LOW:
        submit(there, team, job, priority=1, cpu=1)
    until(there, UNITS, team, lambda units: held(units) == dict.fromkeys(LOW, 1))
    turn_on(there, team)
    before = {uid(each) for each in controllers(there)}
    submit(there, team, "urgent", priority=100, cpu=2)
    until(there, UNITS, team, marked)
    with disturbed(there):
        end = {"urgent": 1, **dict.fromkeys(LOW, 0)}
        until(there, UNITS, team, lambda units: held(units) == end and not marked(units))
        until(there, PODS, HOME, lambda pods: rollout.settled(pods, copies=2, leaving=before))
    # Whoever was started in the middle of it may still have to say what has become of it.
    told = {(reason, job): 1 for reason in ("Preempted", "Reclaimed") for job in LOW}
    until(there, EVENTS, team, lambda events: counted(events) == told)
