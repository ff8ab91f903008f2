"""What every kind of cluster offers to the engine, however it came to be.

What it can do beyond that is a set of capabilities (see ``words``), known once it has started.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from queuecheck.cluster.nodes import NodeDriver


class Cluster(Protocol):
    """An API server with its controllers and a scheduler, and a way to play nodes on it."""

    @property
    def name(self) -> str:
        """What the cluster is called where several are listed."""

    @property
    def reason(self) -> str:
        """Which cluster this is and why it was chosen: the first line of a summary."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Words of ``words.CAPABILITIES``; empty before ``start``."""

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""

    @property
    def nodes(self) -> NodeDriver:
        """Decides which pods find room and what becomes of them."""

    @property
    def serving_certificate(self) -> tuple[Path, Path] | None:
        """The API server's own certificate and its key, where we have them."""

    def kubeconfig_for(self, user: str, *, account: str | None = None) -> Path:
        """The kubeconfig of a component's user, with the rights of that service account.

        A cluster may have either; ``account`` is ``namespace/name``. Raises ClusterError if there
        is neither.
        """

    def export_logs(self, directory: Path) -> None:
        """Writes there what the cluster itself has logged, where it keeps more than a run does."""

    def start(self) -> None:
        """Returns when the cluster can be used. Raises ClusterError, and then leaves nothing."""

    def stop(self) -> None:
        """Leaves nothing behind that ``start`` made. Harmless if it has not started.

        Raises ClusterError with a line for each thing that could not be taken away.
        """
