"""An implementation that the suite runs itself, as child processes.

What a component's standard output and error say is its log; a mark in it is the length that it
had. A scenario may start a second instance of a component, start all of it with another
configuration or by another way to the API server: ``restore`` takes all of that back, and starts
again only what ran otherwise than the descriptor says.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from queuecheck.cluster import Cluster
from queuecheck.cluster.processes import SUPERVISOR, Supervisor
from queuecheck.implementation.described import Described
from queuecheck.implementation.descriptor import Descriptor, Process
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.instance import Instance
from queuecheck.implementation.reroute import rerouted
from queuecheck.implementation.verbs import Attempt, LogMark, Sample

# As long as a start may take: a right one may need it before it can refuse.
ATTEMPT_SECONDS = 30.0


@dataclass(frozen=True)
class _Circumstances:
    """What every instance is started with. Without a ``server`` it is the kubeconfig's own."""

    config: Mapping[str, Any]
    server: str | None = None


class ProcessImplementation(Described):
    """Runs the processes of a descriptor against a cluster. ``directory`` is for logs."""

    def __init__(
        self,
        descriptor: Descriptor,
        cluster: Cluster,
        *,
        directory: Path,
        supervisor: Supervisor = SUPERVISOR,
    ) -> None:
        super().__init__(descriptor)
        self._cluster = cluster
        self._directory = directory
        self._supervisor = supervisor
        self._lock = threading.RLock()
        self._own = self._circumstances = _Circumstances(descriptor.config or {})
        self._instances = {
            process.component: self._instance(process, process.component)
            for process in descriptor.processes
        }
        self._detours: dict[str, str | None] = {}  # of single instances
        self._attempts = 0

    @property
    def config(self) -> Mapping[str, Any]:
        """See Implementation."""
        return self._own.config

    @property
    def instances(self) -> tuple[str, ...]:
        """See Implementation."""
        return tuple(self._instances)

    @property
    def restart_count(self) -> int:
        """See Implementation."""
        return sum(max(0, instance.starts - 1) for instance in self._instances.values())

    def start(self, instance: str | None = None) -> None:
        """See Implementation; what runs already is left alone."""
        with self._lock:
            asked = self._asked(instance)
            for each in asked:
                if not each.runs:
                    self._launch(each)
            for each in asked:
                each.wait_ready()

    def stop(self, instance: str | None = None) -> None:
        """See Implementation."""
        with self._lock:
            asked = self._asked(instance)
            for each in asked:
                each.ask_to_end()
            for each in asked:
                each.await_end()

    def restart(self, instance: str | None = None) -> None:
        """See Implementation."""
        with self._lock:
            self.stop(instance)
            self.start(instance)

    def kill(self, instance: str | None = None) -> None:
        """See Implementation."""
        with self._lock:
            for each in self._asked(instance):
                each.kill()

    def hold(self, instance: str | None = None) -> None:
        """See Implementation."""
        with self._lock:
            for each in self._asked(instance):
                each.hold()

    def release(self, instance: str | None = None) -> None:
        """See Implementation."""
        with self._lock:
            asked = self._asked(instance)
            for each in asked:
                each.thaw()
            for each in asked:
                each.wait_ready()

    def second(self, component: str) -> str:
        """See Implementation."""
        with self._lock:
            (first,) = self._asked(component)
            if first.process.own_ports:
                raise ImplementationError(
                    f"{self.name}: {component} has ports of its own, so there is no second instance"
                )
            name = f"{component}-2"
            if name in self._instances:
                raise ImplementationError(f"{self.name}: {component} has a second instance already")
            instance = self._instances[name] = self._instance(first.process, name)
            instance.log.unlink(missing_ok=True)  # of an earlier one
            self.start(name)
            return name

    def reconfigure(self, config: Mapping[str, Any]) -> None:
        """See Implementation."""
        self._start_anew(_Circumstances(config, self._circumstances.server))

    def reroute(self, server: str | None, instance: str | None = None) -> None:
        """See Implementation."""
        if instance is None:
            self._start_anew(_Circumstances(self._circumstances.config, server))
            return
        with self._lock:
            (asked,) = self._asked(instance)
            self.stop(instance)
            self._detours[asked.name] = server
            self.start(instance)

    def attempt(self, config: Mapping[str, Any] | str, *, component: str | None = None) -> Attempt:
        """See Implementation; two that want the same ports take turns."""
        (beside,) = self._asked(component or self._descriptor.processes[0].component)
        gives_way = beside.runs and bool(beside.process.own_ports)
        self._attempts += 1
        name = f"attempt-{self._attempts}"
        file = self._config_file(config, name=name)
        tried = self._instance(beside.process, name)
        kubeconfig = self._kubeconfig(beside.process, self._circumstances.server)
        if gives_way:
            self.stop(beside.name)
        try:
            tried.launch(kubeconfig=kubeconfig, config=file)
            code = tried.end_unless_ready(ATTEMPT_SECONDS)
        finally:
            tried.kill()
            if gives_way:
                self.start(beside.name)
        return Attempt(code, tried.text(0), file)

    def uninstall(self) -> None:
        """See Implementation: of processes nothing is left but that they have run."""
        self.stop()

    def restore(self) -> None:
        """See Implementation."""
        with self._lock:
            for name in [each for each in self._instances if not self._described(each)]:
                second = self._instances.pop(name)
                second.ask_to_end()  # so that whatever it alone may hold is given back
                second.await_end()
            for instance in self._instances.values():
                instance.thaw()
            for name in self._detours.keys() & self._instances.keys():
                self.stop(name)
            self._detours.clear()
            if self._circumstances != self._own:
                self._start_anew(self._own)
            self.start()

    def close(self) -> None:
        """See Implementation."""
        self.stop()

    def log_mark(self) -> LogMark:
        """See Implementation."""
        return LogMark(
            {
                name: instance.log.stat().st_size if instance.log.exists() else 0
                for name, instance in self._instances.items()
            }
        )

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:
        """See Implementation."""
        return {
            name: instance.text(since.positions.get(name, 0) if since else 0)
            for name, instance in self._instances.items()
        }

    def metrics(self, instance: str | None = None) -> Sequence[Sample]:
        """See Implementation."""
        return [sample for each in self._asked(instance) for sample in each.samples()]

    def alive(self) -> str | None:
        """See Implementation."""
        reasons = (instance.why_gone() for instance in self._instances.values())
        return next((reason for reason in reasons if reason is not None), None)

    def _described(self, name: str) -> bool:
        return any(process.component == name for process in self._descriptor.processes)

    def _asked(self, name: str | None) -> list[Instance]:
        return self._chosen(self._instances, name)

    def _start_anew(self, circumstances: _Circumstances) -> None:
        """Those that run, and for which something is different then."""
        with self._lock:
            moved = circumstances.server != self._circumstances.server
            self._circumstances = circumstances
            concerned = [
                each
                for each in self._instances.values()
                if each.runs and (moved or each.process.reads_config)
            ]
            for each in concerned:
                each.ask_to_end()
            for each in concerned:
                each.await_end()
            for each in concerned:
                self._launch(each)
            for each in concerned:
                each.wait_ready()

    def _instance(self, process: Process, name: str) -> Instance:
        return Instance(
            process,
            name=name,
            owner=self.name,
            directory=self._directory,
            supervisor=self._supervisor,
        )

    def _launch(self, instance: Instance) -> None:
        config = self._config_file(self._circumstances.config, name="config")
        server = self._detours.get(instance.name, self._circumstances.server)
        kubeconfig = self._kubeconfig(instance.process, server)
        instance.launch(kubeconfig=kubeconfig, config=config)

    def _kubeconfig(self, process: Process, server: str | None) -> Path:
        own = (
            self._cluster.kubeconfig
            if process.user is None
            else self._cluster.kubeconfig_for(process.user, account=process.account)
        )
        if server is None:
            return own
        to = self._directory / f"{process.component}.kubeconfig"
        return rerouted(own, server=server, to=to)

    def _config_file(self, config: Mapping[str, Any] | str, *, name: str) -> Path:
        file = self._directory / f"{name}.yaml"
        # JSON is YAML; an implementation's file is read by whatever it reads files with.
        text = config if isinstance(config, str) else json.dumps(config, indent=2) + "\n"
        file.write_text(text, "utf-8")
        return file
