"""``queuecheck in-cluster``: a run from a pod of the cluster itself, and its results handed over.

What is handed over is what Sonobuoy asks of a plugin: one archive in the results directory, and
then the file ``done`` with its path, which means that nothing more comes. It is written however the
run ends, or else whoever waits for it would wait in vain.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import click

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
NAME = "in-cluster"
RESULTS = "/tmp/results"  # noqa: S108 - where Sonobuoy has it, unless it says otherwise
VARIABLE = "SONOBUOY_RESULTS_DIR"
ARCHIVE = "results.tar.gz"
LOG = "run.log"
REPORT = "queuecheck"
DONE = "done"
FETCHED = "fetched"
# What is not left to who calls it, and what there is instead.
INSTEAD = {
    **dict.fromkeys(
        ("--cluster", "--kubeconfig", "--context"), "the pod's own cluster is the one that is meant"
    ),
    "--report": "--results says where the report goes",
}
USAGE = 2
ENVIRONMENT = 3
ASK_EVERY = 1.0
RUN = (sys.executable, "-P", "-m", "queuecheck", "run")


class NotInCluster(Exception):
    """What a pod has is not there; the message is one line."""


@click.command(
    NAME,
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  queuecheck in-cluster --implementation /etc/queuecheck/implementation.yaml
  queuecheck in-cluster --results /results --linger 600 --select must --yes

\b
Exit codes:
  those of run; 3 also where this is no pod, or nothing can be written""",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help=f"Where results are handed over (${VARIABLE}, or {RESULTS}).",
)
@click.option(
    "--linger",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help=f"How long the pod stays afterwards, so that the archive can be fetched; a file {FETCHED} "
    "beside it ends that.  [default: not at all]",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS OF RUN]...")
def in_cluster(*, results: Path | None, linger: float, words: tuple[str, ...]) -> int:
    """Run scenarios from a pod of the cluster, and hand the results over.

    The cluster is reached as the pod's service account. In the results directory come: the
    report and its log, results.tar.gz of both, and last the file done, with the archive's path.
    What an earlier run has handed over there is removed first.
    """
    directory = (results or Path(os.environ.get(VARIABLE) or RESULTS)).absolute()
    with _heeding_signals() as run:
        code = run.play(directory, words)
        archive = hand_over(directory)
        # Whoever follows the log would follow it until the pod ends, and then find nothing.
        stays = f"; the pod stays {linger:g} s, or until {directory / FETCHED}" if linger else ""
        click.echo(f"queuecheck: handed over: {archive}{stays}")
        until = time.monotonic() + linger
        while time.monotonic() < until and not run.told and not (directory / FETCHED).exists():
            time.sleep(ASK_EVERY)  # a file that somebody else makes: there is nothing to wait on
    return code


def kubeconfig_of(environment: Mapping[str, str], account: Path) -> dict[str, Any]:
    """How a pod reaches its cluster. The token stays a file: it is renewed. Raises NotInCluster."""
    host = environment.get("KUBERNETES_SERVICE_HOST")
    port = environment.get("KUBERNETES_SERVICE_PORT")
    token, authority = account / "token", account / "ca.crt"
    if not host or not port:
        raise NotInCluster("this is no pod: KUBERNETES_SERVICE_HOST and _PORT are not set")
    for file in (token, authority):
        if not file.is_file():
            raise NotInCluster(
                f"no {file}: the pod needs a service account, and its token to be mounted"
            )
    address = f"[{host}]" if ":" in host else host
    cluster = {"server": f"https://{address}:{port}", "certificate-authority": str(authority)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": {"tokenFile": str(token)}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
    }


def hand_over(directory: Path) -> Path:
    """The archive, then the word that it is whole."""
    archive = directory / ARCHIVE
    part = archive.with_suffix(".part")
    with tarfile.open(part, "w:gz") as packed:
        for name in (REPORT, LOG):
            if (directory / name).exists():
                packed.add(directory / name, name)
    part.replace(archive)
    fresh = directory / f"{DONE}.part"  # it may be looked at in the very moment of writing
    fresh.write_text(str(archive), "utf-8")
    fresh.replace(directory / DONE)
    return archive


def _remove_earlier(directory: Path) -> None:
    """What an earlier run has handed over, lest it should be taken for this one's."""
    for name in (DONE, ARCHIVE, FETCHED):
        (directory / name).unlink(missing_ok=True)
    if (directory / LOG).exists():  # otherwise whatever has the report's name is none of ours
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(directory / REPORT)


class _Run:
    """The run as a process of its own, so that whatever becomes of it there is a word of it."""

    def __init__(self) -> None:
        self.told = False
        self._owed = False  # the run is to be told what came before it was there
        self._process: subprocess.Popen[str] | None = None

    def end(self, number: int, _frame: FrameType | None) -> None:
        """The pod is asked to end: so is the run, which then still reports."""
        self.told = True
        if self._process is None:
            self._owed = True
        else:
            self._process.send_signal(number)

    def play(self, directory: Path, words: tuple[str, ...]) -> int:
        """The run's exit code. What it says is written to a log too."""
        directory.mkdir(parents=True, exist_ok=True)
        _remove_earlier(directory)
        with (
            (directory / LOG).open("w", encoding="utf-8") as log,
            tempfile.TemporaryDirectory(prefix="queuecheck-") as private,
        ):
            if refused := [word for word in words if word.partition("=")[0] in INSTEAD]:
                option = refused[0].partition("=")[0]
                _tell(f"queuecheck: {option}: {NAME} sets it itself; {INSTEAD[option]}\n", log)
                return USAGE
            try:
                document = kubeconfig_of(os.environ, ACCOUNT)
            except NotInCluster as error:
                _tell(f"queuecheck: {error}\n", log)
                return ENVIRONMENT
            kubeconfig = Path(private) / "kubeconfig"
            kubeconfig.write_text(json.dumps(document), "utf-8")  # JSON is YAML
            command = [
                *RUN,
                *("--cluster", "existing", "--kubeconfig", str(kubeconfig), "--context", NAME),
                *("--report", str(directory / REPORT), *words),
            ]
            return self._follow(command, log)

    def _follow(self, command: list[str], log: TextIO) -> int:
        process = self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # it hears of signals from us, and once
        )
        if self._owed:
            process.terminate()
        assert process.stdout is not None
        with process.stdout as said:
            for line in said:
                _tell(line, log)
        return process.wait()


@contextlib.contextmanager
def _heeding_signals() -> Iterator[_Run]:
    run = _Run()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, run.end) for number in numbers]
    try:
        yield run
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _tell(text: str, log: TextIO) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
    log.write(text)
