"""The suite's own way to a cluster that is up: a client, and who plays the nodes."""

from __future__ import annotations

from pathlib import Path

import yaml

from queuecheck.cluster import kubeconfig
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.nodes import NodeDriver
from queuecheck.cluster.tokens import token_of
from queuecheck.kube import Api


class Connection:
    """Client and nodes, which come one after the other and go together; made without either."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._api: Api | None = None
        self._nodes: NodeDriver | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a client."""
        return self._api is not None

    @property
    def api(self) -> Api:
        """The administrator's client. Raises ClusterError where there is none."""
        if self._api is None:
            raise self._closed()
        return self._api

    @property
    def nodes(self) -> NodeDriver:
        """Raises ClusterError where nobody plays them."""
        if self._nodes is None:
            raise self._closed()
        return self._nodes

    def open(self, file: Path) -> Api:
        """The client, by a kubeconfig; harmless where there is one."""
        if self._api is None:
            self._api = Api.from_kubeconfig(file, user_agent="queuecheck-cluster")
        return self._api

    def kubeconfig_for(self, user: str, *, account: str | None, beside: Path) -> Path:
        """The administrator's kubeconfig once more, for the service account; it has to be there.

        It is written beside the other one. Raises ClusterError.
        """
        if account is None:
            raise ClusterError(
                f"cluster {self._cluster} has no user {user!r}: a process of the descriptor "
                "needs an account, namespace/name, whose rights it has there"
            )
        namespace, _, name = account.partition("/")
        token = token_of(self.api, namespace=namespace, account=name)
        document = yaml.safe_load(beside.read_text("utf-8"))
        return kubeconfig.write(
            kubeconfig.as_token(document, token), beside.with_name(f"{user}.kubeconfig")
        )

    def play(self, nodes: NodeDriver) -> None:
        """From now on the nodes are played by this driver."""
        self._nodes = nodes
        nodes.start()

    def leave_nodes(self) -> None:
        """Nobody plays the nodes any more; harmless where nobody did."""
        if self._nodes is not None:
            self._nodes.stop()
        self._nodes = None

    def close(self) -> None:
        """Neither is there any more; harmless where neither was."""
        self.leave_nodes()
        if self._api is not None:
            self._api.close()
        self._api = None

    def _closed(self) -> ClusterError:
        return ClusterError(f"cluster {self._cluster} is not running")
