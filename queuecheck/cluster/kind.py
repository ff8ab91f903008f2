"""The provider ``kind``: nodes in containers of a Docker engine, with real kubelets.

A cluster that is ours has a directory of its name in our cache: who made it, who uses it at the
moment (see ``sharing``), its kubeconfig, what kind said. Any other is somebody else's, whatever it
is called. All workers of a run share one; the last one out deletes it, and what a killed run has
left is deleted by the next.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from queuecheck.cluster import docker, sharing
from queuecheck.cluster.awaiting import Objects, await_objects
from queuecheck.cluster.capabilities import found_out
from queuecheck.cluster.connection import Connection
from queuecheck.cluster.credentials import write_private
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.kind_faults import Machine, shortages
from queuecheck.cluster.kind_images import image_of, too_old
from queuecheck.cluster.kind_options import AS_IT_COMES, KindOptions
from queuecheck.cluster.kind_program import Kind, find_kind
from queuecheck.cluster.machine import free_on_machine
from queuecheck.cluster.manifests import apply_manifests
from queuecheck.cluster.nodes import NodeDriver
from queuecheck.cluster.programs import cache_root
from queuecheck.cluster.real_nodes import RealNodes
from queuecheck.cluster.workload import NoProgram, Workload, archive
from queuecheck.kube.resource import NODES, SERVICE_ACCOUNTS

READY_SECONDS = 240.0
KUBECONFIG = "kubeconfig"
OWNER = "owner"
OURS, THEIRS = "ours", "theirs"
MADE = "made"  # all is there, on a cluster whose first node is the container with that number
KEPT = "kept"
INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")


class KindCluster:
    """One process's way to a kind cluster. ``why`` tells why it is this provider."""

    def __init__(
        self,
        run: str,
        options: KindOptions = AS_IT_COMES,
        *,
        why: str = "as asked for",
        manifests: Sequence[Path] = (),
    ) -> None:
        self.name = options.name or f"queuecheck-{run}"
        self.reason = f"cluster kind: {self.name}, {why}"
        self._why = why
        self._options = options
        self._manifests = tuple(manifests)
        self._root = cache_root() / "kind"
        self._directory = self._root / self.name
        self._member = sharing.Membership(self._directory)
        self._entered = False
        self._capabilities: frozenset[str] = frozenset()
        self._kind: Kind | None = None
        self._connection = Connection(self.name)

    @property
    def capabilities(self) -> frozenset[str]:
        """See Cluster."""
        return self._capabilities

    @property
    def kubeconfig(self) -> Path:
        """See Cluster: of our own, never the user's."""
        return self._directory / KUBECONFIG

    @property
    def serving_certificate(self) -> tuple[Path, Path] | None:
        """See Cluster."""
        return None

    def kubeconfig_for(self, user: str, *, account: str | None = None) -> Path:
        """See Cluster; the service account has to be there."""
        return self._connection.kubeconfig_for(user, account=account, beside=self.kubeconfig)

    @property
    def nodes(self) -> NodeDriver:
        """See Cluster."""
        return self._connection.nodes

    def start(self) -> None:
        """See Cluster; where another worker has made it, it is there at once."""
        if self._entered:
            raise ClusterError(f"cluster {self.name} is already running")
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """See Cluster: the last one out deletes what is ours and shall not be kept."""
        self._connection.close()
        self._capabilities = frozenset()
        if self._entered:
            with sharing.alone(self._lock):
                self._entered = False
                if self._member.leave() and not (self._directory / KEPT).exists():
                    self._end(self._directory)

    def load(self, file: Path) -> None:
        """Every node gets the images of an archive."""
        assert self._kind is not None
        self._kind.load(self.name, file)

    def export_logs(self, directory: Path) -> None:
        """Logs of the nodes, of everything on them, and what kind said."""
        if self._kind is not None:
            self._kind.export_logs(self.name, directory)

    @property
    def _lock(self) -> Path:
        return self._root / "lock"

    def _start(self) -> None:
        engine = docker.engine()
        program = find_kind(self._options.bin)
        with sharing.alone(self._lock):
            self._reap(program)
            self._kind = Kind(program, self._directory)
            if not self._directory.exists():
                self._claim(Kind(program, self._root).clusters())
            self._member.enter()
            self._entered = True
            if not (self._directory / MADE).exists():
                self._make(self._kind, engine)
            if self._options.keep:
                (self._directory / KEPT).touch()
            self._connection.open(self.kubeconfig)
            for path in self._manifests:
                apply_manifests(self._connection.api, path)
        self._connection.play(RealNodes(self._connection.api, Workload()))
        probed = found_out(self._connection.api, namespace="default")
        stays = _owner(self._directory) == THEIRS or (self._directory / KEPT).exists()
        self._capabilities = frozenset(
            {"own-users", *probed} | (set() if stays else {"disposable"})
        )
        self.reason = self._told()

    def _told(self) -> str:
        version = json.loads(self._connection.api.raw("/version"))["gitVersion"]
        count = len(self._connection.api.list(NODES).items)
        kept = f"; it is kept: {self.kubeconfig}" if (self._directory / KEPT).exists() else ""
        nodes = f"{count} node{'s'[: count != 1]}"
        return f"cluster kind: {self.name}, Kubernetes {version} on {nodes}, {self._why}{kept}"

    def _claim(self, clusters: tuple[str, ...]) -> None:
        """Makes the directory, whole at once: what is in it decides what may be deleted later.

        Raises ClusterError where a cluster of that name is not ours, and nobody said to use it.
        """
        theirs = self.name in clusters
        if theirs and not self._options.reuse:
            raise ClusterError(
                f"a kind cluster {self.name} is there and is not ours: name another by "
                f"--kind-name, or let it be written to by --kind-reuse (it is never deleted)"
            )
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=self._root))
        (new / OWNER).write_text(THEIRS if theirs else OURS, "utf-8")
        new.rename(self._directory)

    def _make(self, kind: Kind, engine: docker.Engine) -> None:
        if _owner(self._directory) == THEIRS:
            write_private(self.kubeconfig, kind.kubeconfig(self.name))
        else:
            self._create(kind, engine)
        api = self._connection.open(self.kubeconfig)
        await_objects(
            api,
            NODES,
            _all_ready,
            what="nodes that are ready",
            seconds=READY_SECONDS,
        )
        await_objects(
            api,
            SERVICE_ACCOUNTS,
            lambda found: "default" in found,
            what="the default service account",
            seconds=READY_SECONDS,
            namespace="default",
        )
        kind.load(self.name, self._workload(engine))
        for file in self._options.load:
            kind.load(self.name, file)
        (self._directory / MADE).write_text(_first_node(self.name), "utf-8")

    def _create(self, kind: Kind, engine: docker.Engine) -> None:
        options = self._options
        image = image_of(options.kubernetes) if options.kubernetes else options.image
        if image and (reason := too_old(kind.version, image)):
            raise ClusterError(reason)
        for shortage in shortages(_machine(engine), nodes=options.nodes):
            raise ClusterError(shortage)
        config = self._directory / "config.yaml"
        roles = ["control-plane", *["worker"] * (options.nodes - 1)]
        config.write_text(
            yaml.safe_dump(
                {
                    "kind": "Cluster",
                    "apiVersion": "kind.x-k8s.io/v1alpha4",
                    "nodes": [{"role": role} for role in roles],
                }
            ),
            "utf-8",
        )
        try:
            kind.create(self.name, kubeconfig=self.kubeconfig, image=image, config=config)
        except ClusterError:
            # kind has taken back what it made: what is there of that name, it has found there.
            (self._directory / OWNER).write_text(THEIRS, "utf-8")
            raise

    def _workload(self, engine: docker.Engine) -> Path:
        try:
            content = archive(engine.machine)
        except NoProgram as error:
            raise ClusterError(str(error)) from error
        file = self._directory / "workload.tar"
        file.write_bytes(content)
        return file

    def _reap(self, program: Path) -> None:
        """What runs that were killed have left, and what of ours somebody else has deleted."""
        left = [each for each in self._root.iterdir() if each.is_dir() and not sharing.used(each)]
        if not left:
            return
        clusters = Kind(program, self._root).clusters()
        for directory in left:
            made = directory / MADE
            there = directory.name in clusters and (
                not made.exists() or made.read_text("utf-8") == _first_node(directory.name)
            )
            if not there:
                shutil.rmtree(directory, ignore_errors=True)
            elif not (directory / KEPT).exists():
                self._end(directory)

    def _end(self, directory: Path) -> None:
        """Deletes a cluster that is ours, and the directory that makes it so."""
        if _owner(directory) == OURS:
            kind = Kind(find_kind(self._options.bin), directory)
            kind.delete(directory.name, kubeconfig=directory / KUBECONFIG)
        shutil.rmtree(directory, ignore_errors=True)


def _owner(directory: Path) -> str:
    file = directory / OWNER
    return file.read_text("utf-8") if file.exists() else THEIRS


def _first_node(cluster: str) -> str:
    return docker.container_id(f"{cluster}-control-plane")


def _all_ready(nodes: Objects) -> bool:
    return bool(nodes) and all(
        condition["status"] == "True"
        for node in nodes.values()
        for condition in (node["status"].get("conditions") or [{"type": "Ready", "status": ""}])
        if condition["type"] == "Ready"
    )


def _machine(engine: docker.Engine) -> Machine:
    """Of the engine's own kernel, as far as it is ours to look into."""
    if not (engine.local and INSTANCES.exists()):
        return Machine(None, engine.memory or None)
    return Machine(int(INSTANCES.read_text()), min(free_on_machine() or 0, engine.memory) or None)
