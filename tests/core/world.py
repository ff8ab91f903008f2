"""A cluster in a dictionary: both components, a Job controller, and a clock that only tests move.

It is no API server: it keeps what it is given, applies merge patches, and hands every result back
to both ledgers, as the shell does with its own writes. What the Job controller and the scheduler do
is called step by step, so a test decides what happens between two steps.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
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
    Ref,
    Write,
)
from controller.core.instants import to_text

START = 1_800_000_000.0
QUEUES = "koord-queue"
QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
GATE = "koord-queue/wait-for-pods-running"
PREEMPTION = "koord-queue/enable-queueunit-preemption"
BOTH = {GATE: "true", PREEMPTION: "true"}

Raw = dict[str, Any]
Name = tuple[Kind, str, str]


class Crash(Exception):
    """Both components are gone, in the middle of what they were doing."""


class World:
    """Objects, and what the components make of them."""

    def __init__(self, *, protection: float = 0.0) -> None:
        self.now = START
        self.protection = protection
        self.objects: dict[Name, Raw] = {}
        self.events: list[EmitEvent] = []
        self.attempts: list[CountAttempt] = []
        self.logs: list[Log] = []
        self.writes: list[Write | Create | Delete] = []
        self.history: list[tuple[str, Raw]] = []
        self.wake_at: dict[str, float] = {}
        self.queue_runs = True
        self.extension_runs = True
        self.before_write: Callable[[Write], None] | None = None
        self.actions = 0
        self.crash_at: int | None = None
        self._uids = 0
        self.restart()

    def restart(self) -> None:
        """Both components anew, fed with a list of everything."""
        self.queues = QueueLedger(namespace=QUEUES, protection=self.protection)
        self.jobs = JobLedger()
        self._dirty_queues: dict[str, None] = {}
        self._dirty_jobs: dict[tuple[str, str], None] = {}
        for (kind, _, _), raw in self.objects.items():
            self._feed(kind, raw, deleted=False)

    # Objects

    def put(self, kind: Kind, raw: Raw, *, moment: float | None = None) -> Raw:
        """Create or replace an object; UID and creation time are given to a new one."""
        raw = copy.deepcopy(raw)
        meta = raw["metadata"]
        meta.setdefault("namespace", "default")
        name = (kind, meta["namespace"], meta["name"])
        if name not in self.objects:
            self._uids += 1
            meta.setdefault("uid", f"uid-{self._uids:04}")
            created = self.now if moment is None else moment
            meta.setdefault("creationTimestamp", to_text(created)[:19] + "Z")
        self.objects[name] = raw
        if kind is Kind.UNIT:
            self.history.append((meta["name"], copy.deepcopy(raw)))
        self._feed(kind, raw, deleted=False)
        return raw

    def patch(self, kind: Kind, namespace: str, name: str, patch: Mapping[str, Any]) -> Raw:
        """Merge a patch into an object."""
        raw = copy.deepcopy(self.objects[kind, namespace, name])
        _merge(raw, patch)
        return self.put(kind, raw)

    def delete(
        self, kind: Kind, namespace: str, name: str, *, later: frozenset[Kind] = frozenset()
    ) -> None:
        """Delete an object, and what it owns; of the kinds ``later`` nothing yet."""
        raw = self.objects.pop((kind, namespace, name))
        self._feed(kind, raw, deleted=True)
        uid = raw["metadata"]["uid"]
        for (owned, space, other), item in list(self.objects.items()):
            owners = item["metadata"].get("ownerReferences", [])
            if owned not in later and any(owner["uid"] == uid for owner in owners):
                self.delete(owned, space, other)

    def orphan(self, job: str) -> None:
        """Delete a Job and leave what it owns behind, as ``--cascade=orphan`` does."""
        uid = self.objects[Kind.JOB, "default", job]["metadata"]["uid"]
        for (kind, space, name), item in list(self.objects.items()):
            owners = item["metadata"].get("ownerReferences", [])
            if any(owner["uid"] == uid for owner in owners):
                self.patch(kind, space, name, {"metadata": {"ownerReferences": None}})
        self.delete(Kind.JOB, "default", job)

    def quota(self, name: str = "team", **fields: Any) -> Raw:
        """A quota; ``cpu`` is its max, ``annotations``, ``policy``, ``parent`` as named."""
        labels = {"koord-queue/queue-policy": fields.get("policy", "Priority")}
        if "parent" in fields:
            labels["quota.scheduling.koordinator.sh/parent"] = fields["parent"]
        maximum = fields.get("maximum") or {"cpu": str(fields.get("cpu", 2))}
        return self.put(
            Kind.QUOTA,
            {
                "metadata": {
                    "name": name,
                    "labels": labels,
                    "annotations": fields.get("annotations", {}),
                    **self._kept(Kind.QUOTA, "default", name),
                },
                "spec": {"max": maximum},
            },
        )

    def job(self, name: str, *, priority: int = 0, cpu: object = 2, **spec: Any) -> Raw:
        """A suspended Job of one-container pods; ``spec`` goes into its spec as it stands."""
        self.now += 1
        queue = spec.pop("queue", "team")
        pod = {
            "priority": priority,
            "containers": [{"name": "main", "resources": {"requests": {"cpu": str(cpu)}}}],
        }
        return self.put(
            Kind.JOB,
            {
                "metadata": {"name": name, "labels": {QUOTA_LABEL: queue} if queue else {}},
                "spec": {
                    "suspend": True,
                    "parallelism": 1,
                    "completions": spec.get("parallelism", 1),
                    "template": {"spec": pod},
                    **spec,
                },
                "status": {},
            },
        )

    def hand_made(self, name: str, *, priority: int = 0, cpu: object = 2, **more: Any) -> Raw:
        """A unit without a Job; ``count`` replicas, or ``pod_sets`` as they stand."""
        self.now += 1
        pod_sets = more.get("pod_sets") or [pod_set(cpu=cpu, count=more.get("count", 1))]
        return self.put(
            Kind.UNIT,
            {
                "metadata": {"name": name, "labels": {QUOTA_LABEL: more.get("queue", "team")}},
                "spec": {"priority": priority, "podSet": pod_sets},
                **({"status": more["status"]} if "status" in more else {}),
            },
        )

    def unit(self, name: str) -> Raw:
        """The unit of a name."""
        return self.objects[Kind.UNIT, "default", name]

    def status(self, name: str) -> Raw:
        """Its status."""
        found: Raw = self.unit(name).get("status", {})
        return found

    def held(self, name: str) -> int:
        """How many replicas it holds."""
        return sum(item.get("replicas", 0) for item in self.status(name).get("admissions") or [])

    def mark(self, name: str) -> int:
        """How many of its replicas are marked."""
        entries = self.status(name).get("admissions") or []
        return sum(item.get("reclaimState", {}).get("replicas", 0) for item in entries)

    def message(self, name: str) -> str:
        """Its message."""
        return str(self.status(name).get("message", ""))

    def spec_of(self, job: str) -> Raw:
        """A Job's spec."""
        found: Raw = self.objects[Kind.JOB, "default", job]["spec"]
        return found

    def pods(self, job: str) -> list[Raw]:
        """The pods of a Job, in the order of their names."""
        uid = self.objects[Kind.JOB, "default", job]["metadata"]["uid"]
        return [
            raw
            for (kind, _, _), raw in sorted(self.objects.items(), key=lambda item: item[0][2])
            if kind is Kind.POD
            and raw["metadata"].get("ownerReferences", [{}])[0].get("uid") == uid
        ]

    def reasons(self, name: str) -> list[str]:
        """The reasons of the events on a unit, in the order they came."""
        return [event.reason for event in self.events if event.target.name == name]

    # The rest of the cluster

    def job_controller(self) -> None:
        """Make and remove pods, count finished ones, report suspensions and completions."""
        for (kind, namespace, name), raw in list(self.objects.items()):
            if kind is Kind.JOB and not _condition(raw, "Complete"):
                self._sync_job(namespace, name, raw)

    def bind(self, job: str, count: int = 1) -> None:
        """Bind so many unbound pods of a Job to a node."""
        free = [raw for raw in self.pods(job) if not raw["spec"].get("nodeName")]
        for raw in free[:count]:
            name = raw["metadata"]["name"]
            self.patch(Kind.POD, "default", name, {"spec": {"nodeName": "node"}})

    def succeed(self, job: str, count: int = 1) -> None:
        """Let so many bound pods of a Job succeed."""
        live = [raw for raw in self.pods(job) if raw["spec"].get("nodeName") and not _done(raw)]
        for raw in live[:count]:
            name = raw["metadata"]["name"]
            self.patch(Kind.POD, "default", name, {"status": {"phase": "Succeeded"}})

    # The components

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
        finished = [pod for pod in pods if _done(pod)]
        live = [pod for pod in pods if not _done(pod)]
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
                    "name": f"{meta['name']}-{self._uids:04}-{number}",
                    "ownerReferences": [owner],
                    "finalizers": ["batch.kubernetes.io/job-tracking"],
                },
                "spec": {},
                "status": {"phase": "Pending"},
            },
        )

    def _feed(self, kind: Kind, raw: Raw, *, deleted: bool) -> None:
        if kind in self.queues.kinds:
            for queue in sorted(self.queues.apply(kind, raw, deleted=deleted)):
                self._dirty_queues[queue] = None
        if kind in self.jobs.kinds:
            for key in sorted(self.jobs.apply(kind, raw, deleted=deleted)):
                self._dirty_jobs[key] = None

    def _busy(self) -> bool:
        queues = self.queue_runs and self._dirty_queues
        return bool(queues or (self.extension_runs and self._dirty_jobs))

    def _kept(self, kind: Kind, namespace: str, name: str) -> Raw:
        found = self.objects.get((kind, namespace, name))
        if found is None:
            return {}
        meta = found["metadata"]
        return {"uid": meta["uid"], "creationTimestamp": meta["creationTimestamp"]}

    def _tick(self) -> None:
        self.now += 0.001

    @staticmethod
    def _take(dirty: dict[Any, None]) -> Any:
        key = next(iter(dirty))
        del dirty[key]
        return key


def pod_set(name: str = "main", *, cpu: object = 2, count: int = 1) -> Raw:
    """A podSet of one-container pods."""
    container = {"name": "main", "resources": {"requests": {"cpu": str(cpu)}}}
    return {"name": name, "count": count, "template": {"spec": {"containers": [container]}}}


def ref(raw: Raw, kind: Kind) -> Ref:
    """The reference of an object."""
    meta = raw["metadata"]
    return Ref(kind, meta["namespace"], meta["name"], meta["uid"])


def all_events(world: World) -> Iterator[tuple[str, str]]:
    """Unit and reason of every event."""
    return ((event.target.name, event.reason) for event in world.events)


def _merge(target: Raw, patch: Mapping[str, Any]) -> None:
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, Mapping):
            child = target.get(key)
            if not isinstance(child, dict):
                child = target[key] = {}
            _merge(child, value)
        else:
            target[key] = copy.deepcopy(value)


def _done(pod: Raw) -> bool:
    return pod["status"]["phase"] in {"Succeeded", "Failed"}


def _condition(raw: Raw, kind: str) -> bool:
    conditions = raw.get("status", {}).get("conditions", [])
    return any(item["type"] == kind and item["status"] == "True" for item in conditions)
