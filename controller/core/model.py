"""The values that decisions are made from, frozen and without the shape of the API.

A Unit asks for ``count`` replicas per podSet and holds ``replicas`` per admission; both are matched
by name. Everything else about it is derived here, so that no two modules count differently.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from controller.core.decisions import Ref
from controller.core.instants import Instant
from controller.core.quantity import Resources, times, total
from controller.core.vocabulary import (
    FINISHED_PHASES,
    INTELLIGENT_POLICY,
    MARKED_MESSAGE,
)

UnitKey = tuple[str, str]
OrderKey = tuple[int, float, str]
RequestKey = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class PodSet:
    """``count`` equal pods, each charged ``cost``.

    ``problem`` says why they cannot be charged, "" if they can; then ``cost`` is the last known.
    """

    name: str
    count: int
    cost: Resources
    problem: str = ""


@dataclass(frozen=True)
class Admission:
    """What a unit holds of one podSet. ``mark`` is reclaimState.replicas; None: no reclaimState."""

    name: str
    replicas: int
    running: int = 0
    mark: int | None = None


@dataclass(frozen=True)
class Unit:
    """A QueueUnit."""

    ref: Ref
    queue: str
    priority: int
    created: Instant
    pod_sets: tuple[PodSet, ...] = ()
    admissions: tuple[Admission, ...] = ()
    phase: str = ""
    message: str = ""
    last_allocate: Instant | None = None
    last_allocate_text: str = ""
    last_update_text: str = ""
    job_uid: str = ""

    @property
    def key(self) -> UnitKey:
        """Its namespace and name."""
        return (self.ref.namespace, self.ref.name)

    @cached_property
    def order(self) -> OrderKey:
        """Its place: smaller comes first."""
        return (-self.priority, self.created, str(self.ref))

    @property
    def problem(self) -> str:
        """Why it cannot be charged, "" if it can."""
        return next((pod_set.problem for pod_set in self.pod_sets if pod_set.problem), "")

    @property
    def finished(self) -> bool:
        """Whether its work is over: it neither holds nor asks for anything."""
        return self.phase in FINISHED_PHASES

    @cached_property
    def held_replicas(self) -> dict[str, int]:
        """Replicas held, by podSet; empty when finished."""
        if self.finished:
            return {}
        return {item.name: item.replicas for item in self.admissions}

    @cached_property
    def held(self) -> Resources:
        """What it is charged now, marked replicas included."""
        return total(
            times(pod_set.cost, self.held_replicas.get(pod_set.name, 0))
            for pod_set in self.pod_sets
        )

    @cached_property
    def missing(self) -> dict[str, int]:
        """Replicas asked for and not held, by podSet; only those above zero."""
        if self.finished:
            return {}
        gaps = {
            pod_set.name: pod_set.count - self.held_replicas.get(pod_set.name, 0)
            for pod_set in self.pod_sets
        }
        return {name: gap for name, gap in gaps.items() if gap > 0}

    @cached_property
    def request(self) -> Resources:
        """The cost of what is missing; resources at zero are left out."""
        wanted = total(
            times(pod_set.cost, self.missing.get(pod_set.name, 0)) for pod_set in self.pod_sets
        )
        return {resource: number for resource, number in wanted.items() if number}

    @cached_property
    def request_key(self) -> RequestKey:
        """The request in a form that can be looked up; equal for equal requests."""
        return tuple(sorted(self.request.items()))

    @property
    def unreported(self) -> bool:
        """Whether its Job may run already: the extension has not said yet what is held."""
        return bool(self.job_uid) and not self.phase and not self.reserves

    @property
    def asks(self) -> bool:
        """Whether it holds less than its count, as far as that is known."""
        return bool(self.missing) and not self.unreported

    @property
    def reserves(self) -> bool:
        """Whether it holds any replica."""
        return any(number > 0 for number in self.held_replicas.values())

    @property
    def member(self) -> bool:
        """Whether it holds a reservation whose pods are not all running (gate aside)."""
        return not self.finished and any(item.replicas > item.running for item in self.admissions)

    @cached_property
    def marked(self) -> bool:
        """Whether it carries a reclaimState."""
        return not self.finished and any(item.mark is not None for item in self.admissions)

    @cached_property
    def marked_cost(self) -> Resources:
        """What its marks promise to give back."""
        costs = {pod_set.name: pod_set.cost for pod_set in self.pod_sets}
        if self.finished:
            return {}
        return total(
            times(costs.get(item.name, {}), max(0, min(item.mark, item.replicas)))
            for item in self.admissions
            if item.mark is not None
        )

    @cached_property
    def owed_reclaimed(self) -> bool:
        """Whether a reclaim of all it held has been reported and not yet been announced."""
        return (
            self.asks and not self.marked and not self.reserves and self.message == MARKED_MESSAGE
        )

    @cached_property
    def standing(self) -> object:
        """All that can change a decision about it or about another unit; compared, never read.

        Message, attempts, timestamps and phase (but for the first and the last) are left out on
        purpose: the controller writes them in answer to a decision.
        """
        return (
            self.ref,
            self.queue,
            self.order,
            # What is charged in place of what cannot be read is not in the object.
            tuple(replace(item, cost={}) if item.problem else item for item in self.pod_sets),
            self.admissions,
            self.finished,
            self.unreported,
        )

    def charged_like(self, before: "Unit | None") -> "Unit":
        """The unit with the costs that were known before, where it says nothing that can be read.

        What it holds must not become free by a mistake.
        """
        if not self.problem or before is None or before.ref != self.ref:
            return self
        known = {item.name: item.cost for item in before.pod_sets}
        pod_sets = (
            replace(item, cost=known.get(item.name, {})) if item.problem else item
            for item in self.pod_sets
        )
        return replace(self, pod_sets=tuple(pod_sets))


@dataclass(frozen=True)
class Quota:
    """An ElasticQuota. ``maximum`` limits; a resource it does not name is not limited."""

    ref: Ref
    created: Instant
    parent: str
    maximum: Resources


@dataclass(frozen=True)
class Settings:
    """How a queue is served. ``problem`` says why it is not served at all, "" if it is.

    ``max_depth`` None: a pass looks at every unit that asks.
    """

    policy: str
    gate: bool
    preemption: bool
    max_depth: int | None = None
    threshold: int = 4
    problem: str = ""

    @property
    def intelligent(self) -> bool:
        """Whether neither the gate nor preemption applies."""
        return self.policy == INTELLIGENT_POLICY

    @property
    def gated(self) -> bool:
        """Whether units that do not run yet hold back others."""
        return self.gate and not self.intelligent
