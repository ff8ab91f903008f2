"""A control plane that outlives the command that started it.

``queuecheck.cli.owner`` is the process that owns it, detached from any
terminal; all else ends with it, by the watchdog also if it is killed. Its directory,
``$XDG_STATE_HOME/queuecheck/<name>``, has a lock that it holds while it lives: so whether it runs
is a question to the kernel, never to a file that a crash has left behind. Who asks shares the lock
with others who ask; and only who has it alone writes there what tells of the owner, or removes it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.processes import tail
from queuecheck.interruption import held_back

DOWN_SECONDS = 10.0
# Of somebody who has the lock alone, or asks for it, until that is over; of an owner that has just
# begun, until it has said which process it is.
MOMENT_SECONDS = 1.0
ASK_EVERY = 0.05
LEAST_ROOM = 64 * 1024
NAME_PATTERN = re.compile(r"[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?")
NAME_RULE = (
    "at most 42 small letters, digits and hyphens, beginning and ending with a letter or digit"
)


class Playground:
    """The cluster of a name, from outside."""

    def __init__(self, name: str) -> None:
        if not NAME_PATTERN.fullmatch(name):
            raise ClusterError(f"{name!r} is no name: {NAME_RULE}")
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        self.name = name
        self.directory = Path(base) / "queuecheck" / name
        self.log = self.directory / "cluster.log"
        self.owner = self.directory / "owner"

    def up(self, *, controller: bool) -> Path:
        """Starts it and returns the administrator's kubeconfig. Raises ClusterError."""
        if self.running():
            raise self._already_running()
        try:
            self._prepare_directory()
            code = self._begin(controller=controller)
        except ClusterError:
            raise
        except BaseException:
            self._discard()
            raise
        if code is not None:
            why = self._why_not_started(code)
            self._discard()
            raise ClusterError(f"cluster {self.name} did not start: {why}")
        return self.kubeconfig()

    def down(self) -> bool:
        """Ends it; False if it was not running. What a crash has left is removed as well.

        Raises ClusterError if it does not end, or does not say which process it is.
        """
        owner = self._running_owner()
        if owner is not None:
            _signal(owner, signal.SIGTERM)
            if not self._ended_within(DOWN_SECONDS):
                _signal(owner, signal.SIGKILL)
                if not self._ended_within(DOWN_SECONDS):
                    raise ClusterError(f"cluster {self.name} does not end; see {self.log}")
        self._discard()
        return owner is not None

    def kubeconfig(self) -> Path:
        """Raises ClusterError if it is not running, or has only begun to."""
        if not self.running():
            raise ClusterError(
                f"cluster {self.name} is not running; "
                f"queuecheck cluster up --name {self.name} starts it"
            )
        file = self.directory / "kubeconfig"
        if not file.exists():
            raise ClusterError(f"cluster {self.name} is only just starting")
        return file

    def running(self) -> bool:
        """Whether an owner holds the lock; who asks meanwhile gets the same answer."""
        try:
            with self._locked(fcntl.LOCK_SH):
                return False
        except BlockingIOError:
            return True
        except OSError:  # there is no such file, so nobody can hold it
            return False

    @contextmanager
    def lock(self, *, patience: float = MOMENT_SECONDS) -> Iterator[None]:
        """Had alone, by the owner as long as it lives.

        Raises BlockingIOError if another still has it after so many seconds: who only asks does not
        keep it for as long. Raises ClusterError if ``down`` has removed the directory meanwhile.
        """
        deadline = time.monotonic() + patience
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(self._locked(fcntl.LOCK_EX))
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise
                except FileNotFoundError as error:
                    raise ClusterError(f"{self.directory} was removed meanwhile") from error
                time.sleep(ASK_EVERY)
            yield

    def _begin(self, *, controller: bool) -> int | None:
        """Starts the owner, which goes on by itself; its exit code where it does not."""
        command = [sys.executable, "-P", "-m", "queuecheck.cli.owner", self.name]
        if not controller:
            command.append("--no-controller")
        process: subprocess.Popen[bytes] | None = None
        try:
            # It ends with nobody: from its first moment on it has to be known to whom is to end it.
            with held_back(), self.log.open("ab") as log:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    start_new_session=True,
                )
            assert process.stdout is not None
            with process.stdout as answer:
                word = answer.readline().decode().strip()
            if word != "ready":
                return process.wait()
            process.returncode = 0  # it is meant to outlive us; its end is not ours to wait for
            return None
        except BaseException:
            if process is not None:
                with process:  # until it has ended
                    process.terminate()
            raise

    def _prepare_directory(self) -> None:
        """Without what an earlier one has left behind; the lock file is never replaced."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.directory / "lock").touch(mode=0o600)
            with self.lock():
                for stale in ("kubeconfig", "owner"):
                    (self.directory / stale).unlink(missing_ok=True)
                self.log.write_bytes(b"")
        except BlockingIOError as error:  # another start was quicker
            raise self._already_running() from error
        except OSError as error:
            raise ClusterError(f"{self.directory}: {error.strerror}; set XDG_STATE_HOME") from error

    def _discard(self) -> None:
        """Removes what is left of one that has ended, unless another has begun meanwhile."""
        with suppress(OSError, ClusterError), self.lock():
            shutil.rmtree(self.directory, ignore_errors=True)

    def _already_running(self) -> ClusterError:
        return ClusterError(
            f"cluster {self.name} is already running; "
            f"queuecheck cluster down --name {self.name} ends it"
        )

    def _why_not_started(self, code: int) -> str:
        if code == 0:  # as it ends when it is asked to
            return "it was told to end"
        # Whoever told it to end may have removed the directory.
        with suppress(OSError):
            if shutil.disk_usage(self.directory).free < LEAST_ROOM:
                # The log, on the same disk, could not say so.
                return f"no room left in {self.directory}; free some, or set XDG_STATE_HOME"
        return tail(self.log, lines=15) or f"its owner ended with exit code {code}"

    def _running_owner(self) -> int | None:
        """The process that holds the lock, None if there is none. Raises ClusterError."""
        deadline = time.monotonic() + MOMENT_SECONDS
        while self.running():
            with suppress(OSError, ValueError):  # it has the lock before it says who it is
                return int(self.owner.read_text(encoding="utf-8"))
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"cluster {self.name} is running, but {self.owner} does not say as which "
                    "process; it is the one that has the file lock beside it open"
                )
            time.sleep(ASK_EVERY)
        return None

    def _ended_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.running():
            if time.monotonic() > deadline:
                return False
            time.sleep(ASK_EVERY)
        return True

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        """Raises BlockingIOError if another has the lock."""
        file = self.directory / "lock"
        descriptor = os.open(file, os.O_RDWR)
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            # Whoever had it may have removed the file: what is locked then is nobody's.
            if not os.path.samestat(os.fstat(descriptor), file.stat()):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file))
            yield
        finally:
            os.close(descriptor)


def _signal(process: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it has ended by itself
        os.kill(process, number)
