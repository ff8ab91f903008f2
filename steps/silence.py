"""Silence: nothing that belongs to the scenario is written while nothing happens.

Leases and nodes are not looked at, and in the implementation's namespace only what bears the name
of one of the scenario's quotas.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_bdd import then, when

from queuecheck.kube import KubeObject
from queuecheck.timeline import Quiet, Selection, SetState
from steps.story import Story

IN_SCENARIO = ("ElasticQuota", "Job", "QueueUnit", "Pod", "Event")
IN_QUEUE_NAMESPACE = ("Queue", "Event")


@when("everything has come to rest")
def rest(story: Story) -> None:
    """No write for a quiet period; if that does not come in time, the claim that follows fails."""
    timeline, seconds = story.world.timeline, story.world.budgets.seconds
    end = timeline.now() + seconds("reclaim")
    while timeline.now() < end:
        until = timeline.now() + seconds("quiet")
        if not timeline.wait(seen=timeline.changes(), until=until):
            break
    story.act()


@then("nothing is written while nothing happens")
def nothing_is_written(story: Story) -> None:
    # The same time for all of them: a quiet period counts from where the claim starts.
    for selection in _selections(story):
        story.never(_written(story, selection), window=Quiet("idle"))


def _selections(story: Story) -> list[Selection]:
    world, names = story.world, story.quotas.names

    def named(found: KubeObject) -> bool:
        about = found.get("involvedObject") or found["metadata"]
        return about.get("name") in names

    def every(_: KubeObject) -> bool:
        return True

    chosen: list[tuple[str, str, Callable[[KubeObject], bool]]] = [
        *((kind, world.namespace, every) for kind in IN_SCENARIO),
        *((kind, world.queue_namespace, named) for kind in IN_QUEUE_NAMESPACE),
    ]
    return [
        Selection(kind, namespace, where, f"the {kind}s in {namespace}")
        for kind, namespace, where in chosen
    ]


def _written(story: Story, selection: Selection) -> SetState:
    before = _versions(story.world.timeline.selected(selection))
    return SetState(
        selection,
        f"{selection.label} are written, made or deleted",
        lambda found: _versions(found) != before,
        ("metadata.name", "metadata.resourceVersion"),
    )


def _versions(found: tuple[KubeObject, ...]) -> dict[str, str]:
    return {each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in found}
