"""Faults in quotas, Queues or the Intelligent policy."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from controller.core import QueueLedger, decode, listing, queue_objects
from controller.core.decisions import Create, Delete, Kind, Object
from controller.core.instants import Instant
from controller.core.jobs import counts
from controller.core.jobs.model import Job, Pod
from controller.core.model import Settings, Unit
from controller.core.quantity import Resources, times, total
from controller.core.queueing import Plan
from controller.core.quota_filter import Room
from controller.core.quotas import Chain, Quotas
from controller.core.ranking import Ranking
from controller.core.vocabulary import GATE_ANNOTATION, POLICY_LABEL, PREEMPTION_ANNOTATION
from controller.shell.component import Component
from controller.shell.executor import Executor
from controller.shell.kinds import RESOURCES


def charges_late() -> None:
    """What is admitted is not charged before its pods run."""

    def held(self: Unit) -> Resources:
        running = {} if self.finished else {item.name: item.running for item in self.admissions}
        return total(times(pod_set.cost, running.get(pod_set.name, 0)) for pod_set in self.pod_sets)

    Unit.held = property(held)  # type: ignore[assignment,method-assign]
    Room.taken = lambda self, more: self  # type: ignore[method-assign]  # noqa: ARG005


def knows_no_ancestors() -> None:
    """Only the quota's own max limits."""
    honest = Quotas.chain

    def lie(self: Quotas, name: str) -> Chain:
        return replace(honest(self, name), quotas=honest(self, name).quotas[:1])

    Quotas.chain = lie  # type: ignore[method-assign]


def copies_every_annotation() -> None:
    """Every annotation of the quota is put on the Queue."""
    queue_objects._prefixed = dict  # type: ignore[assignment]


def owns_the_queue() -> None:
    """A Queue has the quota's annotations, and no other ones."""
    honest = queue_objects._annotations

    def lie(quota: Object | None, queue: Object) -> dict[str, str]:
        return honest(quota, queue if quota is None else {})

    queue_objects._annotations = lie


def takes_any_word_for_true() -> None:
    """An annotation is on with whatever value."""
    honest = queue_objects.settings

    def lie(quota: Object | None, queue: Object | None) -> Settings:
        found = queue_objects._annotations(quota, queue or {})
        gate, preemption = GATE_ANNOTATION in found, PREEMPTION_ANNOTATION in found
        return replace(honest(quota, queue), gate=gate, preemption=preemption)

    queue_objects.settings = lie


def keeps_the_gate_in_intelligent() -> None:
    """The gate holds units whatever the policy."""
    Settings.gated = property(lambda self: self.gate)  # type: ignore[method-assign,assignment]


def keeps_what_it_copied() -> None:
    """What is removed from the quota stays on the Queue."""
    honest = queue_objects._changes

    def lie(desired: Mapping[str, Any], actual: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in honest(desired, actual).items() if value is not None}

    queue_objects._changes = lie


def copies_the_policy_label() -> None:
    """The label that says the policy is put on the Queue, too."""
    honest = queue_objects._desired

    def lie(quota: Object | None, queue: Object) -> dict[str, dict[str, str]]:
        found = honest(quota, queue)
        labels = decode.mapping(quota or {}, "metadata", "labels")
        copied = {key: value for key, value in labels.items() if key == POLICY_LABEL}
        return {**found, "labels": {**found["labels"], **copied}}

    queue_objects._desired = lie


def leaves_queues_behind() -> None:
    """A Queue stays when its quota is gone."""
    honest = queue_objects.synchronise

    def lie(**about: Any) -> Any:
        step = honest(**about)
        return None if isinstance(step, Delete) else step

    queue_objects.synchronise = lie


def makes_no_queue_again() -> None:
    """A Queue that somebody deletes stays away."""
    honest = queue_objects.synchronise
    made: set[str] = set()

    def lie(*, name: str, queue: Object | None, **about: Any) -> Any:
        if queue is not None:
            made.add(name)
        return None if name in made and queue is None else honest(name=name, queue=queue, **about)

    queue_objects.synchronise = lie


def stops_at_a_bad_queue() -> None:
    """A Queue of a policy that is not supported stops all the others."""
    honest = queue_objects.settings
    problems: set[str] = set()

    def lie(quota: Object | None, queue: Object | None) -> Settings:
        found = honest(quota, queue)
        problems.add(found.problem)
        return replace(found, problem=max(problems))

    queue_objects.settings = lie


def serves_every_namespace() -> None:
    """A Queue is served wherever it is, and none is made where there is one of that name."""
    start, make = Component.__init__, Executor._create

    def unless_there(self: Executor, create: Create) -> bool:
        if create.target.kind is Kind.QUEUE:
            # Asked for, since the quota may be seen before the Queue that was there before it.
            everywhere = self._api.list(RESOURCES[Kind.QUEUE]).items
            if any(queue["metadata"]["name"] == create.target.name for queue in everywhere):
                return False
        return make(self, create)

    Executor._create = unless_there  # type: ignore[method-assign]

    def begin(self: Component[Any], *args: Any, **named: Any) -> None:
        start(self, *args, **{**named, "namespaces": None})

    Component.__init__ = begin  # type: ignore[method-assign]
    honest = QueueLedger._apply_queue

    def lie(self: QueueLedger, raw: Object, *, deleted: bool) -> frozenset[str]:
        metadata = {**decode.mapping(raw, "metadata"), "namespace": self._namespace}
        return honest(self, {**raw, "metadata": metadata}, deleted=deleted)

    QueueLedger._apply_queue = lie  # type: ignore[method-assign]


def takes_no_pod_for_a_lost_one() -> None:
    """A pod that has not been created yet gives its share back."""
    honest = counts.count

    def lie(job: Job, pods: Collection[Pod]) -> int:
        number = honest(job, pods)
        # A Job of one pod, such as the canary's, would never come to have it.
        spared = job.suspended or number == 1
        return number if spared else min(number, len(counts.active(pods)))

    counts.count = lie


def lists_the_admitted() -> None:
    """A Queue lists all its units, whether they wait or not."""

    def lie(self: QueueLedger, queue: str, now: Instant) -> Plan:
        found, everyone = self._queue_objects.get(queue), Ranking()
        for unit in self._units.values():
            if unit.queue == queue:
                everyone.add(unit)
        if found is None:
            return Plan(())
        write, wake_at = self.listings.step(found, everyone, now)
        return Plan((write,) if write else (), wake_at)

    QueueLedger.relist = lie  # type: ignore[method-assign]
    listing._waits = lambda unit: not unit.finished


def never_lowers_max() -> None:
    """A quota has the largest max that it ever had."""
    honest, largest = QueueLedger._apply_quota, dict[str, int]()

    def lie(self: QueueLedger, raw: Object, *, deleted: bool) -> frozenset[str]:
        uid, spec = raw["metadata"]["uid"], raw["spec"]
        largest[uid] = max(largest.get(uid, 0), int(spec["max"]["cpu"]))
        kept = {**spec, "max": {"cpu": str(largest[uid])}}
        return honest(self, {**raw, "spec": kept}, deleted=deleted)

    QueueLedger._apply_quota = lie  # type: ignore[method-assign]


def begins_anew_with_another_policy() -> None:
    """Who waits is forgotten when the policy changes."""
    honest, policies = QueueLedger._pass, dict[str, str]()

    def lie(
        self: QueueLedger, queue: str, served: Settings, book: Any, *more: Any, **how: Any
    ) -> Any:
        if policies.setdefault(queue, served.policy) != served.policy:
            policies[queue], book.asking = served.policy, Ranking()
        return honest(self, queue, served, book, *more, **how)

    QueueLedger._pass = lie  # type: ignore[method-assign]
