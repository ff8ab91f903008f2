"""The Docker engine: whether it answers, and what it has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass

from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.programs import machine

DEFAULT_HOST = "unix:///var/run/docker.sock"
ANSWER_SECONDS = 15.0
LOCAL = ("unix://", "tcp://127.0.0.1", "tcp://localhost")


@dataclass(frozen=True)
class Engine:
    """An engine that answers. ``memory`` is in bytes, all that it may give to containers."""

    version: str
    machine: str
    memory: int
    host: str

    @property
    def local(self) -> bool:
        """Whether it runs on this very kernel, as far as can be known."""
        return self.host.startswith(LOCAL)


def host() -> str:
    """Where the engine is looked for."""
    return os.environ.get("DOCKER_HOST") or DEFAULT_HOST


def engine() -> Engine:
    """The engine that answers. Raises ClusterError, in one line that says what to do."""
    if shutil.which("docker") is None:
        raise ClusterError(
            "there is no docker on the PATH: install Docker, or take --cluster local"
        )
    answer = _asked("info", "--format", "{{json .}}")
    return read_info(answer.stdout, answer.stderr, host=host())


def read_info(output: str, errors: str, *, host: str) -> Engine:
    """What ``docker info`` says, in JSON. Pure. Raises ClusterError."""
    try:
        info = json.loads(output)
    except ValueError:
        info = {}
    trouble = " ".join([*(info.get("ServerErrors") or ()), errors])
    if info.get("ServerVersion"):
        return Engine(
            version=str(info["ServerVersion"]),
            machine=machine(str(info.get("Architecture"))),
            memory=int(info.get("MemTotal") or 0),
            host=host,
        )
    if "permission denied" in trouble.lower():
        raise ClusterError(
            f"Docker at {host} refuses this user: put the user into the group docker, or name "
            f"another engine in DOCKER_HOST"
        )
    raise ClusterError(
        f"no Docker engine answers at {host}: start Docker, name another engine in DOCKER_HOST, "
        f"or take --cluster local"
    )


def container_id(name: str) -> str:
    """The one and only number of a container; "" if there is none of that name.

    Raises ClusterError where the engine does not answer.
    """
    answer = _asked("container", "inspect", "--format", "{{.Id}}", name)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def _asked(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["docker", *words],
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ClusterError(
            f"Docker does not answer at {host()} within {ANSWER_SECONDS:g} s: start it again, "
            f"or take --cluster local"
        ) from None
