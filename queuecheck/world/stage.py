"""What the scenarios of one worker share: a cluster, and the implementation on it.

``open`` brings both up and ends with the canary; whatever does not work is told as
EnvironmentBroken, once, and every scenario of the worker ends with that. ``close`` takes all of
it down again, also after a half-way ``open``.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from queuecheck import resources
from queuecheck.cluster import Cluster, ClusterError, LocalCluster
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.processes import SUPERVISOR
from queuecheck.cluster.programs import cache_root
from queuecheck.cluster.turns import Turns
from queuecheck.implementation import Descriptor, Implementation, ImplementationError, implement
from queuecheck.kube import AlreadyExists, Api, ApiError, KubeObject, going_on
from queuecheck.kube.resource import NAMESPACES, NODES, PRIORITY_CLASSES
from queuecheck.kube.token import tokens_in_files
from queuecheck.secrecy import known, of_environment, of_kubeconfig
from queuecheck.timeline import Budgets, Feed
from queuecheck.world.accounts import lend_rights
from queuecheck.world.canary import check_alone, check_canary
from queuecheck.world.cleanup import CleanupError, together
from queuecheck.world.errors import EnvironmentBroken
from queuecheck.world.names import (
    DEPLOYMENT_NAMESPACES_NOTE,
    QUEUE_NAMESPACE_NOTE,
    RUN_LABEL,
    STARTED_NOTE,
    Names,
    canary_name,
    run_namespace,
    worker_letters,
)
from queuecheck.world.remains import LAST, Remnant, find_remains, remove_remains
from queuecheck.world.world import Ground, World

if TYPE_CHECKING:
    from queuecheck.faults import FaultProxy


class Stage:
    """A cluster with an implementation on it. ``worker`` is ``gw0`` …, or "" if there is one.

    ``canary`` is False for an implementation that is known to do nothing. With ``keep``, scenarios
    may have left something on purpose, and the stage leaves it too.
    """

    def __init__(
        self,
        *,
        run: str,
        worker: str,
        descriptor: Descriptor,
        cluster: ClusterChoice,
        budgets: Budgets,
        evidence_directory: Path,
        canary: bool = True,
        keep: bool = False,
    ) -> None:
        self._keep = keep
        self._canary = canary
        self._run = run
        self._letters = worker_letters(worker)
        self._descriptor = descriptor
        self._choice = cluster
        self._budgets = budgets
        self._evidence_directory = evidence_directory
        self._stack = ExitStack()
        self._failures: list[Exception] = []  # of what the stack has done
        self._ground: Ground | None = None
        self._api: Api | None = None
        self._worlds = 0
        self._last_world: World | None = None
        self._classes: dict[int, str] = {}
        self._faults: FaultProxy | None = None
        self._turns: Turns | None = None
        self._last = True  # of the workers that share the cluster
        self._left = False  # whether something of the run may be left
        # What must not be written down.
        self.secrets = known([*of_environment(os.environ), *descriptor.secrets()])

    @property
    def reason(self) -> str:
        """Which cluster it is and why."""
        return self._opened.cluster.reason

    @property
    def capabilities(self) -> frozenset[str]:
        """What the cluster can do."""
        return self._opened.cluster.capabilities

    @property
    def server_version(self) -> str:
        """The API server's, such as ``v1.36.3``. Raises ApiError."""
        assert self._api is not None
        return str(json.loads(self._api.raw("/version"))["gitVersion"])

    def _users(self, cluster: Cluster) -> Iterator[str]:
        """The tokens and keys of those who speak to the cluster."""
        components = [
            cluster.kubeconfig_for(process.user, account=process.account)
            for process in self._descriptor.processes
            if process.user is not None
        ]
        for file in (cluster.kubeconfig, *components):
            kubeconfig = yaml.safe_load(file.read_text("utf-8"))
            yield from of_kubeconfig(kubeconfig)
            yield from tokens_in_files(kubeconfig, directory=file.parent)

    @property
    def _opened(self) -> Ground:
        if self._ground is None:
            raise EnvironmentBroken("the stage is not open")
        return self._ground

    def open(self) -> None:
        """Raises EnvironmentBroken, and then has taken down what there was."""
        try:
            self._open()
        except (ClusterError, ImplementationError, ApiError, EnvironmentBroken) as error:
            told = "\n".join(filter(None, [str(error), self._close_after_all()]))
            # It may have the last lines of a log.
            raise EnvironmentBroken(self.secrets.mask(told)) from error
        except BaseException as error:
            if left := self._close_after_all():
                error.add_note(self.secrets.mask(left))
            raise

    def _close_after_all(self) -> str:
        """What is wrong with that, or "": something else is already being told."""
        try:
            self.close()
        except Exception as left:  # noqa: BLE001 - whatever it is, it came second
            return str(left) or type(left).__name__
        return ""

    def close(self) -> None:
        """Ends the implementation, then the cluster.

        On a cluster that is not ours alone, all that the run has made is gone then; CleanupError
        tells what is not. What all workers of a run use, the last of them takes away. What fails
        keeps nothing else from being taken down; if it is one thing alone, its error is raised.
        """
        self._last = self._turns is None or self._turns.leave()
        self._stack.close()
        failures, self._failures = self._failures, []
        if len(failures) == 1:
            raise failures[0]
        if failures:
            raise CleanupError(together(map(str, failures))) from failures[0]

    def _at_the_end(self, action: Callable[..., object], *words: object) -> None:
        """It is done by ``close``, before what was asked for earlier."""
        self._stack.callback(self._attempt, action, *words)

    def _attempt(self, action: Callable[..., object], *words: object) -> None:
        try:
            action(*words)
        except Exception as error:  # noqa: BLE001 - the rest is still owed
            self._failures.append(error)

    def turn(self, *, alone: bool) -> AbstractContextManager[None]:
        """A scenario's turn on a cluster that workers share; ``alone``, with no other beside it."""
        return nullcontext() if self._turns is None else self._turns.turn(alone=alone)

    def export_logs(self) -> None:
        """What the cluster has logged goes beside the evidence. Raises ClusterError."""
        self._opened.cluster.export_logs(self._evidence_directory / self._run / "cluster")

    def world(self, requirement: str, *, reproduce: str) -> World:
        """A world for a scenario, not yet open.

        Raises EnvironmentBroken while the clean-up of the world before still goes on: it would
        change under the scenario what that one stands on.
        """
        if self._last_world is not None and (task := self._last_world.goes_on):
            raise EnvironmentBroken(f"the clean-up of the scenario before has not ended: {task}")
        self._worlds += 1
        names = Names(self._run, requirement, f"{self._letters}{self._worlds}")
        world = World(self._opened, names, reproduce=reproduce, priority_class=self._priority_class)
        self._last_world = world
        return world

    def _open(self) -> None:
        directory = Path(tempfile.mkdtemp(prefix="qc-"))
        SUPERVISOR.own_directory(directory)  # there may be a token in it
        self._at_the_end(SUPERVISOR.remove_directory, directory)
        if self._choice.shared:
            self._turns = Turns(cache_root() / "runs", self._run)
            self._turns.enter()
        cluster = self._cluster()
        self._at_the_end(self._stop, cluster)
        cluster.start()
        api = self._api = Api.from_kubeconfig(cluster.kubeconfig, user_agent="queuecheck-stage")
        self._at_the_end(api.close)
        if self._choice.somebodys:
            self._stack.push(self._end)
        if "disposable" in cluster.capabilities:
            _ensure_namespace(api, self._descriptor.queue_namespace)
            lend_rights(api, self._descriptor)
        self.secrets = known([*self.secrets.values, *self._users(cluster)])
        implementation: Implementation = implement(self._descriptor, cluster, directory=directory)
        self._at_the_end(lambda: implementation.close() if self._last else None)
        if self._choice.somebodys and not self._keep:
            self._at_the_end(self._sweep)
        if "disposable" not in cluster.capabilities and self._descriptor.processes:
            check_alone(
                api,
                self._descriptor.profile,
                nodes=cluster.nodes,
                namespace=canary_name(self._run, "alone"),
                labels={RUN_LABEL: self._run},
                seconds=self._budgets.seconds("quiet"),
            )
        with self._arrival(implementation):
            if self._canary:
                canary = self._descriptor.profile.canary
                check_canary(
                    api,
                    replace(canary, timeout=canary.timeout * self._budgets.scale),
                    nodes=cluster.nodes,
                    implementation=implementation,
                    namespace=canary_name(self._run, self._letters),
                    labels={RUN_LABEL: self._run},
                )
        self._at_the_end(self._delete_priority_classes)
        # Of somebody else's cluster we look at no namespace but our own.
        feed = Feed(api, wide="disposable" in cluster.capabilities)
        self._at_the_end(feed.stop)
        self._ground = Ground(
            run=self._run,
            profile=self._descriptor.profile,
            cluster=cluster,
            implementation=implementation,
            budgets=self._budgets,
            cross_kind_order="cross-kind-order" in cluster.capabilities,
            evidence_directory=self._evidence_directory,
            api=api,
            feed=feed,
            proxy=self._proxy,
            secrets=self.secrets,
        )

    def _arrival(self, implementation: Implementation) -> AbstractContextManager[None]:
        if self._turns is not None:
            return self._turns.arrival(implementation.start)
        implementation.start()
        return nullcontext()

    def _cluster(self) -> Cluster:
        root = resources.manifests_root()
        manifests = (root / "crds", root / "rbac")
        if self._choice.provider == "kind":
            # Most runs are on a control plane of their own.
            from queuecheck.cluster.kind import KindCluster  # noqa: PLC0415

            why = f"because {self._choice.why}" if self._choice.why else "as asked for"
            return KindCluster(self._run, self._choice.kind, why=why, manifests=manifests)
        if self._choice.provider == "existing":
            from queuecheck.cluster.existing import ExistingCluster  # noqa: PLC0415

            return ExistingCluster(
                self._choice,
                namespace=run_namespace(self._run),
                labels={RUN_LABEL: self._run},
                annotations={
                    STARTED_NOTE: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                    QUEUE_NAMESPACE_NOTE: self._descriptor.queue_namespace,
                    DEPLOYMENT_NAMESPACES_NOTE: " ".join(
                        sorted({each.namespace for each in self._descriptor.deployments})
                    ),
                },
                keeps=lambda: self._left,
            )
        return LocalCluster(manifests=manifests, why=self._choice.why)

    def _sweep(self) -> None:
        """While the implementation still runs: what it has made for us is its own to take away."""
        # The nodes are the cluster's, which has them until its end.
        self._take_away(lambda each: each.resource != NODES and each.phase < LAST)

    def _end(self, kind: type[BaseException] | None, *_: object) -> None:
        """Takes away what names the run, if nothing else is left that ``clean`` finds by it."""
        if kind is None and not self._failures and not self._keep:
            self._attempt(self._take_away, lambda each: each.phase == LAST)
        else:
            self._left = True

    def _take_away(self, chosen: Callable[[Remnant], bool]) -> None:
        assert self._api is not None
        profile = self._descriptor.profile
        try:
            remains = find_remains(self._api, profile, run=self._run)
            left = remove_remains(self._api, profile, filter(chosen, remains))
        except ApiError as error:
            left = [str(error)]
        if left:
            self._left = True
            raise CleanupError(_left_over(left, self._run))

    def _stop(self, cluster: Cluster) -> None:
        try:
            cluster.stop()
        except ClusterError as error:
            if not self._choice.somebodys:
                raise
            raise CleanupError(_left_over(str(error).splitlines(), self._run)) from error

    def _priority_class(self, value: int) -> str:
        assert self._api is not None
        if value not in self._classes:
            name = f"qc-{self._run}-{'m' if value < 0 else 'p'}{abs(value)}"
            body: KubeObject = {
                "apiVersion": PRIORITY_CLASSES.api_version,
                "kind": PRIORITY_CLASSES.kind,
                "metadata": {"name": name, "labels": {RUN_LABEL: self._run}},
                "value": value,
            }
            with suppress(AlreadyExists):  # another worker on the same cluster
                self._api.create(PRIORITY_CLASSES, body)
            self._classes[value] = name
        return self._classes[value]

    def _proxy(self) -> FaultProxy:
        if self._faults is None:
            # A fifth of a second to import, and few scenarios make trouble.
            from queuecheck.faults import FaultProxy  # noqa: PLC0415

            cluster = self._opened.cluster
            proxy = self._faults = FaultProxy(
                cluster.kubeconfig, certificate=cluster.serving_certificate
            )
            proxy.start()
            self._at_the_end(proxy.stop)
        return self._faults

    def _delete_priority_classes(self) -> None:
        assert self._api is not None
        if self._ground is None or "disposable" in self._ground.cluster.capabilities:
            return  # a cluster that is ours alone goes as a whole
        if not self._last:
            return
        if self._choice.somebodys and not self._keep:
            return  # swept with all else of the run, and what is refused is told once
        # Those of other workers, too.
        ours = self._api.list(PRIORITY_CLASSES, label_selector=f"{RUN_LABEL}={self._run}")
        left: list[str] = []
        for name in (each["metadata"]["name"] for each in ours.items):
            refused: list[str] = []
            with going_on(refused):
                self._api.delete(PRIORITY_CLASSES, name)
            left += [f"PriorityClass {name}: {why}" for why in refused]
        if left:
            raise CleanupError("\n".join(left))


def _left_over(left: list[str], run: str) -> str:
    """Of several things the first line says how many, and then each has one."""
    command = f"queuecheck clean --run {run}"
    if len(left) == 1:
        return f"{left[0]}; {command} takes the rest away"
    return "\n".join([f"{len(left)} things are left; {command} takes them away", *left])


def _ensure_namespace(api: Api, name: str) -> None:
    with suppress(AlreadyExists):
        api.create(
            NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        )
