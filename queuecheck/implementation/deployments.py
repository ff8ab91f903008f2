"""An implementation that the cluster runs: each component is a Deployment.

It needs a kubeconfig and nothing else: all verbs go through the API server, so the implementation
may be written in anything. What they mean for Deployments: decision 018. What was found
(copies, configuration) is what ``restore`` and ``close`` come back to. ``manifests`` are applied
where the Deployments are not there yet, and what they brought is taken away at the end.
"""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from queuecheck.cluster import Cluster
from queuecheck.implementation import rollout
from queuecheck.implementation.changes import MISLED, find_changes, put_back
from queuecheck.implementation.config_map import ConfigMap
from queuecheck.implementation.deployed import Deployed
from queuecheck.implementation.described import Described
from queuecheck.implementation.descriptor import Descriptor
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.installation import Installation
from queuecheck.implementation.trial import run_trial
from queuecheck.implementation.verbs import Attempt, LogMark, Sample
from queuecheck.implementation.workload import Workload
from queuecheck.kube import Api, ApiError, NotFound
from queuecheck.kube.resource import DEPLOYMENTS


class DeploymentImplementation(Described):
    """The Deployments of a descriptor on a cluster, found or installed by the first ``start``."""

    def __init__(self, descriptor: Descriptor, cluster: Cluster) -> None:
        super().__init__(descriptor)
        self._cluster = cluster
        self._lock = threading.RLock()
        self._client: Api | None = None
        self._installation: Installation | None = None
        self._workloads: dict[str, Workload] = {}
        self._config_maps: dict[str, ConfigMap] = {}  # by component
        self._copies: dict[str, tuple[Deployed, str]] = {}  # that are there, or may be
        self._held: set[str] = set()
        self._touched = False
        self._starts = 0

    @property
    def config(self) -> Mapping[str, Any]:
        """See Implementation: what the ConfigMap had when it was found."""
        for config_map in self._config_maps.values():
            return config_map.content
        return {}

    @property
    def instances(self) -> tuple[str, ...]:
        """See Implementation."""
        return tuple(self._workloads)

    @property
    def restart_count(self) -> int:
        """See Implementation: by verbs, and by the cluster since the pods are there."""
        with suppress(ApiError):
            return self._starts + sum(each.restart_count() for each in self._workloads.values())
        return self._starts

    def start(self, instance: str | None = None) -> None:
        """See Implementation; what runs already is left alone."""
        with self._acting():
            if not self._workloads:
                self._find()
            asked = self._asked(instance)
            for each in asked:
                if not each.runs:
                    self._launch(each)
            for each in asked:
                each.wait_ready()

    def stop(self, instance: str | None = None) -> None:
        """See Implementation: no pod of it is left."""
        with self._acting():
            self._stop(self._asked(instance))

    def restart(self, instance: str | None = None) -> None:
        """See Implementation: other pods take the places of its pods."""
        with self._acting():
            self._renew(self._asked(instance))

    def kill(self, instance: str | None = None) -> None:
        """See Implementation: as fast as a kubelet will."""
        with self._acting():
            for each in self._asked(instance):
                each.kill()

    def hold(self, instance: str | None = None) -> None:
        """See Implementation: it has no pods, and knows what the API server keeps for it."""
        with self._acting():
            asked = self._asked(instance)
            for each in asked:
                if not each.runs:
                    raise ImplementationError(f"{each.instance} cannot be held: it is not running")
            self._stop(asked)
            self._held |= {each.instance for each in asked}

    def release(self, instance: str | None = None) -> None:
        """See Implementation."""
        with self._acting():
            asked = [each for each in self._asked(instance) if each.instance in self._held]
            self._held -= {each.instance for each in asked}
            for each in asked:
                self._launch(each)
            for each in asked:
                each.wait_ready()

    def second(self, component: str) -> str:
        """See Implementation: a copy of the Deployment, with one pod."""
        with self._acting():
            (first,) = self._asked(component)
            instance = f"{component}-2"
            if instance in self._workloads:
                raise ImplementationError(f"{self.name}: {component} has a second instance already")
            name = f"{first.name[:50]}-copy"
            body = rollout.copied(first.found, name=name, instance=instance)
            # Before it is there: an answer can be lost, or a Ctrl-C come.
            self._copies[instance] = first.deployed, name
            try:
                self._api.create(DEPLOYMENTS, body, namespace=first.deployed.namespace)
            except ApiError as error:
                if not error.transient:
                    del self._copies[instance]
                raise
            copy = self._workloads[instance] = self._workload(first.deployed, instance, name)
            copy.wait_ready()
            return instance

    def reconfigure(self, config: Mapping[str, Any]) -> None:
        """See Implementation: what runs and reads the ConfigMap gets other pods."""
        with self._acting():
            if not self._config_maps:
                raise ImplementationError(f"{self.name}: the descriptor names no config")
            changed = {name for name, each in self._config_maps.items() if each.write(config)}
            self._renew(self._readers(changed))

    def reroute(self, server: str | None, instance: str | None = None) -> None:
        """See Implementation: a pod has its service account, and no other way to the API server."""
        raise ImplementationError(
            f"{self.name}: {instance or 'it'} cannot be led to {server or 'its own address'}: "
            "what runs in the cluster has no kubeconfig"
        )

    def attempt(self, config: Mapping[str, Any] | str, *, component: str | None = None) -> Attempt:
        """See Implementation: a pod like the Deployment's, with a ConfigMap of its own."""
        with self._acting():
            deployed = self._descriptor.deployments
            readers = [each.component for each in deployed if each.config is not None]
            chosen = component or next(iter(readers), deployed[0].component)
            (workload,) = self._asked(chosen)
            if chosen not in self._config_maps:
                raise ImplementationError(
                    f"{self.name}: the descriptor names no config of {chosen}"
                )
            name = f"{workload.name[:40]}-attempt-{secrets.token_hex(3)}"
            return run_trial(
                self._api, workload, self._config_maps[chosen], config=config, name=name
            )

    def uninstall(self) -> None:
        """See Implementation: the Deployments go, and whatever the manifests brought."""
        with self._acting():
            assert self._installation is not None
            self._installation.take_away([each.original for each in self._workloads.values()])
            for each in self._workloads.values():
                each.remove()

    def restore(self) -> None:
        """See Implementation."""
        with self._lock, self._told():
            if not self._touched and self.alive() is None:
                return
            self._restore()
            self._touched = False

    def close(self) -> None:
        """See Implementation: as it was found, and nothing is left of what was installed."""
        with self._lock, self._told():
            try:
                if self._installation is not None:
                    self._leave()
            finally:
                for each in self._workloads.values():
                    each.pods.close()
                if self._client is not None:
                    self._client.close()
                self._client = self._installation = None
                self._workloads, self._config_maps, self._copies = {}, {}, {}

    def log_mark(self) -> LogMark:
        """See Implementation: times of lines."""
        with self._told():
            found = {name: each.pods.log_position() for name, each in self._workloads.items()}
            return LogMark(found)

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:
        """See Implementation."""
        with self._told():
            return {
                name: each.pods.log(since.positions.get(name, 0) if since else 0)
                for name, each in self._workloads.items()
            }

    def metrics(self, instance: str | None = None) -> Sequence[Sample]:
        """See Implementation: by the API server's proxy to the pods."""
        with self._told():
            return [sample for each in self._asked(instance) for sample in each.samples()]

    def alive(self) -> str | None:
        """See Implementation: no container was started again, and none is stuck."""
        with suppress(ApiError):  # the API server's trouble is not the implementation's end
            reasons = (each.why_gone() for each in list(self._workloads.values()))
            return next((reason for reason in reasons if reason is not None), None)
        return None

    @contextmanager
    def _acting(self) -> Iterator[None]:
        """One verb at a time, after which it may be otherwise than it was found."""
        with self._lock, self._told():
            self._touched = True
            yield

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except ApiError as error:
            raise ImplementationError(f"{self.name}: {error}") from error

    @property
    def _api(self) -> Api:
        if self._client is None:
            self._client = Api.from_kubeconfig(
                self._cluster.kubeconfig, user_agent="queuecheck-implementation"
            )
        return self._client

    def _find(self) -> None:
        described = self._descriptor.deployments
        changes = itertools.chain.from_iterable(
            find_changes(self._api, namespace)
            for namespace in sorted({each.namespace for each in described})
        )
        if left := put_back(self._api, changes):  # after a run that was killed
            told = "; ".join(f"{change}: {why}" for change, why in left.items())
            raise ImplementationError(f"{self.name}: {told}")
        self._installation = Installation(self._api, self._descriptor.manifests)
        self._installation.make_complete(described)
        for each in described:
            self._workloads[each.component] = self._workload(each, each.component, each.name)
            if each.config is not None:
                self._config_maps[each.component] = ConfigMap(
                    self._api, each.namespace, each.config
                )

    def _workload(self, deployed: Deployed, instance: str, name: str) -> Workload:
        return Workload(self._api, deployed, instance=instance, name=name, owner=self.name)

    def _asked(self, name: str | None) -> list[Workload]:
        return self._chosen(self._workloads, name)

    def _launch(self, workload: Workload) -> None:
        self._starts += 1
        workload.launch()

    def _stop(self, workloads: Sequence[Workload]) -> None:
        for each in workloads:
            each.ask_to_end()
        for each in workloads:
            each.await_end()

    def _renew(self, workloads: Sequence[Workload]) -> None:
        for each in workloads:
            self._starts += 1
            each.renew() if each.runs else each.launch()
        for each in workloads:
            each.wait_ready()

    def _restore(self) -> None:
        """Every instance that was described is there and ready, with the configuration found."""
        failures: list[str] = []
        self._undo(failures)
        if failures:
            raise ImplementationError("; ".join(failures))
        for each in self._workloads.values():
            if not each.runs:
                self._launch(each)
            elif each.why_gone() is not None:
                self._starts += 1
                each.renew()
        for each in self._workloads.values():
            each.wait_ready()

    def _leave(self) -> None:
        """It waits for no pod to be ready: the run is over, whatever state it is in.

        What fails is told in the end, and keeps nothing else from being as it was found, but for
        Deployments beside a configuration that is not.
        """
        failures: list[str] = []
        self._undo(failures)
        assert self._installation is not None
        if not self._installation.lacks:
            for each in self._workloads.values():
                with self._going_on(failures):
                    self._put_back(each)
        with self._going_on(failures):
            failures += self._installation.remove()
        if failures:
            raise ImplementationError("; ".join(failures))

    def _put_back(self, workload: Workload) -> None:
        is_copy = workload.instance != workload.deployed.component
        if is_copy or workload.as_found:
            return
        if workload.found_copies and not all(each.as_found for each in self._config_maps.values()):
            raise ImplementationError(f"{workload.title}: {MISLED}")
        workload.put_back()

    def _undo(self, failures: list[str]) -> None:
        """What was made is gone, what was taken is back, and who has read another file renewed."""
        self._held.clear()
        described = self._descriptor.deployments
        for instance in sorted(self._copies.keys() - self._workloads.keys()):
            with self._going_on(failures):
                self._find_copy(instance)
        for name in sorted(self._workloads.keys() - {each.component for each in described}):
            with self._going_on(failures):
                self._workloads[name].remove()
                del self._workloads[name], self._copies[name]
        assert self._installation is not None
        if self._installation.lacks:
            refused = self._installation.bring_back()
            failures += refused
            if not refused:
                with self._going_on(failures):
                    self._workloads |= {
                        each.component: self._workload(each, each.component, each.name)
                        for each in described
                    }
        changed = set()
        for name, config_map in self._config_maps.items():
            with self._going_on(failures):
                if config_map.put_back():
                    changed.add(name)
        for each in self._readers(changed):
            with self._going_on(failures):
                self._starts += 1
                each.renew()

    def _find_copy(self, instance: str) -> None:
        """One of which nobody knows whether it is there."""
        deployed, name = self._copies[instance]
        try:
            self._api.get(DEPLOYMENTS, name, namespace=deployed.namespace)
        except NotFound:
            del self._copies[instance]
        else:
            self._workloads[instance] = self._workload(deployed, instance, name)

    @contextmanager
    def _going_on(self, failures: list[str]) -> Iterator[None]:
        """What fails in here is told, and whoever has more to do goes on."""
        try:
            with self._told():
                yield
        except ImplementationError as error:
            failures.append(str(error))

    def _readers(self, components: Collection[str]) -> list[Workload]:
        """What runs of these components, whose ConfigMap is another one now."""
        return [
            each
            for each in self._workloads.values()
            if each.may_run and each.deployed.component in components
        ]
