"""An implementation that the suite runs itself, as child processes.

To hold a component is to freeze its process: it keeps its watches and caches, writes nothing, and
goes on within milliseconds when released. What a component's standard output and error say is its
log; a mark in it is the length that it had.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError

from prometheus_client.parser import text_string_to_metric_families

from queuecheck.cluster import Child, Cluster, ClusterError
from queuecheck.cluster.ports import LOOPBACK, free_ports
from queuecheck.cluster.processes import SUPERVISOR, Supervisor
from queuecheck.implementation.descriptor import Descriptor, Process
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.verbs import LogMark, Sample

READY_SECONDS = 30.0
STOP_SECONDS = 3.0
ASK_EVERY = 0.01
ANSWER_SECONDS = 5.0
TAIL_LINES = 15
# Loopback is never reached through a proxy, whatever the environment says.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass
class _Component:
    """A process and what was last asked of it. ``wanted`` is whether it should be running."""

    process: Process
    log: Path
    child: Child | None = None
    address: str = ""
    wanted: bool = False
    held: bool = False
    starts: int = 0


class ProcessImplementation:
    """Runs the processes of a descriptor against a cluster. ``directory`` is for logs."""

    def __init__(
        self,
        descriptor: Descriptor,
        cluster: Cluster,
        *,
        directory: Path,
        supervisor: Supervisor = SUPERVISOR,
    ) -> None:
        self._descriptor = descriptor
        self._cluster = cluster
        self._directory = directory
        self._supervisor = supervisor
        self._lock = threading.RLock()
        self._components = {
            process.component: _Component(process, directory / f"{process.component}.log")
            for process in descriptor.processes
        }

    @property
    def name(self) -> str:
        """See Implementation."""
        return self._descriptor.title

    @property
    def queue_namespace(self) -> str:
        """See Implementation."""
        return self._descriptor.queue_namespace

    @property
    def features(self) -> frozenset[str]:
        """See Implementation."""
        return self._descriptor.features

    @property
    def restart_count(self) -> int:
        """See Implementation."""
        return sum(max(0, component.starts - 1) for component in self._components.values())

    def start(self) -> None:
        """See Implementation; what runs already is left alone."""
        with self._lock:
            asked = [each for each in self._components.values() if not _runs(each)]
            for component in asked:
                self._launch(component)
            for component in self._components.values():
                self._wait_ready(component)

    def stop(self) -> None:
        """See Implementation."""
        with self._lock:
            for component in self._components.values():
                component.wanted = False
                if component.child is not None:
                    component.child.terminate()
                    self._thaw(component)
            for component in self._components.values():
                if component.child is not None:
                    component.child.wait_or_kill(seconds=STOP_SECONDS)

    def restart(self) -> None:
        """See Implementation."""
        with self._lock:
            self.stop()
            self.start()

    def kill(self) -> None:
        """See Implementation."""
        with self._lock:
            for component in self._components.values():
                component.wanted = component.held = False
                if component.child is not None:
                    component.child.kill()

    def hold(self, component: str) -> None:
        """See Implementation."""
        with self._lock:
            held = self._component(component)
            if not _runs(held):
                raise ImplementationError(f"{component} cannot be held: it is not running")
            assert held.child is not None
            held.child.signal(signal.SIGSTOP)
            _wait_stopped(held.child)
            held.held = True

    def release(self, component: str) -> None:
        """See Implementation."""
        with self._lock:
            held = self._component(component)
            self._thaw(held)
            self._wait_ready(held)

    def restore(self) -> None:
        """See Implementation."""
        with self._lock:
            for component in self._components.values():
                self._thaw(component)
            self.start()

    def log_mark(self) -> LogMark:
        """See Implementation."""
        return LogMark({name: _size(component.log) for name, component in self._components.items()})

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:
        """See Implementation."""
        return {
            name: _text(component.log, since.positions.get(name, 0) if since else 0)
            for name, component in self._components.items()
        }

    def metrics(self) -> Sequence[Sample]:
        """See Implementation."""
        return [
            sample
            for component in self._components.values()
            if component.process.metrics is not None
            for sample in self._samples(component, component.process.metrics)
        ]

    def alive(self) -> str | None:
        """See Implementation."""
        for component in self._components.values():
            if component.wanted and component.child is not None:
                fate = component.child.fate()
                if fate is not None:
                    return f"{fate}; its last lines:\n{component.child.tail(TAIL_LINES)}"
        return None

    def _component(self, name: str) -> _Component:
        if name not in self._components:
            known = ", ".join(self._components)
            raise ImplementationError(f"{self.name} has no component {name}; it has {known}")
        return self._components[name]

    def _launch(self, component: _Component) -> None:
        process = component.process
        (port,) = free_ports(1)
        component.address = f"{LOOPBACK}:{port}"
        values = {
            "python": sys.executable,
            "kubeconfig": str(self._kubeconfig(process)),
            "config": str(self._config()),
            "metrics_address": component.address,
        }
        command = [_filled(word, values) for word in process.command]
        component.child = Child(
            command,
            log=component.log,
            env=_environment(),
            name=process.component,
            cwd=self._directory,
            supervisor=self._supervisor,
        )
        try:
            component.child.start()
        except ClusterError as error:
            raise ImplementationError(f"{self.name}: {error}") from error
        component.starts += 1
        component.wanted = True
        component.held = False

    def _kubeconfig(self, process: Process) -> Path:
        if process.user is None:
            return self._cluster.kubeconfig
        return self._cluster.kubeconfig_for(process.user)

    def _config(self) -> Path:
        file = self._directory / "config.yaml"
        # JSON is YAML; an implementation's file is read by whatever it reads files with.
        file.write_text(json.dumps(self._descriptor.config or {}, indent=2) + "\n", "utf-8")
        return file

    def _wait_ready(self, component: _Component) -> None:
        path = component.process.ready
        deadline = time.monotonic() + READY_SECONDS
        while True:
            child = component.child
            assert child is not None
            fate = child.fate()
            if fate is not None:
                raise ImplementationError(_told(f"{self.name}: {fate}", child))
            if path is None or _answers(component.address, path):
                return
            if time.monotonic() > deadline:
                message = (
                    f"{self.name}: {child.name} is not ready: no 200 from "
                    f"http://{{metrics_address}}{path} within {READY_SECONDS:g} s"
                )
                raise ImplementationError(_told(message, child))
            time.sleep(ASK_EVERY)  # nothing to watch: a process tells it only when asked

    def _thaw(self, component: _Component) -> None:
        if component.held and component.child is not None:
            component.child.signal(signal.SIGCONT)
        component.held = False

    def _samples(self, component: _Component, path: str) -> list[Sample]:
        url = f"http://{component.address}{path}"
        try:
            with OPENER.open(url, timeout=ANSWER_SECONDS) as page:
                text = page.read().decode("utf-8", "replace")
        except OSError as error:
            raise ImplementationError(f"{self.name}: metrics at {url}: {error}") from error
        return [
            Sample(sample.name, dict(sample.labels), float(sample.value))
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        ]


def _runs(component: _Component) -> bool:
    return component.child is not None and component.child.alive


def _filled(word: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _environment() -> dict[str, str]:
    """Ours, without what would lead it to another cluster or through a proxy."""
    unwanted = {"kubeconfig", "http_proxy", "https_proxy", "all_proxy"}
    return {key: value for key, value in os.environ.items() if key.lower() not in unwanted}


def _answers(address: str, path: str) -> bool:
    try:
        with OPENER.open(f"http://{address}{path}", timeout=ANSWER_SECONDS) as page:
            return bool(page.status == 200)
    except (URLError, OSError):
        return False


def _wait_stopped(child: Child) -> None:
    """A signal takes effect a moment later: returns when the process stands still, or is gone."""
    assert child.pid is not None
    with suppress(ChildProcessError):  # somebody else has already heard of its end
        os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


def _told(message: str, child: Child) -> str:
    lines = child.tail(TAIL_LINES)
    return f"{message}; its last lines:\n{lines}" if lines else message


def _size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def _text(log: Path, start: int) -> str:
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(start)
        return file.read().decode("utf-8", "replace")
