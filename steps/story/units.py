"""Units that stand for no Job, and what the harness writes into a unit's status.

For a unit without a Job the harness plays the job extension of a kind of work of its own: it writes
what the extension would, the entries of ``status.admissions``, and nothing else. Each write is made
on the unit as it is, and anew if somebody else was quicker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from queuecheck.kube import Conflict, KubeObject, NotFound
from steps.states import allocation, units
from steps.story.settings import QUOTA_LABEL

if TYPE_CHECKING:
    from steps.story.memory import Story

# Both components write the status too; so many times in a row nobody loses that race.
TRIES = 20
# The harness's clock and the implementation's need not be the same.
CLOCKS_APART = timedelta(seconds=0.2)
WRITTEN = "queuecheck.dev/written"
# Every unit stands for something; this is nothing that an implementation's job extension knows.
WORK = {"apiVersion": "queuecheck.dev/v1", "kind": "Work"}


@dataclass(frozen=True)
class PodSet:
    """So many pods of so many cpu each, under a name."""

    name: str
    count: int
    cpu: str


@dataclass(frozen=True)
class Holding:
    """What is reported of one podSet; ``marked`` None: the entry carries no reclaimState."""

    pod_set: str
    replicas: int
    running: int
    marked: int | None = None


class Units:
    """What steps do with units themselves. ``alone``: the names of those without a Job."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.alone: set[str] = set()

    def create(
        self, alias: str, *, priority: int, pod_sets: Sequence[PodSet], quota: str | None = None
    ) -> None:
        """Creates a unit without a Job, in the queue of ``quota``, by default the one made last."""
        self.alone.add(alias)
        world = self._story.world
        resource = world.resource("QueueUnit")
        queue = self._story.quotas.name(quota or self._story.quotas.latest)
        # A quantity that is none has no total.
        readable = all(pod_set.cpu.isdecimal() for pod_set in pod_sets)
        total = sum(int(each.cpu) * each.count for each in pod_sets) if readable else 0
        world.create(
            resource,
            {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                "metadata": {"name": alias, "labels": {QUOTA_LABEL: queue}},
                "spec": {
                    "consumerRef": {**WORK, "name": alias, "namespace": world.namespace},
                    "priority": priority,
                    "priorityClassName": world.priority_class(priority),
                    **({"resource": {"cpu": str(total)}} if readable else {}),
                    "podSet": [self._pod_set(alias, each) for each in pod_sets],
                },
            },
        )
        world.on_cleanup(partial(self._delete, alias), sentence=f"delete the unit {alias}")
        self._story.jobs.note_creation(priority)

    def _delete(self, alias: str) -> None:
        """No garbage collector does it, and what nobody can read may stop who reads on."""
        world = self._story.world
        with suppress(NotFound):
            world.api.delete(world.resource("QueueUnit"), alias, namespace=world.namespace)

    def report(self, alias: str, holdings: Sequence[Holding]) -> None:
        """Writes what the unit holds of these podSets; other entries stay as they are.

        What follows starts with this write: before it the unit held what it does not hold now.
        """

        def change(entries: list[KubeObject]) -> None:
            for holding in holdings:
                entry = _entry(entries, holding.pod_set)
                entry |= {"replicas": holding.replicas, "running": holding.running}
                entry.pop("reclaimState", None)
                if holding.marked is not None:
                    entry["reclaimState"] = {"replicas": holding.marked}

        version = int(self._write(alias, change)["metadata"]["resourceVersion"])
        self._story.act_from(
            units.of_unit(
                self._story.unit(alias),
                "as it was reported",
                lambda found: int(found["metadata"]["resourceVersion"]) >= version,
            )
        )

    def mark(self, alias: str, replicas: int) -> None:
        """Writes a reclaimState into the unit's first entry: the decision, by hand."""

        def change(entries: list[KubeObject]) -> None:
            if not entries:
                raise ValueError(f'"{alias}" holds nothing that could be marked')
            entries[0]["reclaimState"] = {"replicas": replicas}

        self._write(alias, change)

    def allocate_earlier(self, alias: str, ago: timedelta) -> None:
        """Moves the unit's lastAllocateTime back, to so much time ago."""
        moment = allocation.timestamp(datetime.now(UTC) - ago)
        self._patch(alias, lambda _: {"lastAllocateTime": moment})

    def outlast_protection(self, alias: str, protection: timedelta) -> None:
        """Returns when the unit's protection is over."""
        found = self._get(alias)
        since = allocation.allocated(found)
        if since is None:
            raise ValueError(f'"{alias}" has no lastAllocateTime')
        left = since + protection + CLOCKS_APART - datetime.now(UTC)
        self._story.world.timeline.sleep(left.total_seconds())

    def annotate(self, alias: str, times: int) -> None:
        """Writes to the unit so many times, and changes nothing that matters."""
        for number in range(times):
            self._story.world.api.patch(
                self._story.world.resource("QueueUnit"),
                alias,
                {"metadata": {"annotations": {WRITTEN: str(number)}}},
                namespace=self._story.world.namespace,
            )

    def _pod_set(self, alias: str, pod_set: PodSet) -> KubeObject:
        container = {
            "name": "main",
            "image": "registry.k8s.io/pause:3.10",
            "resources": {"requests": {"cpu": pod_set.cpu}},
        }
        spec = self._story.world.placed(
            {"restartPolicy": "Never", "containers": [container]}, alias
        )
        return {"name": pod_set.name, "count": pod_set.count, "template": {"spec": spec}}

    def _write(self, alias: str, change: Callable[[list[KubeObject]], None]) -> KubeObject:
        def status(found: KubeObject) -> KubeObject:
            entries = [dict(entry) for entry in units.admissions(found)]
            change(entries)
            return {"admissions": entries}

        return self._patch(alias, status)

    def _get(self, alias: str) -> KubeObject:
        world = self._story.world
        return world.api.get(world.resource("QueueUnit"), alias, namespace=world.namespace)

    def _patch(self, alias: str, status: Callable[[KubeObject], KubeObject]) -> KubeObject:
        world = self._story.world
        for left in reversed(range(TRIES)):
            found = self._get(alias)
            try:
                return world.api.patch(
                    world.resource("QueueUnit"),
                    alias,
                    {"status": status(found)},
                    namespace=world.namespace,
                    subresource="status",
                    resource_version=found["metadata"]["resourceVersion"],
                )
            except Conflict:
                if not left:
                    raise
        raise AssertionError("the last try returns or raises")


def _entry(entries: list[KubeObject], name: str) -> KubeObject:
    for entry in entries:
        if entry["name"] == name:
            return entry
    entries.append({"name": name})
    return entries[-1]
