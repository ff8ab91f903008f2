"""Pods that take their time to go, as those of a node out of reach do: by a finalizer of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from queuecheck.kube import Conflict, KubeObject, NotFound
from queuecheck.kube.resource import PODS
from steps.states import pods

if TYPE_CHECKING:
    from steps.story.memory import Story

FINALIZER = "queuecheck.dev/lingers"
# The Job controller writes finalizers too; so many times in a row nobody loses that race.
TRIES = 20


def keep(story: Story, job: str) -> None:
    """The pods that the Job has now stay when they are deleted, until they are let go."""
    for pod in story.world.timeline.selected(pods.pods_of(story.job(job))):
        _write(story, pod["metadata"]["name"], lambda held: [*held, FINALIZER])
    story.world.on_cleanup(lambda: let_go(story, job), sentence=f"let the pods of {job} go")


def let_go(story: Story, job: str) -> None:
    """Nothing of ours keeps the Job's pods any more."""
    for pod in story.world.timeline.selected(pods.pods_of(story.job(job))):
        _write(
            story,
            pod["metadata"]["name"],
            lambda held: [each for each in held if each != FINALIZER],
        )


def _write(story: Story, name: str, change: Callable[[list[str]], list[str]]) -> None:
    api, namespace = story.world.api, story.world.namespace
    for left in reversed(range(TRIES)):
        try:
            found: KubeObject = api.get(PODS, name, namespace=namespace)
            held = list(found["metadata"].get("finalizers") or ())
            if change(held) == held:
                return
            api.patch(
                PODS,
                name,
                {"metadata": {"finalizers": change(held)}},
                namespace=namespace,
                resource_version=found["metadata"]["resourceVersion"],
            )
        except NotFound:
            return
        except Conflict:
            if not left:
                raise
        else:
            return
