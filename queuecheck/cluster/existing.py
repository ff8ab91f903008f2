"""The provider ``existing``: a cluster that somebody else made, and goes on using.

Nothing of it is ours but what this run makes. The components of an implementation that the suite
runs itself come in as their service accounts, with a token that the server makes for the purpose.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from queuecheck.cluster import kubeconfig
from queuecheck.cluster.capabilities import found_out
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.connection import Connection
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.nodes import NodeDriver
from queuecheck.cluster.processes import SUPERVISOR
from queuecheck.cluster.real_nodes import RealNodes
from queuecheck.cluster.simulated import SimulatedNodes
from queuecheck.cluster.workload import Workload
from queuecheck.kube import (
    Api,
    ApiError,
    KubeconfigError,
    KubeObject,
    Unreachable,
    going_on,
)
from queuecheck.kube.resource import NAMESPACES


class ExistingCluster:
    """The cluster of a kubeconfig and a context, both named by the user.

    ``namespace`` is the run's own: ``start`` makes it, with the annotations, and what is tried out
    happens in there. ``labels`` are on all that is made here. ``keeps`` tells in the end whether
    that namespace stays, because something of the run is left that is found by it.
    """

    def __init__(
        self,
        choice: ClusterChoice,
        *,
        namespace: str,
        labels: Mapping[str, str],
        annotations: Mapping[str, str],
        keeps: Callable[[], bool] = lambda: False,
    ) -> None:
        if choice.kubeconfig is None or choice.context is None:
            raise ClusterError("; ".join(choice.problems()))
        self.name = choice.context
        self._file = choice.kubeconfig
        self._choice = choice
        self._namespace = namespace
        self._labels = dict(labels)
        self._annotations = dict(annotations)
        self._keeps = keeps
        self._capabilities: frozenset[str] = frozenset()
        self._directory: Path | None = None
        self._connection = Connection(self.name)
        self._made = False  # the namespace, or it may be; one of that name may be another run's
        self._simulated: SimulatedNodes | None = None

    @property
    def reason(self) -> str:
        """See Cluster."""
        server = self._connection.api.server if self._connection.is_open else "not connected"
        return f"cluster {self.name}: {server}, named by --kubeconfig and --context"

    @property
    def capabilities(self) -> frozenset[str]:
        """See Cluster."""
        return self._capabilities

    @property
    def kubeconfig(self) -> Path:
        """See Cluster; whoever the user's context stands for, administrator or not."""
        return self._opened / "kubeconfig"

    @property
    def nodes(self) -> NodeDriver:
        """See Cluster."""
        return self._connection.nodes

    @property
    def serving_certificate(self) -> tuple[Path, Path] | None:
        """See Cluster."""
        return None

    def kubeconfig_for(self, user: str, *, account: str | None = None) -> Path:
        """See Cluster; the service account has to be there."""
        return self._connection.kubeconfig_for(user, account=account, beside=self.kubeconfig)

    def export_logs(self, directory: Path) -> None:
        """See Cluster: what a cluster of somebody else's logs is not ours to take."""

    def start(self) -> None:
        """See Cluster."""
        try:
            self._start()
        except (ApiError, KubeconfigError) as error:
            told = [f"cluster {self.name}: {error}", *self._leave()]
            raise ClusterError("\n".join(told)) from error
        except BaseException:
            self._leave()
            raise

    def stop(self) -> None:
        """See Cluster. What cannot be taken away is left to ``queuecheck clean``."""
        if left := self._leave():
            raise ClusterError("\n".join(left))

    def _leave(self) -> list[str]:
        """What could not be taken away, a line each."""
        left: list[str] = []
        self._connection.leave_nodes()
        try:
            if self._simulated is not None:
                left += self._simulated.remove()
            if self._made and not self._keeps():
                with going_on(left):
                    self._connection.api.delete(NAMESPACES, self._namespace)
        except Unreachable as error:
            left.append(str(error))
        self._connection.close()
        self._made = False
        if self._directory is not None:
            SUPERVISOR.remove_directory(self._directory)
        self._simulated = self._directory = None
        self._capabilities = frozenset()
        return left

    @property
    def _opened(self) -> Path:
        if self._directory is None:
            raise ClusterError(f"cluster {self.name} is not connected")
        return self._directory

    def _make_namespace(self, api: Api, body: KubeObject) -> None:
        self._made = True  # before it is there: an answer can be lost, or a Ctrl-C come
        try:
            api.create(NAMESPACES, body)
        except ApiError as error:
            self._made = error.transient
            raise

    def _start(self) -> None:
        document = kubeconfig.read_context(self._file, self.name)
        self._directory = Path(tempfile.mkdtemp(prefix="queuecheck-"))
        SUPERVISOR.own_directory(self._directory)
        kubeconfig.write(document, self.kubeconfig)
        api = self._connection.open(self.kubeconfig)
        metadata = {
            "name": self._namespace,
            "labels": self._labels,
            "annotations": self._annotations,
        }
        self._make_namespace(api, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        words = {*found_out(api, namespace=self._namespace)}
        if self._choice.nodes == "simulated":
            nodes = self._simulated = SimulatedNodes(
                api, prefix=self._namespace, labels=self._labels, heartbeat=True
            )
            self._connection.play(nodes)
            words.add("simulated-nodes")
        else:
            named = self._choice.workload
            workload = Workload(named, pulled=True) if named else Workload()
            self._connection.play(RealNodes(api, workload))
        self._capabilities = frozenset(words)
