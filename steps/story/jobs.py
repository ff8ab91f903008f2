"""Jobs of a scenario: submitted, admitted, run and finished."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from queuecheck.kube import KubeObject
from queuecheck.timeline import Condition, HarnessError
from steps.states import jobs, pods, units
from steps.story.settings import QUOTA_LABEL

if TYPE_CHECKING:
    from steps.story.memory import Story

# Creation times have whole seconds: two of them so far apart differ.
CREATION_SECONDS = 1.1


@dataclass(frozen=True)
class Ask:
    """What a Job asks for: so many pods of so many cpu each."""

    pods: int
    cpu: str


class Jobs:
    """What steps do with Jobs.

    ``asks``: what each asks for; ``running``: UIDs of its pods; ``failing``: those of which a pod
    was made to fail.
    """

    def __init__(self, story: Story) -> None:
        self._story = story
        self.asks: dict[str, Ask] = {}
        self.running: dict[str, frozenset[str]] = {}
        self.failing: set[str] = set()
        self._created: dict[int, float] = {}

    def outlast_equals(self, priority: int | None) -> None:
        """A Job submitted from now on is created later than those of its priority, to be seen."""
        if (priority or 0) in self._created:
            end = self._created[priority or 0] + CREATION_SECONDS
            self._story.world.timeline.sleep(end - self._story.world.timeline.now())

    def submit_in_one_second(self, wanted: Mapping[str, tuple[int | None, Ask]]) -> None:
        """Creates Jobs that have one and the same creation time, in the order given."""
        # Right behind the turn of a second: units follow their Jobs within that second, too.
        self._story.world.timeline.sleep(1.0 - datetime.now(UTC).microsecond / 1e6)
        times = {
            self.submit(alias, priority=priority, ask=ask)["metadata"]["creationTimestamp"]
            for alias, (priority, ask) in wanted.items()
        }
        if len(times) > 1:
            raise HarnessError(f"the Jobs were not created in one second: {sorted(times)}")

    def submit(
        self,
        alias: str,
        *,
        priority: int | None,
        ask: Ask,
        suspend: bool = True,
        quota: str | None = None,
    ) -> KubeObject:
        """Creates a Job that names the quota, by default the one made last.

        Without a priority it names no class.
        """
        self.asks[alias] = ask
        named = self._story.quotas.name(quota or self._story.quotas.latest)
        created = self._story.world.create(
            self._story.world.resource("Job"),
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {
                    "name": alias,
                    "labels": {QUOTA_LABEL: named},
                },
                "spec": {
                    "suspend": suspend,
                    "parallelism": ask.pods,
                    "completions": ask.pods,
                    "backoffLimit": 0,
                    "template": {"spec": self._pod(alias, priority, ask)},
                },
            },
        )
        self.note_creation(priority)
        return created

    def note_creation(self, priority: int | None) -> None:
        """Something of that priority has just been created."""
        self._created[priority or 0] = self._story.world.timeline.now()

    def _pod(self, alias: str, priority: int | None, ask: Ask) -> KubeObject:
        urgency: KubeObject = {}
        if priority is not None:
            urgency["priorityClassName"] = self._story.world.priority_class(priority)
        return {
            **urgency,
            "nodeSelector": self._story.world.slot_selector(alias),
            "restartPolicy": "Never",
            "containers": [
                {
                    "name": "main",
                    "image": "registry.k8s.io/pause:3.10",
                    "resources": {"requests": {"cpu": ask.cpu}},
                }
            ],
        }

    def await_waiting(self, alias: str) -> None:
        """The unit waits, and the implementation has had the time to say so.

        It need not say anything where nobody looks at the unit: behind a closed gate, or behind
        another one under a policy that stops there.
        """
        unit = self._story.unit(alias)
        self._story.eventually(units.waits(unit), within="create")
        self._story.give_time(units.refused(unit))

    def await_admission(self, alias: str) -> None:
        """The unit is admitted and the Job's pods exist, none of them bound."""
        self._story.eventually(self._story.admitted(alias), within="admit")
        self._story.eventually(
            pods.unbound(self._story.job(alias), self.asks[alias].pods), within="create"
        )

    def run_pods(self, alias: str, number: int) -> None:
        """So many pods of the Job are bound and started."""
        slot = self._story.world.slot(alias)
        self._story.world.nodes.open_slot(slot, pods=number)
        self._story.world.nodes.run(slot)
        self._await_bound(alias, pods.running(self._story.job(alias), number))

    def bind_pods(self, alias: str) -> None:
        """Every pod of the Job is bound, and none starts."""
        number = self.asks[alias].pods
        self._story.world.nodes.open_slot(self._story.world.slot(alias), pods=number)
        self._await_bound(alias, pods.bound_and_not_started(self._story.job(alias), number))

    def _await_bound(self, alias: str, state: Condition) -> None:
        self._story.eventually(state, within="create")
        self.running[alias] = frozenset(
            pod["metadata"]["uid"]
            for pod in self._story.world.timeline.selected(pods.pods_of(self._story.job(alias)))
            if pods.is_bound(pod) and not pods.is_terminal(pod)
        )

    def await_running_reported(self, alias: str, number: int) -> None:
        """The unit's status counts so many running replicas: the implementation knows them."""
        unit = self._story.unit(alias)
        self._story.eventually(
            units.of_unit(
                unit,
                f"reported with {number} running",
                lambda found: (
                    sum(int(entry.get("running") or 0) for entry in units.admissions(found))
                    == number
                ),
            ),
            within="create",
        )

    def finish_pods(self, alias: str) -> None:
        """The running pods of the Job succeed, and the Job is complete."""
        self._story.world.nodes.finish(
            self._story.world.slot(alias), succeeded=self.asks[alias].pods
        )
        self._story.eventually(jobs.complete(self._story.job(alias)), within="create")

    def end_pods(self, alias: str, number: int, *, phase: str) -> None:
        """So many running pods of the Job end: they have ``Succeeded`` or ``Failed``."""
        job = self._story.job(alias)
        before = self._story.world.timeline.selected(pods.pods_of(job))
        ended = sum(pods.has_ended(pod, phase) for pod in before)
        slot = self._story.world.slot(alias)
        if phase == "Failed":
            self.failing.add(alias)
            self._story.world.nodes.finish(slot, failed=number)
        else:
            self._story.world.nodes.finish(slot, succeeded=number)
        self._story.eventually(pods.ended(job, ended + number, phase), within="create")
