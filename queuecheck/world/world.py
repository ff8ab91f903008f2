"""One scenario's world.

Its namespace exists and its recorder has every first list before the first step runs. What it
creates carries the run and the requirement as labels, and the requests name the scenario: the
server takes the field manager from the User-Agent. ``close`` takes everything away, the namespace
last and without waiting for it to be gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from queuecheck import __version__
from queuecheck.cluster import Cluster, NodeDriver
from queuecheck.implementation import Implementation, ImplementationError
from queuecheck.kube import Api, KubeObject, NotFound, Resource
from queuecheck.kube.resource import NAMESPACES
from queuecheck.profiles import Profile
from queuecheck.secrecy import Secrets
from queuecheck.timeline import (
    Budgets,
    Claims,
    Evidence,
    Failure,
    Feed,
    Recorder,
    Timeline,
    write_evidence,
)
from queuecheck.world.canary import make_namespace
from queuecheck.world.cleanup import DEADLINE, Cleanup, CleanupError
from queuecheck.world.errors import EnvironmentBroken
from queuecheck.world.names import Names
from queuecheck.world.obstacle import IMAGES
from queuecheck.world.remains import delete_first

if TYPE_CHECKING:
    from queuecheck.faults import FaultProxy

# A Deployment that is started again may take two minutes to have its pods ready.
RESTORE_SECONDS = 160.0


@dataclass(frozen=True)
class Ground:
    """What the scenarios of one worker stand on, its connections and its watches included."""

    run: str
    profile: Profile
    cluster: Cluster
    implementation: Implementation
    budgets: Budgets
    cross_kind_order: bool
    evidence_directory: Path
    api: Api
    feed: Feed
    proxy: Callable[[], FaultProxy]
    secrets: Secrets = field(default_factory=Secrets)


class World:
    """Everything a step may touch."""

    def __init__(
        self,
        ground: Ground,
        names: Names,
        *,
        reproduce: str,
        priority_class: Callable[[int], str],
    ) -> None:
        """``reproduce`` is the command that runs this scenario alone."""
        self._ground = ground
        self._names = names
        patience = max(1.0, ground.budgets.scale)
        self._cleanup = Cleanup(deadline=(DEADLINE + RESTORE_SECONDS) * patience)
        self._priority_class = priority_class
        self._proxy: FaultProxy | None = None
        self._namespaces = 1
        self._failed = False
        self._log_mark = ground.implementation.log_mark()
        self.api = ground.api.named(f"queuecheck-{names.suffix}/{__version__}")
        self.timeline = Timeline()
        self._recorder = Recorder(ground.feed, self.timeline, self._watches())
        self.claims = Claims(
            self.timeline,
            budgets=ground.budgets,
            cross_kind_order=ground.cross_kind_order,
            command=reproduce,
        )

    @property
    def id(self) -> str:
        """The requirement, ``KQ-…``."""
        return self._names.requirement

    @property
    def run(self) -> str:
        """The run's short name, the same for all workers."""
        return self._names.run

    @property
    def tail(self) -> str:
        """The end of every name that is the scenario's alone."""
        return self._names.tail

    @property
    def namespace(self) -> str:
        """The scenario's own namespace."""
        return self._names.namespace

    @property
    def queue_namespace(self) -> str:
        """Where the implementation has its queues."""
        return self._ground.implementation.queue_namespace

    @property
    def cluster(self) -> Cluster:
        """The cluster, for its kubeconfig and capabilities."""
        return self._ground.cluster

    @property
    def nodes(self) -> NodeDriver:
        """Nodes that bind, start and finish pods when told to."""
        return self._ground.cluster.nodes

    @property
    def implementation(self) -> Implementation:
        """The only way to the controller."""
        return self._ground.implementation

    @property
    def proxy(self) -> FaultProxy:
        """What can make trouble on the way to the API server, once it is put between.

        Whatever it was told is taken back when the scenario ends.
        """
        if self._proxy is None:
            self._proxy = self._ground.proxy()
            self._cleanup.add(
                self._proxy.forget, sentence="end the trouble that was made", always=True
            )
        return self._proxy

    def interpose_proxy(self, instance: str | None = None) -> None:
        """All of the implementation, or one instance, is started again and goes by the proxy."""
        self.implementation.reroute(self.proxy.url, instance)

    @property
    def budgets(self) -> Budgets:
        """How long each class of wait may take."""
        return self._ground.budgets

    @property
    def labels(self) -> dict[str, str]:
        """Run and requirement, for what is created past ``create``."""
        return self._names.labels

    def resource(self, kind: str) -> Resource:
        """The address of a kind of the profile, such as ``Job``."""
        return self._ground.profile.resource(kind)

    def name(self, alias: str) -> str:
        """The real name of a thing whose name has to be unique on the cluster."""
        return self._names.unique(alias)

    def slot(self, job: str) -> str:
        """The slot that keeps a Job's pods unbound until it is opened."""
        return self._names.slot(job)

    def placed(self, pod: KubeObject, job: str) -> KubeObject:
        """The spec of a pod of the Job, changed so that it waits for the Job's slot."""
        return self.nodes.placed(pod, self.slot(job))

    def priority_class(self, value: int) -> str:
        """The run's PriorityClass of that value; it is made when first asked for."""
        return self._priority_class(value)

    def logs(self) -> Mapping[str, str]:
        """What each component has logged since the scenario began."""
        return self.implementation.logs(since=self._log_mark)

    def hindrance(self) -> EnvironmentBroken | None:
        """What is wrong with the nodes, where it keeps the scenario's pods from running."""
        found = self.nodes.hindrance()
        return None if found is None else EnvironmentBroken(f"{found}; {IMAGES}")

    def take_evidence(self, *, failure: Failure | None = None, error: str = "") -> Evidence:
        """Writes what was seen so far into a directory of the scenario's own.

        Where the implementation cannot be asked, its words about that stand in the place of what
        it would have said.
        """
        try:
            texts = {f"{component}.log": text for component, text in self.logs().items()}
        except ImplementationError as silence:
            texts = {"logs.txt": f"no logs: {silence}\n"}
        try:
            texts["implementation.txt"] = self._implementation_facts()
        except ImplementationError as silence:
            texts["implementation.txt"] = f"{self.implementation.name}: {silence}\n"
        if error:
            texts["error.txt"] = error
        directory = self._ground.evidence_directory / self.run / self._names.suffix
        return write_evidence(
            directory, self.timeline, failure=failure, texts=texts, secrets=self._ground.secrets
        )

    def _implementation_facts(self) -> str:
        implementation = self.implementation
        lines = [
            f"{implementation.name}, {self.cluster.reason}",
            f"restarts: {implementation.restart_count}",
            f"state: {implementation.alive() or 'running'}",
        ]
        try:
            samples = implementation.metrics()
        except ImplementationError as error:
            return "\n".join([*lines, f"metrics: {error}"])
        for sample in samples:
            labels = ",".join(f'{key}="{value}"' for key, value in sample.labels.items())
            lines.append(f"{sample.name}{{{labels}}} {sample.value:g}")
        return "\n".join(lines)

    def create(
        self, resource: Resource, body: Mapping[str, Any], *, namespace: str | None = None
    ) -> KubeObject:
        """The object as created, with the scenario's labels.

        It goes into the scenario's namespace unless another is given or named in the body, and
        then is deleted for itself when the scenario ends.
        """
        metadata = dict(body.get("metadata") or {})
        labels = {**(metadata.get("labels") or {}), **self._names.labels}
        home = (
            (namespace or metadata.get("namespace") or self.namespace)
            if (resource.namespaced)
            else None
        )
        metadata["labels"] = labels
        if home is not None:
            metadata["namespace"] = home
        created = self.api.create(resource, {**body, "metadata": metadata}, namespace=home)
        name = created["metadata"]["name"]
        if home != self.namespace:
            self.on_cleanup(
                lambda: self._delete(resource, name, home),
                sentence=f"delete {resource.kind} {name}",
            )
        return created

    def on_cleanup(self, action: Callable[[], object], *, sentence: str = "undo a step") -> None:
        """Runs when the scenario has ended, before what was asked for earlier."""
        self._cleanup.add(action, sentence=sentence)

    def add_namespace(self) -> str:
        """One more namespace of the scenario's own, recorded and taken away as the first one is."""
        self._namespaces += 1
        name = self._names.further_namespace(self._namespaces)
        if "disposable" not in self.cluster.capabilities:
            self._cleanup.add(
                lambda: self._delete(NAMESPACES, name, None), sentence=f"delete {name}"
            )
        make_namespace(self.api, name, labels=self._names.labels)
        kinds = self._ground.profile.kinds
        self._recorder.add_namespace(name, [kind.resource for kind in kinds if kind.in_scenario])
        self._cleanup.add(lambda: self._delete_first(name), sentence=f"delete what is in {name}")
        return name

    def open(self) -> None:
        """Makes the namespace and starts the recorder: both are there when this returns."""
        # A namespace's end costs the API server as much as the scenario did. A control plane that
        # is ours alone goes as a whole; there, only what others could still react to is taken away.
        if "disposable" not in self.cluster.capabilities:
            self._cleanup.add(self._delete_namespace, sentence=f"delete {self.namespace}")
        make_namespace(self.api, self.namespace, labels=self._names.labels)
        self._recorder.start(fresh=(self.namespace,))
        self._cleanup.add(
            lambda: self._delete_first(self.namespace), sentence="delete what has to go first"
        )
        self._cleanup.add(self.nodes.reset, sentence="close the slots", always=True)
        self._cleanup.add(self._restore, sentence="restore the implementation", always=True)

    def close(self, *, keep: bool = False, failed: bool = False) -> None:
        """Takes everything away; the recorder stops in any case.

        With ``keep`` what was made stays, and what scenarios share is still as they find it.
        ``failed``: the scenario has failed. Raises CleanupError.
        """
        self._failed = failed
        try:
            self._cleanup.run(keep=keep)
        finally:
            self._recorder.stop()

    @property
    def goes_on(self) -> str:
        """What of the clean-up is still being done after ``close``; "" for nothing."""
        return self._cleanup.goes_on

    def _restore(self) -> None:
        """What one scenario has brought to a standstill is not the next one's to fail at."""
        self.implementation.restore()
        ours = "disposable" in self.cluster.capabilities
        if self._failed and ours and "restart" in self.implementation.features:
            self.implementation.restart()

    def _watches(self) -> list[tuple[Resource, str]]:
        kinds = self._ground.profile.kinds
        scenario = [(kind.resource, self.namespace) for kind in kinds if kind.in_scenario]
        queue = [(kind.resource, self.queue_namespace) for kind in kinds if kind.in_queue_namespace]
        return scenario + queue

    def _delete_first(self, namespace: str) -> None:
        refused: list[str] = []
        delete_first(self.api, self._ground.profile, namespace, refused)
        if refused:
            raise CleanupError("; ".join(refused))

    def _delete_namespace(self) -> None:
        self._delete(NAMESPACES, self.namespace, None)

    def _delete(self, resource: Resource, name: str, namespace: str | None) -> None:
        with suppress(NotFound):
            self.api.delete(resource, name, namespace=namespace, propagation="Background")
