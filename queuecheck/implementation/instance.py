"""One running copy of a component: a child process, its log, its pages.

To hold it is to freeze its process: it keeps its watches and caches, writes nothing, and goes on
within milliseconds when released.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from queuecheck.cluster import Child, ClusterError
from queuecheck.cluster.ports import LOOPBACK, free_ports
from queuecheck.cluster.processes import Supervisor
from queuecheck.implementation import pages
from queuecheck.implementation.descriptor import Page, Process
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.verbs import Sample

READY_SECONDS = 30.0
STOP_SECONDS = 3.0
ASK_EVERY = 0.03
TAIL_LINES = 15


class Instance:
    """A component's process under a name of its own: ``queue``, and ``queue-2`` for a second one.

    ``owner`` is what messages begin with.
    """

    def __init__(
        self, process: Process, *, name: str, owner: str, directory: Path, supervisor: Supervisor
    ) -> None:
        self.process = process
        self.name = name
        self.log = directory / f"{name}.log"
        self.starts = 0
        self._owner = owner
        self._directory = directory
        self._supervisor = supervisor
        self._child: Child | None = None
        self._address = ""
        self._launched = 0
        self._wanted = False
        self._held = False

    @property
    def runs(self) -> bool:
        """Whether its process is there, held or not."""
        return self._child is not None and self._child.alive

    @property
    def pid(self) -> int | None:
        """The number of its process, also after its end."""
        return None if self._child is None else self._child.pid

    def launch(self, *, kubeconfig: Path, config: Path) -> None:
        """Starts the process, without waiting for it. Raises ImplementationError."""
        for own in self.process.own_ports:
            if pages.is_taken(own):
                raise ImplementationError(
                    f"{self._owner}: port {own}, which {self.name} cannot do without, is another "
                    "program's: end that one first"
                )
        try:
            (port,) = free_ports(1)
        except ClusterError as error:
            raise ImplementationError(f"{self._owner}: {error}") from error
        self._address = f"{LOOPBACK}:{port}"
        command = filled(
            self.process,
            instance=self.name,
            kubeconfig=kubeconfig,
            config=config,
            metrics_address=self._address,
        )
        self._child = Child(
            command,
            log=self.log,
            env=environment(),
            name=self.name,
            cwd=self._directory,
            supervisor=self._supervisor,
        )
        self._launched = self.log.stat().st_size if self.log.exists() else 0
        try:
            self._child.start()
        except ClusterError as error:
            raise ImplementationError(f"{self._owner}: {error}") from error
        self.starts += 1
        self._wanted = True
        self._held = False

    def wait_ready(self) -> None:
        """Returns when its page or its log says so, at once if it has no such thing."""
        deadline = time.monotonic() + READY_SECONDS
        while True:
            child = self._child
            assert child is not None
            fate = child.fate()
            if fate is not None:
                raise ImplementationError(_told(f"{self._owner}: {fate}", child))
            if self._says_ready() in {None, True}:
                return
            if time.monotonic() > deadline:
                message = (
                    f"{self._owner}: {child.name} is not ready: {self._missing()} "
                    f"within {READY_SECONDS:g} s"
                )
                raise ImplementationError(_told(message, child))
            time.sleep(ASK_EVERY)  # nothing to watch: a process tells it only when asked

    def end_unless_ready(self, seconds: float) -> int | None:
        """Its exit code; None once it is ready, or when it still runs after so many seconds."""
        assert self._child is not None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            code = self._child.wait(ASK_EVERY)
            if code is not None:
                return code
            if self._says_ready():
                return None
        return None

    def ask_to_end(self) -> None:
        """The first half of an orderly end, so that several instances can be asked first."""
        self._wanted = False
        if self._child is not None:
            self._child.terminate()
            self.thaw()

    def await_end(self) -> None:
        """The second half; ends it by force if it takes too long."""
        if self._child is not None:
            self._child.wait_or_kill(seconds=STOP_SECONDS)

    def kill(self) -> None:
        """Ends it as a crash would."""
        self._wanted = self._held = False
        if self._child is not None:
            self._child.kill()

    def hold(self) -> None:
        """Freezes it; returns when it stands still. Raises ImplementationError."""
        if not self.runs:
            raise ImplementationError(f"{self.name} cannot be held: it is not running")
        assert self._child is not None
        self._child.signal(signal.SIGSTOP)
        _wait_stopped(self._child)
        self._held = True

    def thaw(self) -> None:
        """Lets it go on, if it was held."""
        if self._held and self._child is not None:
            self._child.signal(signal.SIGCONT)
        self._held = False

    def why_gone(self) -> str | None:
        """None, or how it ended without being asked, with its last words."""
        fate = self._child.fate() if self._wanted and self._child is not None else None
        if fate is None or self._child is None:
            return None
        return _told(fate, self._child)

    def text(self, start: int) -> str:
        """What its log says from that place on."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(start)
            return file.read().decode("utf-8", "replace")

    def samples(self) -> list[Sample]:
        """The samples of its metrics page; none if it has no such page."""
        page = self.process.metrics
        if page is None:
            return []
        url = self._url(page)
        try:
            return pages.samples(url)
        except pages.NoPage as error:
            raise ImplementationError(f"{self._owner}: metrics at {url}: {error}") from error

    def _says_ready(self) -> bool | None:
        """None: it has no way to say so."""
        if self.process.ready_line is not None:
            return self.process.ready_line in self.text(self._launched)
        return None if self.process.ready is None else pages.answers(self._url(self.process.ready))

    def _missing(self) -> str:
        page = self.process.ready
        if page is None:
            return f"no {self.process.ready_line!r} in its log"
        address = "{metrics_address}" if page.port is None else f"{LOOPBACK}:{page.port}"
        return f"no 200 from http://{address}{page.path}"

    def _url(self, page: Page) -> str:
        address = self._address if page.port is None else f"{LOOPBACK}:{page.port}"
        return f"http://{address}{page.path}"


def filled(
    process: Process, *, instance: str, kubeconfig: Path, config: Path, metrics_address: str
) -> tuple[str, ...]:
    """The command of a component with its placeholders filled in."""
    values: Mapping[str, str] = {
        "python": sys.executable,
        "instance": instance,
        "kubeconfig": str(kubeconfig),
        "config": str(config),
        "metrics_address": metrics_address,
    }
    words = []
    for word in process.command:
        for name, value in values.items():
            word = word.replace(f"{{{name}}}", value)  # noqa: PLW2901 - one word, piece by piece
        words.append(word)
    return tuple(words)


def environment() -> dict[str, str]:
    """Ours, without what would lead a component to another cluster or through a proxy."""
    unwanted = {"kubeconfig", "http_proxy", "https_proxy", "all_proxy"}
    return {key: value for key, value in os.environ.items() if key.lower() not in unwanted}


def _wait_stopped(child: Child) -> None:
    """A signal takes effect a moment later: returns when the process stands still, or is gone."""
    assert child.pid is not None
    with suppress(ChildProcessError):  # somebody else has already heard of its end
        os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


def _told(message: str, child: Child) -> str:
    lines = child.tail(TAIL_LINES)
    return f"{message}; its last lines:\n{lines}" if lines else message
