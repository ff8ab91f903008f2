"""Jobs of a scenario: submitted, admitted, run and finished."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from queuecheck.kube import KubeObject
from queuecheck.timeline import Condition, HarnessError, all_of, exists, negate
from steps.states import jobs, pods, units
from steps.story.settings import QUOTA_LABEL
from steps.story.usual import Ask, laid_over, pods_at_once, usual_job

if TYPE_CHECKING:
    from steps.story.memory import Story

# Creation times have whole seconds: two of them so far apart differ.
CREATION_SECONDS = 1.1
# In place of a quota's name: the Job gets no quota label.
NO_QUOTA = ""
WITNESS = "witness-"


class Jobs:
    """What steps do with Jobs.

    ``asks``: what each asks for; ``running``: UIDs of its pods; ``failing``: those of which a pod
    was made to fail; ``created``: each as the API server made it; ``latest``: the one submitted
    last for a queue, "" if there is none; ``runtime_classes``: the real names of those that the
    scenario has made.
    """

    def __init__(self, story: Story) -> None:
        self._story = story
        self.asks: dict[str, Ask] = {}
        self.running: dict[str, frozenset[str]] = {}
        self.failing: set[str] = set()
        self.created: dict[str, KubeObject] = {}
        self.latest = ""
        self.runtime_classes: dict[str, str] = {}
        self._created: dict[int, float] = {}
        self._youngest: dict[int, str] = {}
        self._bodies: dict[str, KubeObject] = {}
        self._elsewhere: dict[str, str] = {}
        self._witnesses = 0

    def namespace(self, alias: str) -> str:
        """Where the Job is: in the scenario's namespace, unless it was put elsewhere."""
        return self._elsewhere.get(alias, self._story.world.namespace)

    def put_elsewhere(self, alias: str) -> None:
        """The Job of that name will be submitted in a namespace of its own."""
        self._elsewhere[alias] = self._story.world.add_namespace()

    def outlast_equals(self, priority: int | None) -> None:
        """What is submitted from now on is created later than all of its priority, to be seen.

        Later than their units, too: an implementation may go by the one or by the other.
        """
        value = priority or 0
        if value not in self._created:
            return
        moment, alias = self._created[value], self._youngest[value]
        if alias and not self._story.extension_held:
            unit = exists(self._story.unit(alias))
            seen = self._story.eventually(unit, within="create", since=self._story.beginning)
            moment = max(moment, seen.at)
        self.outlast(moment)

    def outlast(self, moment: float) -> None:
        """What is created from now on is later than that moment, also in whole seconds."""
        left = moment + CREATION_SECONDS - self._story.world.timeline.now()
        self._story.world.timeline.sleep(left)

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
        said: Mapping[str, Any] | None = None,
    ) -> KubeObject:
        """Creates a Job for the quota of that alias, or for the one made last.

        Without a priority it names no class. What is ``said`` is laid over the usual Job.
        """
        quota = self._story.quotas.latest if quota is None else quota
        world = self._story.world
        body = usual_job(
            alias,
            labels={} if quota == NO_QUOTA else {QUOTA_LABEL: self._story.quotas.name(quota)},
            ask=ask,
            suspend=suspend,
            priority_class=None if priority is None else world.priority_class(priority),
        )
        if said is not None:
            body = laid_over(body, said)
        template = body["spec"]["template"]
        pod = template["spec"] = world.placed(template["spec"], alias)
        if pod.get("runtimeClassName") in self.runtime_classes:
            pod["runtimeClassName"] = self.runtime_classes[pod["runtimeClassName"]]
        self.asks[alias] = Ask(pods_at_once(body), ask.cpu)
        self._bodies[alias] = body
        created = self._create(alias)
        self.latest = alias if body["spec"].get("suspend") and quota != NO_QUOTA else ""
        self.note_creation(priority, alias if suspend else "")
        return created

    def recreate(self, alias: str) -> None:
        """Creates a Job that was deleted, as it was submitted. What follows begins there."""
        uid = self._create(alias)["metadata"]["uid"]
        seen = self._story.eventually(jobs.of_uid(self._story.job(alias), uid), within="create")
        self._story.acted = seen.position

    def delete(self, alias: str) -> None:
        """Deletes the Job; what it owns goes after it."""
        if alias == self.latest:
            self.latest = ""
        self._story.world.api.delete(
            self._story.world.resource("Job"),
            alias,
            namespace=self.namespace(alias),
            propagation="Background",
        )

    def change(self, alias: str, patch: KubeObject) -> None:
        """Changes the Job, as its user may."""
        changed = self._story.world.api.patch(
            self._story.world.resource("Job"),
            alias,
            patch,
            namespace=self.namespace(alias),
        )
        self.asks[alias] = Ask(pods_at_once(changed), self.asks[alias].cpu)

    def switch(self, alias: str, *, suspend: bool) -> None:
        """Suspends or resumes the Job by hand. What follows begins when that is seen."""
        self._story.act()
        self.change(alias, {"spec": {"suspend": suspend}})
        job = self._story.job(alias)
        switched = jobs.suspended(job) if suspend else jobs.resumed(job)
        seen = self._story.eventually(switched, within="create", since=self._story.acted)
        self._story.acted = seen.position

    def await_job_controller(self) -> None:
        """What the Job controller had to do so far it has done, as far as Jobs can show it.

        It takes Jobs up in their turn, several at a time: when a later one has its pod, all was
        begun, and when another one has, that was not made before, there was the time to do it.
        """
        for _ in range(2):
            self._witnesses += 1
            alias = f"{WITNESS}{self._witnesses}"
            self.submit(alias, priority=0, ask=Ask(1, "1"), suspend=False)
            self._story.eventually(pods.existing(self._story.job(alias)), within="create")

    def _create(self, alias: str) -> KubeObject:
        resource = self._story.world.resource("Job")
        self.created[alias] = self._story.world.create(
            resource, self._bodies[alias], namespace=self.namespace(alias)
        )
        return self.created[alias]

    def note_creation(self, priority: int | None, alias: str = "") -> None:
        """Something of that priority has just been created; of a Job that gets a unit, its name."""
        self._created[priority or 0] = self._story.world.timeline.now()
        self._youngest[priority or 0] = alias

    def await_waiting(self, *aliases: str) -> None:
        """The units wait, and the implementation has had the time to say so.

        It need not say anything where nobody looks at a unit: behind a closed gate, or behind
        another one under a policy that stops there.
        """
        subjects = [self._story.unit(alias) for alias in aliases]
        for unit in subjects:
            self._story.eventually(units.waits(unit), within="create")
        self._story.give_time(all_of(*(units.refused(unit) for unit in subjects)))

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

    def finish_pods(self, alias: str) -> None:
        """The running pods of the Job succeed, and the Job is complete.

        The job extension has had the time to give back what it held, so that what is submitted
        from now on comes after that.
        """
        self._story.world.nodes.finish(
            self._story.world.slot(alias), succeeded=self.asks[alias].pods
        )
        self._story.eventually(jobs.complete(self._story.job(alias)), within="create")
        if not self._story.extension_held:
            held = units.holds_anything(self._story.unit(alias))
            self._story.give_time(negate(held, sentence=f"not: {held.sentence}"))

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
