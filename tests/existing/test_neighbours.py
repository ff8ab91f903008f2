"""Who else is on a cluster, told from what is listed there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from queuecheck.profiles import load_profile
from queuecheck.world.names import RUN_LABEL
from queuecheck.world.neighbours import holders, others_objects, runners, webhooks_on

PROFILE = load_profile("koord-queue")
KNOWN = PROFILE.controllers
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NOBODY: frozenset[str] = frozenset()


def named(name: str, namespace: str = "", **others: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace, **others}}


def test_what_carries_a_runs_label_is_not_others() -> None:
    quotas = [named(f"q{n}", "team") for n in range(5)] + [named("ours", labels={RUN_LABEL: "x"})]
    assert others_objects({PROFILE.quotas: quotas, PROFILE.queues: []}) == (
        "5 ElasticQuota (team/q0, team/q1, team/q2, …)"
    )
    assert others_objects({PROFILE.quotas: quotas[-1:]}) == ""


def webhook(group: str, resource: str) -> dict[str, Any]:
    rules = [{"apiGroups": [group], "resources": [resource]}]
    return {
        **named("koord-manager"),
        "kind": "MutatingWebhookConfiguration",
        "webhooks": [{"name": "quota.example.com", "rules": rules}],
    }


@pytest.mark.parametrize("resource", ["elasticquotas", "*", "*/*", "elasticquotas/*"])
def test_a_webhook_that_decides_about_quotas_is_named(resource: str) -> None:
    (found,) = webhooks_on([webhook(PROFILE.quotas.group, resource)], [PROFILE.quotas])
    assert found == (
        "the webhook quota.example.com (MutatingWebhookConfiguration koord-manager) "
        "decides about elasticquotas"
    )


@pytest.mark.parametrize(
    ("group", "resource"), [("apps", "*"), ("*", "*"), ("scheduling.sigs.k8s.io", "podgroups")]
)
def test_a_webhook_for_everything_or_for_others_is_none_of_ours(group: str, resource: str) -> None:
    assert list(webhooks_on([webhook(group, resource)], [PROFILE.quotas])) == []


def lease(name: str, *, ago: float, holder: str | None = "them") -> dict[str, Any]:
    renewed = (NOW - timedelta(seconds=ago)).isoformat().replace("+00:00", "Z")
    spec = {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": 15}
    return {**named(name, "koord-queue"), "spec": spec}


def test_whoever_holds_a_known_lease_is_a_controller() -> None:
    found = holders([lease("koord-queue-queue", ago=3)], KNOWN, now=NOW, spared=NOBODY)
    assert list(found) == ["them holds the lease koord-queue/koord-queue-queue"]


@pytest.mark.parametrize(
    "other",
    [
        lease("koord-queue-queue", ago=20),
        lease("koord-queue-queue", ago=3, holder=None),
        lease("kube-scheduler", ago=3),
    ],
)
def test_an_old_lease_a_free_one_and_anybody_elses_are_not(other: dict[str, Any]) -> None:
    assert list(holders([other], KNOWN, now=NOW, spared=NOBODY)) == []


def test_the_implementations_own_are_spared() -> None:
    spared = frozenset({"koord-queue"})
    assert list(holders([lease("koord-queue-queue", ago=3)], KNOWN, now=NOW, spared=spared)) == []


@pytest.mark.parametrize(
    ("image", "told"),
    [
        ("registry:5000/koordinator-sh/koord-queue:v1.9@sha256:1", True),
        ("koord-queue-controllers", True),
        ("example.com/koord-queue-dashboard:1", False),
    ],
)
def test_a_running_pod_of_a_known_image_is_a_controller(image: str, told: bool) -> None:
    pod = {
        **named("controller-1", "system"),
        "spec": {"containers": [{"image": image}]},
        "status": {"phase": "Running"},
    }
    found = list(runners([pod], KNOWN, spared=NOBODY))
    assert found == ([f"the pod system/controller-1 runs {image}"] if told else [])
    pod["status"] = {"phase": "Succeeded"}
    assert list(runners([pod], KNOWN, spared=NOBODY)) == []
