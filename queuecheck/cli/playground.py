"""A control plane that outlives the command that started it.

``queuecheck.cli.owner`` is the process that owns it, detached from any
terminal; all else ends with it, by the watchdog also if it is killed. Its directory,
``$XDG_STATE_HOME/queuecheck/<name>``, has a lock that it holds while it lives: so whether it runs
is a question to the kernel, never to a file that a crash has left behind.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.processes import tail

DOWN_SECONDS = 10.0
ASK_EVERY = 0.05
LEAST_ROOM = 64 * 1024
NAME_PATTERN = re.compile(r"[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?")


class Playground:
    """The cluster of a name, from outside."""

    def __init__(self, name: str) -> None:
        if not NAME_PATTERN.fullmatch(name):
            raise ClusterError(f"{name!r} is no name: small letters, digits and hyphens only")
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        self.name = name
        self.directory = Path(base) / "queuecheck" / name
        self.log = self.directory / "cluster.log"
        self.owner = self.directory / "owner"

    def up(self, *, controller: bool) -> Path:
        """Starts it and returns the administrator's kubeconfig. Raises ClusterError."""
        if self.running():
            raise ClusterError(
                f"cluster {self.name} is already running; "
                f"queuecheck cluster down --name {self.name} ends it"
            )
        self._prepare_directory()
        command = [sys.executable, "-P", "-m", "queuecheck.cli.owner", self.name]
        if not controller:
            command.append("--no-controller")
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert process.stdout is not None
        try:
            with process.stdout as answer:
                word = answer.readline().decode().strip()
        except BaseException:
            process.terminate()
            process.wait()
            self._remove()
            raise
        if word != "ready":
            process.wait()
            said = tail(self.log, lines=15)
            full = shutil.disk_usage(self.directory).free < LEAST_ROOM
            self._remove()
            if full:  # which the log, on the same disk, could not say
                said = f"no room left in {self.directory}; free some, or set XDG_STATE_HOME"
            raise ClusterError(f"cluster {self.name} did not start: {said}")
        process.returncode = 0  # it is meant to outlive us; its end is not ours to wait for
        return self.kubeconfig()

    def down(self) -> bool:
        """Ends it; False if it was not running. What a crash has left is removed as well."""
        was_running = self.running()
        if was_running:
            with suppress(ProcessLookupError):
                os.kill(self._pid(), signal.SIGTERM)
            if not self._ended_within(DOWN_SECONDS):
                os.kill(self._pid(), signal.SIGKILL)
                if not self._ended_within(DOWN_SECONDS):
                    raise ClusterError(f"cluster {self.name} does not end; see {self.log}")
        shutil.rmtree(self.directory, ignore_errors=True)
        return was_running

    def kubeconfig(self) -> Path:
        """Raises ClusterError if it is not running."""
        if not self.running():
            raise ClusterError(
                f"cluster {self.name} is not running; "
                f"queuecheck cluster up --name {self.name} starts it"
            )
        return self.directory / "kubeconfig"

    def running(self) -> bool:
        """Whether somebody holds the lock."""
        try:
            with self.lock():
                return False
        except BlockingIOError:
            return True
        except OSError:  # there is no such file, so nobody can hold it
            return False

    def _prepare_directory(self) -> None:
        """Without what an earlier one has left behind; the lock file is never replaced."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.directory / "lock").touch(mode=0o600)
            for stale in ("kubeconfig", "owner"):
                (self.directory / stale).unlink(missing_ok=True)
        except OSError as error:
            raise ClusterError(f"{self.directory}: {error.strerror}; set XDG_STATE_HOME") from error

    def _remove(self) -> None:
        """What a start that failed has left, unless another start was quicker."""
        if not self.running():
            shutil.rmtree(self.directory, ignore_errors=True)

    def _pid(self) -> int:
        return int(self.owner.read_text(encoding="utf-8"))

    def _ended_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.running():
            if time.monotonic() > deadline:
                return False
            time.sleep(ASK_EVERY)
        return True

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Held by the owner. Raises BlockingIOError if another holds it."""
        descriptor = os.open(self.directory / "lock", os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        finally:
            os.close(descriptor)
