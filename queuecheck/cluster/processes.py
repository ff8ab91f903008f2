"""Child processes that never outlive us.

Every child leads a session and process group of its own, so that Ctrl-C at the terminal reaches
us alone and its end is ours to order. A watchdog process (see ``watchdog``) ends what is left when
we are gone. A child does nothing before the watchdog knows it: it waits, as a shell, for a line
from us, and only then becomes the program (same pid); if we die first, it never runs.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from queuecheck.cluster import watchdog
from queuecheck.cluster.errors import ProcessError

STOP_SECONDS = 2.0
TAIL_BYTES = 64 * 1024
# "$@" is the program with its arguments; descriptor 0 is the gate.
GATE = 'read -r go || exit 125; exec "$@" </dev/null'


class Supervisor:
    """The processes and directories of one owner. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def watch(self, pid: int) -> None:
        """From now on the process does not outlive us."""
        self._order(f"+ {pid} {watchdog.started(pid)}")

    def forget(self, pid: int) -> None:
        """It has ended, and its number may be given to another."""
        self._order(f"- {pid}")

    def own_directory(self, directory: Path) -> None:
        """From now on the directory does not outlive us."""
        self._order(f"d {directory}")

    def remove_directory(self, directory: Path) -> None:
        """Removes an owned directory now. Raises nothing if it is already gone."""
        shutil.rmtree(directory, ignore_errors=True)
        if not directory.exists():
            self._order(f"x {directory}")

    def close(self) -> None:
        """Ends whatever is left, as if we were gone, and waits for that."""
        with self._lock:
            dog, self._watchdog = self._watchdog, None
        if dog is not None:
            assert dog.stdin is not None
            dog.stdin.close()
            dog.wait()

    def _order(self, line: str) -> None:
        if "\n" in line:
            raise ProcessError(f"a path with a line break in it cannot be used: {line!r}")
        with self._lock:
            # After a fork without exec the pipe is the parent's, and so are its processes.
            if self._watchdog is None or self._owner != os.getpid():
                self._owner = os.getpid()
                self._watchdog = subprocess.Popen(
                    [sys.executable, "-I", "-S", watchdog.__file__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    cwd="/",
                )
            pipe = self._watchdog.stdin
            assert pipe is not None
            try:
                pipe.write(line.encode() + b"\n")
                pipe.flush()
            except BrokenPipeError as error:
                raise ProcessError("the watchdog of the child processes was killed") from error


SUPERVISOR = Supervisor()


class Child:
    """One program, started, observed and ended. ``name`` is what messages call it.

    ``log`` takes standard output and standard error, appended over restarts. ``env`` is the whole
    environment, or None for ours.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        name: str | None = None,
        cwd: Path | None = None,
        supervisor: Supervisor = SUPERVISOR,
    ) -> None:
        self.command = tuple(command)
        self.log = log
        self.name = name or Path(self.command[0]).name
        self._env = None if env is None else dict(env)
        self._cwd = cwd
        self._supervisor = supervisor
        self._process: subprocess.Popen[bytes] | None = None
        self._cleared = True

    @property
    def pid(self) -> int | None:
        """The process number, also after its end; None before the first start."""
        return None if self._process is None else self._process.pid

    @property
    def exit_code(self) -> int | None:
        """As ``subprocess`` has it (negative for a signal); None while it runs or never ran."""
        return None if self._process is None else self._process.poll()

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the program; once it has ended, again. Raises ProcessError."""
        if self.alive:
            raise ProcessError(f"{self.name} is already running")
        if shutil.which(self.command[0]) is None:
            raise ProcessError(f"{self.name}: {self.command[0]} is not a program that can be run")
        try:
            output = self.log.open("ab")
        except OSError as error:
            raise ProcessError(f"{self.name}: log {self.log}: {error.strerror}") from error
        with output:
            process = subprocess.Popen(
                ["/bin/sh", "-c", GATE, self.name, *self.command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._env,
                cwd=self._cwd,
                start_new_session=True,
            )
        self._process, self._cleared = process, False
        assert process.stdin is not None
        with process.stdin as gate:
            self._supervisor.watch(process.pid)
            gate.write(b"go\n")

    def stop(self, *, seconds: float = STOP_SECONDS) -> int | None:
        """TERM, and KILL if it has not ended after ``seconds``. Returns its exit code."""
        self.terminate()
        return self.wait_or_kill(seconds=seconds)

    def terminate(self) -> None:
        """Asks it to end, without waiting."""
        self._signal(signal.SIGTERM)

    def wait_or_kill(self, *, seconds: float = STOP_SECONDS) -> int | None:
        """The second half of ``stop``, so that several children can be asked first."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.kill()

    def kill(self) -> int | None:
        """KILL to it and to whatever it started; waits for its end, which is immediate."""
        if self._process is None:
            return None
        if self._cleared:  # the number of its group may be another's by now
            return self._process.returncode
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self._cleared = True
        with suppress(ProcessError):
            self._supervisor.forget(self._process.pid)
        return code

    def signal(self, number: int) -> None:
        """Sends a signal to the program alone (SIGSTOP, SIGCONT, SIGHUP …)."""
        if self._process is not None:
            self._process.send_signal(number)

    def wait(self, seconds: float) -> int | None:
        """Its exit code, or None if it still runs after so many seconds."""
        if self._process is None:
            return None
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def tail(self, lines: int = 20) -> str:
        """The last lines of the log, of this run and those before."""
        return tail(self.log, lines=lines)

    def fate(self) -> str | None:
        """Why it is not running, in words; None while it is."""
        if self._process is None:
            return f"{self.name} was not started"
        code = self._process.poll()
        if code is None:
            return None
        if code < 0:
            return f"{self.name} was ended by {signal.Signals(-code).name}"
        return f"{self.name} ended with exit code {code}"

    def _signal(self, number: int) -> None:
        if self.alive:
            assert self._process is not None
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


def tail(log: Path, *, lines: int = 20) -> str:
    """The last lines of a file that may be long, or not be there."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
