"""Objects that take their time to go, as pods on a node out of reach do: by a finalizer of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from queuecheck.kube import Conflict, NotFound, Resource
from queuecheck.kube.resource import PODS
from steps.states import pods

if TYPE_CHECKING:
    from steps.story.memory import Story

FINALIZER = "queuecheck.dev/lingers"
# Others write finalizers too; so many times in a row nobody loses that race.
TRIES = 20


def keep_pods(story: Story, job: str) -> None:
    """The pods that the Job has now stay when they are deleted, until they are let go."""
    for name in _pods(story, job):
        _keep(story, PODS, name)


def let_pods_go(story: Story, job: str) -> None:
    """Nothing of ours keeps the Job's pods any more."""
    for name in _pods(story, job):
        _let_go(story, PODS, name)


def keep_unit(story: Story, unit: str) -> None:
    """The unit stays when it is deleted, until it is let go."""
    _keep(story, story.world.resource("QueueUnit"), unit)


def let_unit_go(story: Story, unit: str) -> None:
    """Nothing of ours keeps the unit any more."""
    _let_go(story, story.world.resource("QueueUnit"), unit)


def _pods(story: Story, job: str) -> list[str]:
    found = story.world.timeline.selected(pods.pods_of(story.job(job)))
    return [pod["metadata"]["name"] for pod in found]


def _keep(story: Story, resource: Resource, name: str) -> None:
    _write(story, resource, name, lambda held: {*held, FINALIZER})
    story.world.on_cleanup(
        lambda: _let_go(story, resource, name), sentence=f"let {resource.kind} {name} go"
    )


def _let_go(story: Story, resource: Resource, name: str) -> None:
    _write(story, resource, name, lambda held: held - {FINALIZER})


def _write(
    story: Story, resource: Resource, name: str, change: Callable[[set[str]], set[str]]
) -> None:
    api, namespace = story.world.api, story.world.namespace
    for left in reversed(range(TRIES)):
        try:
            found = api.get(resource, name, namespace=namespace)
            held = set(found["metadata"].get("finalizers") or ())
            if change(held) == held:
                return
            api.patch(
                resource,
                name,
                {"metadata": {"finalizers": sorted(change(held))}},
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
