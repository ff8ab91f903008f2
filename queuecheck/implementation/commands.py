"""Commands of the implementer's own, in place of verbs.

A command is run once for each instance that the verb is about, and has had its effect when it ends
with exit code 0. What it prints is the answer where the verb has one: the log so far, the page of
metrics. Verbs without a command are done as they would be anyway.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from queuecheck.cluster import Cluster
from queuecheck.implementation import pages
from queuecheck.implementation.config_map import rendered
from queuecheck.implementation.descriptor import Descriptor
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.instance import environment
from queuecheck.implementation.verbs import Implementation, LogMark, Sample
from queuecheck.interruption import held_back

COMMAND_SECONDS = 60.0
TOLD_LINES = 5


class Commanded:
    """An implementation some of whose verbs are commands; all others are the inner one's."""

    def __init__(
        self, inner: Implementation, descriptor: Descriptor, cluster: Cluster, *, directory: Path
    ) -> None:
        self._inner = inner
        self._descriptor = descriptor
        self._cluster = cluster
        self._directory = directory
        self._components = [each.component for each in descriptor.processes]
        self._components += [each.component for each in descriptor.deployments]
        self._undo: dict[str, str] = {}  # by instance: the verb that takes back what was done
        self._reconfigured = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def start(self, instance: str | None = None) -> None:
        """See Implementation."""
        self._act("start", instance)

    def stop(self, instance: str | None = None) -> None:
        """See Implementation."""
        self._act("stop", instance, undo="start")

    def restart(self, instance: str | None = None) -> None:
        """See Implementation."""
        self._act("restart", instance)

    def kill(self, instance: str | None = None) -> None:
        """See Implementation."""
        self._act("kill", instance, undo="start")

    def hold(self, instance: str | None = None) -> None:
        """See Implementation."""
        self._act("hold", instance, undo="release")

    def release(self, instance: str | None = None) -> None:
        """See Implementation."""
        self._act("release", instance)

    def reconfigure(self, config: Mapping[str, Any]) -> None:
        """See Implementation; ``{config}`` is the file."""
        if "reconfigure" not in self._descriptor.verbs:
            self._inner.reconfigure(config)
            return
        file = self._directory / "own-config.yaml"
        file.write_text(rendered(config), encoding="utf-8")
        self._reconfigured = True  # before it is, or only some are: a Ctrl-C may come
        for each in self._components:
            self._run("reconfigure", each, config=str(file))
        self._reconfigured = config != self._inner.config

    def uninstall(self) -> None:
        """See Implementation."""
        if "uninstall" not in self._descriptor.verbs:
            self._inner.uninstall()
            return
        for each in self._components:
            self._do("uninstall", each, undo="start")

    def restore(self) -> None:
        """See Implementation: what commands did, commands take back; then the inner one does."""
        for instance, verb in list(self._undo.items()):
            self._act(verb, instance)
        if self._reconfigured:
            self.reconfigure(self._inner.config)
        if "start" not in self._descriptor.verbs:
            self._inner.restore()

    def close(self) -> None:
        """See Implementation."""
        if "stop" in self._descriptor.verbs:
            self.stop()
        self._inner.close()

    def alive(self) -> str | None:
        """See Implementation; what a command has ended or held is not expected to be."""
        return None if self._undo else self._inner.alive()

    def log_mark(self) -> LogMark:
        """See Implementation."""
        if "logs" not in self._descriptor.verbs:
            return self._inner.log_mark()
        return LogMark({name: len(text) for name, text in self.logs().items()})

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:
        """See Implementation; the command prints all that there is."""
        if "logs" not in self._descriptor.verbs:
            return self._inner.logs(since)
        start = since.positions if since else {}
        return {each: self._run("logs", each)[start.get(each, 0) :] for each in self._components}

    def metrics(self, instance: str | None = None) -> Sequence[Sample]:
        """See Implementation; the command prints a page in the Prometheus text format."""
        if "metrics" not in self._descriptor.verbs:
            return self._inner.metrics(instance)
        asked = self._components if instance is None else [instance]
        return [sample for each in asked for sample in pages.parsed(self._run("metrics", each))]

    def _act(self, verb: str, instance: str | None, *, undo: str | None = None) -> None:
        if verb not in self._descriptor.verbs:
            getattr(self._inner, verb)(instance)
            asked = self._components if instance is None else [instance]
            for each in asked:
                self._undo.pop(each, None)
            return
        for each in self._components if instance is None else [instance]:
            self._do(verb, each, undo=undo)

    def _do(self, verb: str, instance: str, *, undo: str | None) -> None:
        """What is to be undone is so also where Ctrl-C comes before the command has ended."""
        before = dict(self._undo)
        if undo is not None:
            self._undo[instance] = undo
        try:
            self._run(verb, instance)
        except ImplementationError:
            self._undo = before
            raise
        if undo is None:
            self._undo.pop(instance, None)

    def _run(self, verb: str, instance: str, *, config: str = "") -> str:
        """What the command printed. Raises ImplementationError."""
        values = {
            "python": sys.executable,
            "kubeconfig": str(self._cluster.kubeconfig),
            "instance": instance,
            "config": config,
        }
        words = [_filled(word, values) for word in self._descriptor.verbs[verb]]
        told = f"{self._descriptor.title}: {verb} of {instance}"
        if shutil.which(words[0]) is None:
            raise ImplementationError(f"{told}: {words[0]} is not a program that can be run")
        try:
            with _known(words, self._directory) as process:
                output, errors = process.communicate(timeout=COMMAND_SECONDS)
        except OSError as error:
            raise ImplementationError(f"{told}: {words[0]}: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise ImplementationError(
                f"{told}: {words[0]} has not ended within {COMMAND_SECONDS:g} s"
            ) from error
        if process.returncode != 0:
            lines = (errors or output).decode("utf-8", "replace").splitlines()[-TOLD_LINES:]
            tail = f"; it said:\n{chr(10).join(lines)}" if lines else ""
            raise ImplementationError(
                f"{told}: {words[0]} ended with exit code {process.returncode}{tail}"
            )
        return output.decode("utf-8", "replace")


@contextmanager
def _known(words: Sequence[str], directory: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive an error, with whatever it has started.

    In a session of its own, by which all of it can be ended, it does not hear of Ctrl-C.
    """
    with ExitStack() as stack:
        with held_back():
            process = subprocess.Popen(
                words,
                cwd=directory,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )

            def end(kind: type[BaseException] | None, *_: object) -> None:
                if kind is not None:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.communicate()

            stack.push(end)
        yield process


def _filled(word: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word
