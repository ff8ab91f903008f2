"""Silence: nothing that belongs to the scenario is written while nothing happens.

Leases and nodes are not looked at, and in the implementation's namespace only what bears the name
of one of the scenario's quotas.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_bdd import parsers, then, when

from queuecheck.kube import KubeObject
from queuecheck.timeline import Quiet, Selection, SetState, State, Subject
from steps.story import Story

IN_SCENARIO = ("ElasticQuota", "Job", "QueueUnit", "Pod", "Event")
IN_QUEUE_NAMESPACE = ("Queue", "Event")
# How long a unit that spins is watched: the requirement says it, so no budget does.
IDLE_SECONDS = 5.0


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
    written = [_written(story, selection) for selection in _selections(story)]
    # The same time for all of them: a quiet period counts from where the claim starts.
    for state in written:
        story.never(state, window=Quiet("idle"))


@then(
    parsers.re(
        r'"(?P<unit>[^"]+)" is written to at most (?P<writes>\d+) times while nothing happens'
    )
)
def is_written_at_most(story: Story, unit: str, writes: str) -> None:
    begun = story.world.timeline.position()
    story.world.timeline.sleep(IDLE_SECONDS)
    story.never(_written_more(story.unit(unit), int(writes)), window=story.now(), since=begun)


def _written_more(unit: Subject, writes: int) -> State:
    """Holds once the versions that were shown to it are too many; in a replay they come again."""
    versions: set[str] = set()

    def test(found: KubeObject | None) -> bool:
        if found is not None:
            versions.add(found["metadata"]["resourceVersion"])
        # The first one is how it stood at the start.
        return len(versions) > writes + 1

    sentence = f"{unit.label} is written more than {writes} times in {IDLE_SECONDS:g} s"
    return State(unit, sentence, test, ("metadata.resourceVersion", "status.attempts"))


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
