"""The controller as a process, and the objects that it works on as a test watches them."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from queuecheck.kube import Api, Interrupted, KubeObject, Listed, ListWatch, Resource
from tests.fault_server import PATIENCE


class Program:
    """``python -m controller`` with some flags. What it logs is read as it comes.

    ``words`` start another program that takes these flags.
    """

    def __init__(self, *flags: str, words: Sequence[str] = ("-m", "controller")) -> None:
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, *words, *flags],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONWARNINGS": "error"},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()

    def line(self, pattern: str) -> re.Match[str]:
        """The first line of the log that matches, once it is there."""
        return self._found(pattern)[1]

    def place(self, pattern: str, *, after: int = -1) -> int:
        """The number of that line, or of the first one after another."""
        return self._found(pattern, after)[0]

    def _found(self, pattern: str, after: int = -1) -> tuple[int, re.Match[str]]:
        def found() -> tuple[int, re.Match[str]] | None:
            lines = enumerate(self.lines[after + 1 :], after + 1)
            return next(((n, hit) for n, one in lines if (hit := re.search(pattern, one))), None)

        with self._news:
            assert self._news.wait_for(lambda: found() is not None, PATIENCE), self.lines
            hit = found()
        assert hit is not None
        return hit

    def ready(self) -> "Program":
        self.line(r"ready: every cache is complete")
        return self

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        """As a crash would: no last words."""
        self._process.kill()
        self._join()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to stop; gives its exit code."""
        self._process.send_signal(number)
        return self._join()

    def wait(self) -> int:
        """Its exit code, when it ends by itself."""
        return self._join()

    def _join(self) -> int:
        try:
            code = self._process.wait(PATIENCE)
        finally:
            self._process.kill()
        self._reader.join(PATIENCE)
        assert self._process.stderr is not None
        self._process.stderr.close()
        return code


@contextmanager
def running(
    kubeconfig: Path,
    component: str = "all",
    *flags: str,
    words: Sequence[str] = ("-m", "controller"),
) -> Iterator[Program]:
    """The program, started, and killed at the end if it is still there.

    Unless the flags say otherwise, it leads as soon as it is there.
    """
    alone = () if any("leader-elect" in flag for flag in flags) else ("--no-leader-elect",)
    given = (f"--kubeconfig={kubeconfig}", f"--component={component}", "--v=3", *alone, *flags)
    program = Program(*given, words=words)
    try:
        yield program
    finally:
        program.kill()


class History:
    """Every state of each object of one kind in one namespace, in order."""

    def __init__(self, api: Api, resource: Resource, namespace: str) -> None:
        self._watch = ListWatch(api, resource, namespace=namespace)
        self._news = threading.Condition()
        self.states: list[KubeObject] = []
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        for item in self._watch:
            assert not isinstance(item, Interrupted), item
            with self._news:
                if isinstance(item, Listed):
                    self.states += item.objects
                elif item.verb != "DELETED":
                    self.states.append(item.object)
                self._news.notify_all()

    def of(self, name: str) -> list[KubeObject]:
        return [one for one in self.states if one["metadata"]["name"] == name]

    def wait_for(self, condition: Callable[[], Any]) -> None:
        with self._news:
            assert self._news.wait_for(condition, PATIENCE), self.states

    def latest(self, name: str, condition: Callable[[KubeObject], Any]) -> KubeObject:
        """The object once its newest state is such."""
        self.wait_for(lambda: any(map(condition, self.of(name)[-1:])))
        return self.of(name)[-1]

    def close(self) -> None:
        self._watch.stop()
        self._thread.join(PATIENCE)
