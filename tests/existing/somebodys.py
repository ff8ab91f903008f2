"""A cluster that is somebody else's: how tests reach it, and run the suite on it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from queuecheck import resources
from queuecheck.cluster import LocalCluster
from queuecheck.kube import Api
from queuecheck.kube.resource import SERVICE_ACCOUNTS

CONTEXT = "somebodys"
TESTS = "tests"
SECONDS = 500
QUEUECHECK = (sys.executable, "-m", "queuecheck")


@dataclass(frozen=True)
class Somebodys:
    """The cluster: its administrator, and the suite's own user with the roles that we ship."""

    cluster: LocalCluster
    admin: Api
    suite: Path
    audit: Path

    def queuecheck(self, *words: str, kubeconfig: Path | None = None) -> list[str]:
        """The command line of ``run`` or ``clean`` there, as the suite's user."""
        command, *others = words
        return [
            *(*QUEUECHECK, command),
            *(["--cluster", "existing"] if command == "run" else []),
            *("--kubeconfig", str(kubeconfig or self.suite), "--context", CONTEXT),
            *others,
        ]

    def requests(self) -> list[dict[str, Any]]:
        """What the suite's user has asked for, as far as the server's audit log has it.

        A request is written down after it was answered, and a watch when it has ended.
        """
        text = self.audit.read_text("utf-8")
        whole = text[: text.rfind("\n") + 1]  # a line may be just being written
        return [json.loads(line) for line in whole.splitlines()]


def play(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs it from the checkout, without a terminal."""
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
        cwd=resources.CHECKOUT,
    )


def answer(command: list[str], question: str, keys: bytes) -> tuple[int, list[str]]:
    """Runs it in a terminal, where the question is answered: exit code, and what is to be read."""
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", *command],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=resources.CHECKOUT,
    )
    os.close(inner)
    try:
        read = b""
        while chunk := _read(terminal):
            asked = question.encode() in read
            read += chunk
            if not asked and question.encode() in read:
                # A Ctrl-C between the question and the wait for its answer would not end the wait.
                while not _asleep(process.pid):
                    os.sched_yield()
                os.write(terminal, keys)
    except BaseException:
        process.kill()
        raise
    finally:
        os.close(terminal)
        code = process.wait()
    return code, read.decode().replace("\r\n", "\n").splitlines()


def _asleep(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    return state == "S"


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # as Linux says that nobody has the other end any more
        return b""


def token(admin: Api, namespace: str = "queuecheck", name: str = "suite") -> str:
    """A token of a service account."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    answer = admin.create(
        SERVICE_ACCOUNTS, body, namespace=namespace, name=name, subresource="token"
    )
    return str(answer["status"]["token"])
