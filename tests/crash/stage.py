"""The reference behind the proxy, and examples played on it, with a crash at a write of choice.

Both components are one process: they die at the same moment, and are started again once. What is
compared is the end: of two runs with the same acts, one of them with a crash.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.shell.kinds import ELASTIC_QUOTAS, QUEUE_UNITS, QUEUES
from queuecheck.cluster import SLOT_LABEL, LocalCluster
from queuecheck.faults import FaultProxy, Halt, Request, Rule, Target
from queuecheck.implementation.descriptor import parse_descriptor
from queuecheck.implementation.processes import ProcessImplementation
from queuecheck.kube import (
    Api,
    Interrupted,
    KubeObject,
    Listed,
    ListWatch,
    NotFound,
    Resource,
)
from queuecheck.kube.resource import EVENTS, JOBS, NAMESPACES, PODS, PRIORITY_CLASSES
from tests.fault_server import PATIENCE

QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
GATE = "koord-queue/wait-for-pods-running"
PREEMPTION = "koord-queue/enable-queueunit-preemption"
ON = {GATE: "true", PREEMPTION: "true"}
QUEUE_NAMESPACE = "koord-queue"
KINDS = (QUEUE_UNITS, JOBS, PODS, EVENTS)
COMMAND = [
    *("{python}", "-m", "controller", "--component=all", "--no-leader-elect", "--v=3"),
    *("--kubeconfig={kubeconfig}", "--metrics-bind-address={metrics_address}"),
]
End = dict[str, dict[Any, Any]]


@dataclass(frozen=True)
class Example:
    """What is done up to the first moment in which a crash may come, and from there on.

    ``ends`` tells from the objects whether nothing more will happen.
    """

    name: str
    before: Callable[[Scene], None]
    act: Callable[[Scene], None]
    ended: Callable[[End], bool]


@dataclass(frozen=True)
class Run:
    """One run: its end, the writes from the act on, and whether there was a crash."""

    end: End
    writes: tuple[Request, ...]
    crashed: bool


@dataclass
class Scene:
    """The objects of one run, as they are, in a namespace of its own."""

    api: Api
    cluster: LocalCluster
    namespace: str
    _objects: dict[tuple[str, str], KubeObject] = field(default_factory=dict)
    _news: threading.Condition = field(default_factory=threading.Condition)

    def quota(self, *, cpu: int, annotations: dict[str, str]) -> None:
        """The run's quota, named after its namespace; returns when its Queue is there."""
        limits = {"cpu": str(cpu)}
        body = {
            "metadata": {"name": self.namespace, "annotations": annotations},
            "spec": {"min": limits, "max": limits},
        }
        self._create(ELASTIC_QUOTAS, body)

    def annotate(self, annotations: dict[str, str]) -> None:
        self.api.patch(
            ELASTIC_QUOTAS,
            self.namespace,
            {"metadata": {"annotations": annotations}},
            namespace=self.namespace,
        )

    def submit(self, name: str, *, priority: int, cpu: int, pods: int = 1) -> None:
        pod = {
            "priorityClassName": f"crash-{priority}",
            "nodeSelector": {SLOT_LABEL: f"{self.namespace}-{name}"},
            "restartPolicy": "Never",
            "containers": [
                {"name": "main", "image": "none", "resources": {"requests": {"cpu": str(cpu)}}}
            ],
        }
        body = {
            "metadata": {"name": name, "labels": {QUOTA_LABEL: self.namespace}},
            "spec": {
                "suspend": True,
                "parallelism": pods,
                "completions": pods,
                "backoffLimit": 0,
                "template": {"spec": pod},
            },
        }
        self._create(JOBS, body)

    def run_pods(self, name: str, number: int) -> None:
        slot = f"{self.namespace}-{name}"
        self.cluster.nodes.open_slot(slot, pods=number)
        self.cluster.nodes.run(slot)
        self.until(lambda: sum(entry["running"] for entry in self.admissions(name)) == number)

    def admissions(self, name: str) -> list[KubeObject]:
        status = self.latest(QUEUE_UNITS, name).get("status") or {}
        return [{"replicas": 0, "running": 0, **entry} for entry in status.get("admissions") or ()]

    def admitted(self, name: str, replicas: int) -> None:
        """Returns when the unit holds so much and so many pods are there."""

        def so() -> bool:
            held = sum(int(entry["replicas"]) for entry in self.admissions(name))
            return held == replicas and self.end()["pods"].get(name, 0) == replicas

        self.until(so)

    def _create(self, resource: Resource, body: KubeObject) -> None:
        typed = {"apiVersion": resource.api_version, "kind": resource.kind, **body}
        self.api.create(resource, typed, namespace=self.namespace)

    def latest(self, resource: Resource, name: str) -> KubeObject:
        return self._objects.get((resource.kind, name), {})

    def end(self) -> End:
        """How things stand as far as the watches have told, of which one may be behind another."""
        return end_of(list(self._objects.values()))

    def whole_end(self) -> End:
        """How things stand on the server."""
        return end_of(
            found for each in KINDS for found in self.api.list(each, namespace=self.namespace).items
        )

    def until(self, condition: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(condition, PATIENCE), self.end()

    @contextmanager
    def watched(self) -> Iterator[None]:
        watches = [ListWatch(self.api, each, namespace=self.namespace) for each in KINDS]
        threads = [
            threading.Thread(target=self._follow, args=(watch,), daemon=True) for watch in watches
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for watch in watches:
                watch.stop()
            for thread in threads:
                thread.join(PATIENCE)

    def _follow(self, watch: ListWatch) -> None:
        for item in watch:
            assert not isinstance(item, Interrupted), item
            with self._news:
                changes = (
                    [("ADDED", each) for each in item.objects]
                    if isinstance(item, Listed)
                    else [(item.verb, item.object)]
                )
                for verb, found in changes:
                    key = (watch.resource.kind, found["metadata"]["name"])
                    if verb == "DELETED":
                        self._objects.pop(key, None)
                    else:
                        self._objects[key] = found
                self._news.notify_all()


def end_of(objects: Iterable[KubeObject]) -> End:
    """What two runs have to have in common, once nothing more happens."""
    units: dict[str, Any] = {}
    jobs: dict[str, Any] = {}
    pods: dict[str, int] = {}
    events: dict[tuple[str, str], int] = {}
    for found in objects:
        kind, name = found["kind"], found["metadata"]["name"]
        if kind == QUEUE_UNITS.kind:
            status = found.get("status") or {}
            entries = status.get("admissions") or ()
            held = [
                (entry["name"], entry.get("replicas", 0), entry.get("running", 0))
                for entry in entries
                if entry.get("replicas", 0)
            ]
            marked = any("reclaimState" in entry for entry in entries)
            units[name] = (status.get("phase"), held, marked)
        elif kind == JOBS.kind:
            spec = found["spec"]
            jobs[name] = (spec.get("suspend", False), spec["parallelism"])
        elif kind == PODS.kind and "deletionTimestamp" not in found["metadata"]:
            owner = found["metadata"]["ownerReferences"][0]["name"]
            pods[owner] = pods.get(owner, 0) + 1
        elif kind == EVENTS.kind and found["reason"] in {"Preempted", "Reclaimed"}:
            key = (found["involvedObject"]["name"], found["reason"])
            events[key] = events.get(key, 0) + max(1, int(found.get("count") or 1))
    return {"units": units, "jobs": jobs, "pods": pods, "events": events}


class Stage:
    """One process of the reference for all runs, reached and ended through one proxy."""

    def __init__(self, cluster: LocalCluster, api: Api, directory: Path) -> None:
        self._cluster = cluster
        self._api = api
        self._numbers = itertools.count(1)
        self.proxy = FaultProxy(cluster.kubeconfig, certificate=cluster.serving_certificate)
        described = parse_descriptor(
            {
                "name": "reference",
                "version": "0",
                "profile": "koord-queue",
                "features": [],
                "processes": [
                    {"component": "all", "command": COMMAND, "ready": {"path": "/readyz"}}
                ],
            }
        )
        self.controller = ProcessImplementation(described, cluster, directory=directory)
        for priority in (1, 2, 100):
            body = {"metadata": {"name": f"crash-{priority}"}, "value": priority}
            api.create(PRIORITY_CLASSES, body)

        self.proxy.start()

    def start(self) -> None:
        self.controller.reroute(self.proxy.url)
        self.controller.start()

    def stop(self) -> None:
        self.controller.stop()
        self.proxy.stop()

    def play(self, example: Example, halt: Rule | None = None) -> Run:
        """Plays it from the start to its end, with a crash where the rule halts the world."""
        scene = Scene(self._api, self._cluster, f"crash-{next(self._numbers)}")
        self._api.create(NAMESPACES, {"metadata": {"name": scene.namespace}})
        with scene.watched():
            try:
                example.before(scene)
                self.proxy.forget()
                if halt is not None:
                    self.proxy.add(halt)
                with self._crash_when_halted():
                    example.act(scene)
                    scene.until(lambda: example.ended(scene.end()))
                    writes = self.proxy.writes
                    self.proxy.forget()
                    # Whatever was still to be decided comes before what is submitted now.
                    scene.submit("fence", priority=1, cpu=1_000_000)
                    scene.until(
                        lambda: "message" in scene.latest(QUEUE_UNITS, "fence").get("status", {})
                    )
                end = scene.whole_end()
            finally:
                self._take_away(scene)
        for part in ("units", "jobs"):
            end[part].pop("fence")
        return Run(end, writes, crashed=halt is not None and bool(halt.hits))

    @contextmanager
    def _crash_when_halted(self) -> Iterator[None]:
        over = threading.Event()

        def undertake() -> None:
            while not over.is_set():
                if self.proxy.await_halt(0.01):
                    self.controller.kill()
                    self.proxy.forget()
                    self.controller.start()

        thread = threading.Thread(target=undertake, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(PATIENCE)

    def _take_away(self, scene: Scene) -> None:
        """Returns when the controller has nothing of it left, and nothing to do about it."""
        self.proxy.forget()
        self.controller.start()
        for job in self._api.list(JOBS, namespace=scene.namespace).items:
            name = job["metadata"]["name"]
            self._api.delete(JOBS, name, namespace=scene.namespace, propagation="Background")
        scene.until(lambda: not scene.end()["units"] and not scene.end()["pods"])
        with suppress(NotFound):
            self._api.delete(ELASTIC_QUOTAS, scene.namespace, namespace=scene.namespace)
        self._cluster.nodes.reset()
        left = ListWatch(
            self._api,
            QUEUES,
            namespace=QUEUE_NAMESPACE,
            field_selector=f"metadata.name={scene.namespace}",
        )
        timer = threading.Timer(PATIENCE, left.stop)
        timer.start()
        for item in left:
            gone = not item.objects if isinstance(item, Listed) else "DELETED" in str(item)
            if gone:
                left.stop()
        timer.cancel()


@dataclass(frozen=True)
class Point:
    """The ``nth`` write of its sort, counted from the act on; objects named by a run are one."""

    write: Request
    nth: int
    passed_on: bool

    def rule(self) -> Rule:
        """Halts the world there."""
        return Rule(self._target(), Halt(passed_on=self.passed_on), first=self.nth)

    def _target(self) -> Target:
        write = self.write
        name = "" if write.plural in {QUEUES.plural, EVENTS.plural} else write.name
        return Target("write", write.plural, name, write.subresource, write.method)

    def __str__(self) -> str:
        return f"{self.write.method} {self._target().plural}/{self._target().name} no. {self.nth}"


def points(writes: Sequence[Request], *, passed_on: bool) -> Iterator[Point]:
    """Every one of these writes, told by its sort and not by its place among all of them.

    Two components write side by side: which of them comes first differs from run to run.
    """
    seen: Counter[Target] = Counter()
    for write in writes:
        target = Point(write, 1, passed_on)._target()
        seen[target] += 1
        yield Point(write, seen[target], passed_on)
