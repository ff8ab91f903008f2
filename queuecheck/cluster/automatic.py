"""The provider that is taken where nobody names one: kind where it can be had, else local."""

from __future__ import annotations

from importlib.util import find_spec

from queuecheck.cluster import docker
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.kind_program import find_kind


def choose(*, kind: str | None) -> tuple[str, str]:
    """The provider, and why it is that one; ``kind`` is the program, where it was named."""
    try:
        program = find_kind(kind)
        engine = docker.engine()
    except ClusterError as error:
        # What is to be done about it is for those who want a kind cluster.
        return "local", str(error).partition(":")[0] if kind is None else str(error)
    if find_spec("pytest_kind") is None:
        return "local", "the package pytest-kind is not installed"
    return "kind", f"Docker {engine.version} answers and {program} is there"
