"""Keeping pods from being created: a ResourceQuota of none in the scenario's namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from queuecheck.kube import ApiError, KubeObject
from queuecheck.kube.resource import PODS, RESOURCE_QUOTAS

if TYPE_CHECKING:
    from steps.story.memory import Story

NAME = "no-pods"
REFUSED = "exceeded quota"
PROBE: KubeObject = {
    "apiVersion": PODS.api_version,
    "kind": PODS.kind,
    "metadata": {"name": "probe"},
    "spec": {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]},
}


def refuse_pods(story: Story) -> None:
    """Returns when the server refuses pods; it reads a ResourceQuota a moment after its making."""
    story.world.create(
        RESOURCE_QUOTAS,
        {
            "apiVersion": RESOURCE_QUOTAS.api_version,
            "kind": RESOURCE_QUOTAS.kind,
            "metadata": {"name": NAME},
            "spec": {"hard": {"pods": "0"}},
        },
    )
    _await(story, "pods are refused", lambda answer: REFUSED in answer)


def allow_pods(story: Story) -> None:
    """Returns when the server takes pods again."""
    story.world.api.delete(RESOURCE_QUOTAS, NAME, namespace=story.world.namespace)
    _await(story, "pods can be created", lambda answer: not answer)


def _await(story: Story, sentence: str, test: Callable[[str], bool]) -> None:
    story.world.claims.poll(
        lambda: _answer_to_a_pod(story), test, sentence=sentence, within="create"
    )


def _answer_to_a_pod(story: Story) -> str:
    """Why the server would refuse a pod now; "" if it would not."""
    try:
        story.world.api.create(PODS, PROBE, namespace=story.world.namespace, dry_run=True)
    except ApiError as error:
        return error.message
    return ""
