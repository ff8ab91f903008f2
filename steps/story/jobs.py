"""Jobs of a scenario: submitted, admitted, run and finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from queuecheck.kube import KubeObject
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
    """What steps do with Jobs. ``asks``: what each asks for; ``running``: UIDs of its pods."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.asks: dict[str, Ask] = {}
        self.running: dict[str, frozenset[str]] = {}
        self._created: dict[int, float] = {}

    def outlast_equals(self, priority: int) -> None:
        """A Job submitted from now on is created later than those of its priority, to be seen."""
        if priority in self._created:
            left = self._created[priority] + CREATION_SECONDS - self._story.world.timeline.now()
            self._story.world.timeline.sleep(left)

    def submit(self, alias: str, *, priority: int, ask: Ask, suspend: bool = True) -> None:
        """Creates a Job for the quota made last."""
        self.asks[alias] = ask
        self._story.world.create(
            self._story.world.resource("Job"),
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {
                    "name": alias,
                    "labels": {QUOTA_LABEL: self._story.world.name(self._story.quotas.latest)},
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

    def note_creation(self, priority: int) -> None:
        """Something of that priority has just been created."""
        self._created[priority] = self._story.world.timeline.now()

    def _pod(self, alias: str, priority: int, ask: Ask) -> KubeObject:
        return {
            "priorityClassName": self._story.world.priority_class(priority),
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

    def await_admission(self, alias: str) -> None:
        """The unit is admitted and the Job's pods exist, none of them bound."""
        self._story.eventually(self._story.admitted(alias), within="admit")
        self._story.eventually(
            pods.unbound(self._story.job(alias), self.asks[alias].pods), within="create"
        )

    def run_pods(self, alias: str, number: int) -> None:
        """So many pods of the Job are bound and started, and the unit's status says so."""
        slot = self._story.world.slot(alias)
        self._story.world.nodes.open_slot(slot, pods=number)
        self._story.world.nodes.run(slot)
        job = self._story.job(alias)
        self._story.eventually(pods.running(job, number), within="create")
        self.running[alias] = frozenset(
            pod["metadata"]["uid"]
            for pod in self._story.world.timeline.selected(pods.pods_of(job))
            if pods.is_running(pod)
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
