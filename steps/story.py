"""What a scenario has done so far, and the few acts that many steps share.

Names in features are aliases: a quota's real name is unique on the cluster, Jobs and units live in
the scenario's own namespace. ``acted`` is the moment of the latest act: claims about what it
brings start there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import pytest

from queuecheck.kube import KubeObject
from queuecheck.timeline import (
    Condition,
    Fence,
    Position,
    Quiet,
    Sighting,
    State,
    Step,
    Subject,
    Window,
)
from queuecheck.world import World
from steps import states

QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
POLICY_LABEL = "koord-queue/queue-policy"
GATE = "koord-queue/wait-for-pods-running"
PREEMPTION = "koord-queue/enable-queueunit-preemption"
# Beyond any max in the features, and below any priority in them: a unit that asks for so much is
# refused, and touches nobody.
FENCE = "fence-"
FENCE_CPU = 1_000_000
FENCE_PRIORITY = -1_000_000
# Creation times have whole seconds: two of them so far apart differ.
CREATION_SECONDS = 1.1


@dataclass(frozen=True)
class Ask:
    """What a Job asks for: so many pods of so many cpu each."""

    pods: int
    cpu: str


@dataclass
class Story:
    """The scenario's memory. ``quota`` is the alias of the quota made last."""

    world: World
    acted: Position
    quota: str = ""
    asks: dict[str, Ask] = field(default_factory=dict)
    created: dict[int, float] = field(default_factory=dict)
    running_pods: dict[str, frozenset[str]] = field(default_factory=dict)
    message: str = ""
    number: float = 0
    fences: int = 0
    extension_held: bool = False

    def act(self) -> None:
        """What follows is the consequence of what is done now."""
        self.acted = self.world.timeline.position()

    @property
    def beginning(self) -> Position:
        """The scenario's first moment."""
        return Position(0, 0, 0.0)

    def unit(self, alias: str) -> Subject:
        """The QueueUnit of that name."""
        return Subject("QueueUnit", self.world.namespace, alias, alias)

    def job(self, alias: str) -> Subject:
        """The Job of that name."""
        return Subject("Job", self.world.namespace, alias, alias)

    def queue(self, quota: str) -> Subject:
        """The Queue that the implementation keeps for the quota."""
        return Subject("Queue", self.world.queue_namespace, self.world.name(quota), quota)

    def admitted(self, alias: str) -> Condition:
        """The unit holds its count and its Job is resumed."""
        return states.admitted(self.unit(alias), self.job(alias))

    def let_in(self, alias: str) -> Condition:
        """The unit holds something, or its Job is resumed: not so before it is admitted."""
        return states.let_in(self.unit(alias), self.job(alias))

    def eventually(
        self, state: Condition, *, within: str, since: Position | None = None
    ) -> Sighting:
        """The claim, given up early when the controller is gone or a Job has failed."""
        jobs = tuple(partial(self._failed, alias) for alias in self.asks)
        return self.world.claims.eventually(
            state, within=within, since=since, hopeless=(self.world.implementation.alive, *jobs)
        )

    def never(
        self, state: Condition, *, window: Window | None = None, since: Position | None = None
    ) -> None:
        """The claim from the latest act on; silence proves nothing once the controller is gone.

        Without a ``window`` it is open until what is marked has been dealt with and a fence,
        submitted after that, has been decided.
        """
        if window is None:
            self._let_marks_end()
            window = self.fence()
        self.world.claims.never(
            state,
            window,
            since=since or self.acted,
            hopeless=(self.world.implementation.alive,),
        )

    def in_order(
        self, *rows: Condition, too_early: Condition | None = None, since: Position | None = None
    ) -> None:
        """The claim from the latest act on.

        The last state is not seen before the first one, and ``too_early`` not before the last but
        one.
        """
        first, *between = rows[:-1]
        steps = [
            Step(first, without=too_early or rows[-1]),
            *(Step(row, without=too_early) for row in between),
            Step(rows[-1]),
        ]
        self.world.claims.in_order(
            steps,
            within="reclaim",
            since=since or self.acted,
            hopeless=(self.world.implementation.alive,),
        )

    def fence(self) -> Window:
        """A Job that can never be admitted: once it is refused, what came before was decided.

        An implementation need not look at it behind a closed gate or a policy that stops at its
        head; then a quiet period closes the window.
        """
        self.fences += 1
        alias = f"{FENCE}{self.fences}"
        self.submit(alias, priority=FENCE_PRIORITY, ask=Ask(1, str(FENCE_CPU)))
        return Fence(
            states.refused(self.unit(alias)),
            within="quiet",
            sentence=f'the implementation has refused "{alias}", which was submitted later',
            otherwise="quiet",
        )

    def quiet(self) -> Window:
        """A quiet period: for silence, or where an implementation need not look at a fence."""
        return Quiet()

    def now(self) -> Window:
        """Closes as soon as everything that has happened has come in."""
        return Quiet("settle")

    def _let_marks_end(self) -> None:
        """Gives the job extension a quiet period's time to deal with what is marked.

        A fence alone does not show that it has: it may take a new Job over first.
        """
        timeline = self.world.timeline
        ended = states.nobody_marked(self.world.namespace)
        until = timeline.now() + self.world.claims.budgets.seconds("quiet")
        news = True
        while news:
            changes = timeline.changes()
            news = not ended.holds(timeline.view()) and timeline.wait(seen=changes, until=until)

    def settle(self) -> None:
        """The implementation has gone on to decide since a setting was changed.

        While the job extension is held no Job can show it; the step that follows has to.
        """
        if self.extension_held:
            return
        alias = f"{FENCE}{self.fences + 1}"
        window = self.fence()
        self.never(self.let_in(alias), window=window)
        self.world.api.delete(
            self.world.resource("Job"),
            alias,
            namespace=self.world.namespace,
            propagation="Background",
        )

    def make_quota(self, alias: str, *, cpu: str, settings: Mapping[str, str], policy: str) -> None:
        """A quota with min and max of so many cpu; returns when its Queue is there."""
        self.apply_quota(
            alias,
            {
                "metadata": {
                    "labels": {POLICY_LABEL: policy},
                    "annotations": dict(settings),
                },
                "spec": {"min": {"cpu": cpu}, "max": {"cpu": cpu}},
            },
        )

    def apply_quota(self, alias: str, body: KubeObject) -> None:
        """Creates the quota under its real name, and waits for the Queue with its settings."""
        self.quota = alias
        resource = self.world.resource("ElasticQuota")
        metadata = {**body["metadata"], "name": self.world.name(alias)}
        self.world.create(
            resource,
            {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                **body,
                "metadata": metadata,
            },
        )
        self._await_settings(alias, metadata.get("annotations") or {})

    def set_quota(self, alias: str, patch: KubeObject) -> None:
        """Changes the quota; returns when its Queue carries the annotations in the patch."""
        self.act()
        self.world.api.patch(
            self.world.resource("ElasticQuota"),
            self.world.name(alias),
            patch,
            namespace=self.world.namespace,
        )
        self._await_settings(alias, (patch.get("metadata") or {}).get("annotations") or {})

    def _await_settings(self, alias: str, annotations: Mapping[str, str]) -> None:
        queue = self.queue(alias)

        def carries(found: KubeObject | None) -> bool:
            has = ((found or {}).get("metadata") or {}).get("annotations") or {}
            return found is not None and annotations.items() <= has.items()

        self.eventually(
            State(
                queue,
                f"{queue.label} carries the quota's settings",
                carries,
                ("metadata.annotations",),
            ),
            within="create",
        )

    def outlast_equals(self, priority: int) -> None:
        """A Job submitted from now on is created later than those of its priority, to be seen."""
        if priority in self.created:
            left = self.created[priority] + CREATION_SECONDS - self.world.timeline.now()
            self.world.timeline.sleep(left)

    def submit(self, alias: str, *, priority: int, ask: Ask, suspend: bool = True) -> None:
        """Creates a Job for the quota made last."""
        self.asks[alias] = ask
        self.world.create(
            self.world.resource("Job"),
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {
                    "name": alias,
                    "labels": {QUOTA_LABEL: self.world.name(self.quota)},
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
        self.created[priority] = self.world.timeline.now()

    def _pod(self, alias: str, priority: int, ask: Ask) -> KubeObject:
        return {
            "priorityClassName": self.world.priority_class(priority),
            "nodeSelector": self.world.slot_selector(alias),
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
        self.eventually(self.admitted(alias), within="admit")
        self.eventually(states.unbound(self.job(alias), self.asks[alias].pods), within="create")

    def run_pods(self, alias: str, number: int) -> None:
        """So many pods of the Job are bound and started, and the unit's status says so."""
        slot = self.world.slot(alias)
        self.world.nodes.open_slot(slot, pods=number)
        self.world.nodes.run(slot)
        job = self.job(alias)
        self.eventually(states.running(job, number), within="create")
        self.running_pods[alias] = frozenset(
            pod["metadata"]["uid"]
            for pod in self.world.timeline.selected(states.pods_of(job))
            if states.is_running(pod)
        )

    def await_running_reported(self, alias: str, number: int) -> None:
        """The unit's status counts so many running replicas: the implementation knows them."""
        unit = self.unit(alias)
        self.eventually(
            states.of_unit(
                unit,
                f"reported with {number} running",
                lambda found: (
                    sum(int(entry.get("running") or 0) for entry in states.admissions(found))
                    == number
                ),
            ),
            within="create",
        )

    def finish_pods(self, alias: str) -> None:
        """The running pods of the Job succeed, and the Job is complete."""
        self.world.nodes.finish(self.world.slot(alias), succeeded=self.asks[alias].pods)
        self.eventually(states.complete(self.job(alias)), within="create")

    def _failed(self, alias: str) -> str | None:
        found = self.world.timeline.latest(self.job(alias))
        if states.job_condition(found, "Failed"):
            return f'the Job "{alias}" has failed'
        return None


@pytest.fixture
def story(world: World) -> Story:
    """The memory of this scenario."""
    return Story(world, acted=world.timeline.position())
