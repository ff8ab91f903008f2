"""A cluster in a dictionary: both components, a Job controller, and a clock that only tests move.

It hands every result back to both ledgers, as the shell does with its own writes. What the Job
controller and the scheduler do is called step by step, so a test decides what happens between two
steps.
"""

import copy
from collections.abc import Callable
from typing import Any

from controller.core import JobLedger, QueueLedger
from controller.core.decisions import (
    CountAttempt,
    Create,
    Decision,
    Delete,
    EmitEvent,
    Kind,
    Log,
    Preempt,
    Write,
)
from tests.core.objects import Objects, Raw, is_done

QUEUES = "koord-queue"
GATE = "koord-queue/wait-for-pods-running"
PREEMPTION = "koord-queue/enable-queueunit-preemption"
BOTH = {GATE: "true", PREEMPTION: "true"}
# What the controllers say of a unit that waits, and of one that is marked.
NO_MORE = "no more queueUnit allowed to schedule in this queue"
MARKED = "Waiting job extension to reclaim resources."


class Crash(Exception):
    """Both components are gone, in the middle of what they were doing."""


class World(Objects):
    """Objects, and what the components make of them."""

    def __init__(self, *, protection: float = 0.0) -> None:
        super().__init__()
        self.protection = protection
        self.events: list[EmitEvent] = []
        self.attempts: list[CountAttempt] = []
        self.logs: list[Log] = []
        self.writes: list[Write | Create | Delete] = []
        self.wake_at: dict[str, float] = {}
        self.queue_runs = True
        self.extension_runs = True
        self.before_write: Callable[[Write], None] | None = None
        self.actions = 0
        self.crash_at: int | None = None
        self.restart()

    def restart(self) -> None:
        """Both components anew, fed with a list of everything."""
        self.queues = QueueLedger(namespace=QUEUES, protection=self.protection)
        self.jobs = JobLedger()
        self._dirty_queues: dict[str, None] = {}
        self._dirty_jobs: dict[tuple[str, str], None] = {}
        for (kind, _, _), raw in self.objects.items():
            self.feed(kind, raw, deleted=False)

    def reasons(self, name: str) -> list[str]:
        """The reasons of the events on a unit, in the order they came."""
        return [event.reason for event in self.events if event.target.name == name]

    def job_controller(self) -> None:
        """Make and remove pods, count finished ones, report suspensions and completions."""
        for (kind, namespace, name), raw in list(self.objects.items()):
            if kind is Kind.JOB and not _condition(raw, "Complete"):
                self._sync_job(namespace, name, raw)

    def settle(self, *, jobs: bool = True, rounds: int = 200) -> int:
        """Run everything until nothing is left to do; returns the number of writes it took.

        ``jobs`` False: the Job controller stands still. Fails if there is no end to it.
        """
        before = len(self.writes)
        for _ in range(rounds):
            seen = len(self.writes)
            while self.step():
                assert len(self.writes) - before < 10_000, "no end of writes"
            if jobs:
                self.job_controller()
            if len(self.writes) == seen and not self._busy():
                return len(self.writes) - before
        raise AssertionError("the world does not come to rest")

    def step(self) -> bool:
        """Let each component that runs deal with one key; False if there was none."""
        busy = False
        if self.queue_runs and self._dirty_queues:
            self.pass_over(self._take(self._dirty_queues))
            busy = True
        if self.extension_runs and self._dirty_jobs:
            self.reconcile(self._take(self._dirty_jobs))
            busy = True
        return busy

    def pass_over(self, queue: str) -> None:
        """One whole pass of a queue."""
        cursor = None
        self.wake_at.pop(queue, None)
        while True:
            self._tick()
            plan = self.queues.plan(queue, self.now, cursor)
            self.carry_out(plan.decisions)
            if plan.cursor is None:
                break
            cursor = plan.cursor
        if plan.wake_at is not None:
            self.wake_at[queue] = plan.wake_at

    def reconcile(self, key: tuple[str, str]) -> None:
        """One reconciliation of a Job."""
        self._tick()
        plan = self.jobs.reconcile(key, self.now)
        if plan.look_up:
            self.carry_out(plan.decisions)
            for target in plan.look_up:
                found = self.objects.get((target.kind, target.namespace, target.name))
                if found is not None:
                    self.jobs.apply(target.kind, found, deleted=False)
            plan = self.jobs.reconcile(key, self.now)
        if plan.needs_live_pods:
            self.carry_out(plan.decisions)
            live = self.pods(key[1])
            plan = self.jobs.reconcile(key, self.now, live)
        self.carry_out(plan.decisions)

    def carry_out(self, decisions: tuple[Decision, ...]) -> None:
        """What the shell does with decisions."""
        for decision in decisions:
            if not isinstance(decision, Log | Preempt):
                self.actions += 1
                if self.actions == self.crash_at:
                    raise Crash
            match decision:
                case Write():
                    if self._write(decision):
                        self.carry_out(decision.then)
                case Create():
                    self._create(decision)
                case Delete():
                    self._delete(decision)
                case EmitEvent():
                    self._emit(decision)
                case CountAttempt():
                    self.attempts.append(decision)
                case Log():
                    self.logs.append(decision)
                case Preempt():
                    self._preempt(decision)

    def _preempt(self, decision: Preempt) -> None:
        done = [self._write(write) for write in decision.marks]
        for marked, after in zip(done, decision.marked, strict=True):
            if marked:
                self.carry_out(after)
        self.carry_out(decision.succeeded if any(done) else decision.failed)

    def _write(self, decision: Write) -> bool:
        if self.before_write:
            self.before_write(decision)
        target = decision.target
        raw = self.objects.get((target.kind, target.namespace, target.name))
        if raw is None or target.uid not in {"", raw["metadata"]["uid"]}:
            return False
        patch = decision.change(copy.deepcopy(raw))
        if patch is None:
            return False
        allowed = {"status"} if decision.subresource else {"spec", "metadata"}
        assert patch.keys() <= allowed, f"{patch.keys()} in a write of {decision.subresource}"
        self.writes.append(decision)
        self.patch(target.kind, target.namespace, target.name, patch)
        return True

    def _create(self, decision: Create) -> None:
        target = decision.target
        if (target.kind, target.namespace, target.name) not in self.objects:
            self.writes.append(decision)
            self.put(target.kind, decision.body)

    def _delete(self, decision: Delete) -> None:
        target = decision.target
        self.writes.append(decision)
        self.delete(target.kind, target.namespace, target.name)

    def _emit(self, event: EmitEvent) -> None:
        if event.once is None or all(known.once != event.once for known in self.events):
            self.events.append(event)

    def _sync_job(self, namespace: str, name: str, raw: Raw) -> None:
        pods = self.pods(name)
        finished = [pod for pod in pods if is_done(pod)]
        live = [pod for pod in pods if not is_done(pod)]
        spec, status = raw["spec"], copy.deepcopy(raw.get("status", {}))
        status["succeeded"] = len(finished)
        for pod in finished:
            if pod["metadata"].get("finalizers"):
                gone = {"metadata": {"finalizers": None}}
                self.patch(Kind.POD, namespace, pod["metadata"]["name"], gone)
        wanted = 0 if spec["suspend"] else spec["parallelism"]
        if spec["completions"] is not None:
            wanted = min(wanted, spec["completions"] - len(finished))
        elif finished:
            wanted = len(live)
        live.sort(key=lambda pod: not pod["spec"].get("nodeName"))
        for pod in live[max(wanted, 0) :]:
            self.delete(Kind.POD, namespace, pod["metadata"]["name"])
        for number in range(len(live), wanted):
            self._make_pod(raw, number)
        conditions = [{"type": "Suspended", "status": str(bool(spec["suspend"]))}]
        if spec["completions"] is not None and len(finished) >= spec["completions"]:
            conditions.append({"type": "Complete", "status": "True"})
        if status != raw.get("status") or conditions != raw.get("status", {}).get("conditions"):
            status["conditions"] = conditions
            if status != raw.get("status"):
                self.patch(Kind.JOB, namespace, name, {"status": status})

    def _make_pod(self, job: Raw, number: int) -> None:
        meta = job["metadata"]
        owner = {"kind": "Job", "name": meta["name"], "uid": meta["uid"], "controller": True}
        self.put(
            Kind.POD,
            {
                "metadata": {
                    "name": f"{meta['name']}-{self.made:04}-{number}",
                    "ownerReferences": [owner],
                    "finalizers": ["batch.kubernetes.io/job-tracking"],
                },
                "spec": {},
                "status": {"phase": "Pending"},
            },
        )

    def feed(self, kind: Kind, raw: Raw, *, deleted: bool) -> None:
        """Both ledgers take it in."""
        if kind in self.queues.kinds:
            for queue in sorted(self.queues.apply(kind, raw, deleted=deleted)):
                self._dirty_queues[queue] = None
        if kind in self.jobs.kinds:
            for key in sorted(self.jobs.apply(kind, raw, deleted=deleted)):
                self._dirty_jobs[key] = None

    def _busy(self) -> bool:
        queues = self.queue_runs and self._dirty_queues
        return bool(queues or (self.extension_runs and self._dirty_jobs))

    def _tick(self) -> None:
        self.now += 0.001

    @staticmethod
    def _take(dirty: dict[Any, None]) -> Any:
        key = next(iter(dirty))
        del dirty[key]
        return key


def admitted(*, parallelism: int = 1, **spec: Any) -> World:
    """A world with the Job ``job``, which has all that the quota ``team`` has."""
    world = World()
    world.quota(cpu=2 * parallelism)
    world.job("job", parallelism=parallelism, **spec)
    world.settle()
    assert world.held("job") == parallelism
    return world


def _condition(raw: Raw, kind: str) -> bool:
    conditions = raw.get("status", {}).get("conditions", [])
    return any(item["type"] == kind and item["status"] == "True" for item in conditions)
