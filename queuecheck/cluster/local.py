"""The provider ``local``: a whole control plane as child processes on loopback.

Everything it has is in one directory, on tmpfs where there is one, and nothing of it outlives
``stop``, this process, or a start that fails. Two of them side by side share nothing but programs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from queuecheck.cluster import servers
from queuecheck.cluster.capabilities import found_out
from queuecheck.cluster.connection import Connection
from queuecheck.cluster.credentials import (
    User,
    write_kubeconfig,
    write_signing_key,
    write_tokens,
)
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.manifests import apply_manifests
from queuecheck.cluster.nodes import NodeDriver
from queuecheck.cluster.ports import LOOPBACK, TAKEN
from queuecheck.cluster.processes import SUPERVISOR, Child
from queuecheck.cluster.programs import Programs
from queuecheck.cluster.provision import provide
from queuecheck.cluster.readiness import ProgramFailed, answers_ok, wait_until
from queuecheck.cluster.seed import Seed
from queuecheck.cluster.servers import Files, Ports
from queuecheck.cluster.simulated import SimulatedNodes
from queuecheck.kube import Api, NotFound
from queuecheck.kube.resource import SERVICE_ACCOUNTS

ADMINISTRATORS = "system:masters"
COMPONENT_USERS = ("queue-component", "extension-component")
TMPFS = Path("/dev/shm")  # noqa: S108  (a directory of our own is made in it)
# A sixth of the API server's time went into collecting garbage of which a machine can bear more.
COLLECT_SELDOM = {"GOGC": "400", "GOMEMLIMIT": "1GiB"}
TMPFS_ROOM = 512 * 1024 * 1024
START_SECONDS = 120.0
READY = "/readyz"
HEALTHY = "/healthz"  # the controller manager has no other
# The roles of the bootstrap policy take longest to write, and administrators need none of them.
USABLE = "/readyz?exclude=poststarthook/rbac/bootstrap-roles"


class LocalCluster:
    """One control plane. ``start`` makes it, ``stop`` ends it; then it may be started again.

    ``manifests`` are files or directories of objects that are there from the start, in this order.
    Definitions have to be: the controller manager looks for new kinds every 30 s only, and until
    then does not collect what objects of theirs leave behind. ``start_seconds`` is how long each
    program may take until it is ready, on a slow machine too; ``apiserver_flags`` are added to the
    API server's own. ``why`` tells what the provider was chosen for.
    """

    def __init__(
        self,
        name: str = "local",
        *,
        found: Programs | None = None,
        manifests: Sequence[Path] = (),
        start_seconds: float = START_SECONDS,
        apiserver_flags: Sequence[str] = (),
        why: str = "",
    ) -> None:
        self.name = name
        because = f", because {why}" if why else ""
        self.reason = f"cluster {name}: a control plane of our own on {LOOPBACK}{because}"
        self._programs = found
        self._manifests = tuple(manifests)
        self._start_seconds = start_seconds
        self._apiserver_flags = tuple(apiserver_flags)
        self._capabilities: frozenset[str] = frozenset()
        self._files: Files | None = None
        self._ports: Ports
        self._users: list[User] = []
        self._children: list[Child] = []
        self._connection = Connection(name)

    @property
    def capabilities(self) -> frozenset[str]:
        """See Cluster."""
        return self._capabilities

    @property
    def directory(self) -> Path:
        """Data, logs, kubeconfigs. It is gone after ``stop``."""
        return self._started().directory

    @property
    def kubeconfig(self) -> Path:
        """See Cluster."""
        return self._started().kubeconfig("admin")

    @property
    def serving_certificate(self) -> tuple[Path, Path] | None:
        """See Cluster."""
        files = self._started()
        return files.certificate, files.certificate_key

    def kubeconfig_for(self, user: str, *, account: str | None = None) -> Path:  # noqa: ARG002
        """See Cluster; the users are those of ``COMPONENT_USERS``, the rights are lent to them."""
        if user not in COMPONENT_USERS:
            raise ClusterError(f"no user {user!r}; there are {', '.join(COMPONENT_USERS)}")
        return self._started().kubeconfig(user)

    def export_logs(self, directory: Path) -> None:
        """See Cluster: nothing that would not be in the evidence of a scenario."""

    @property
    def nodes(self) -> NodeDriver:
        """See Cluster."""
        return self._connection.nodes

    def start(self) -> None:
        """See Cluster."""
        if self._files is not None:
            raise ClusterError(f"cluster {self.name} is already running")
        try:
            self._start()
        except ProgramFailed as error:
            self.stop()
            if TAKEN not in error.log:
                raise
            self._start_again()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """See Cluster."""
        self._connection.close()
        for child in self._children:  # there is nothing to save, and a graceful end takes seconds
            child.kill()
        if self._files is not None:
            SUPERVISOR.remove_directory(self._files.directory)
        self._files = None
        self._children = []
        self._capabilities = frozenset()

    def _start_again(self) -> None:
        """Our ports were free, and somebody else took one before we did: once more."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _started(self) -> Files:
        if self._files is None:
            raise ClusterError(f"cluster {self.name} is not running")
        return self._files

    def _start(self) -> None:
        found = self._programs or provide()
        seed = Seed.of(found, self._manifests)
        if not seed.present():
            self._grow(found, seed)
        self._boot(found, seed)
        self._connection.play(SimulatedNodes(self._connection.api))
        (manager, scheduler), ports = self._children[-2:], self._ports
        self._await_default_account(manager)
        # A seed has brought the account: it says nothing of this controller manager.
        self._wait(lambda: self._ready(ports.controller_manager, HEALTHY), HEALTHY, manager)
        probed = found_out(self._connection.api, namespace="default")
        self._wait(lambda: self._ready(ports.scheduler, READY), READY, scheduler)
        self._capabilities = frozenset({"simulated-nodes", "disposable", "own-users", *probed})

    def _boot(self, found: Programs, seed: Seed) -> None:
        """All four programs; with the definitions on the server before controllers look."""
        self._lay_out()
        files, ports = self._started(), self._ports
        planted = seed.plant(files.etcd_data)
        self._boot_server(found)
        if not planted:
            self._await_definitions()
        # The controller manager gives up on a server that is not ready for ten seconds.
        self._await_apiserver(READY)
        self._launch("kube-controller-manager", servers.controller_manager(found, files, ports))
        self._launch("kube-scheduler", servers.scheduler(found, files, ports))
        self._connection.open(self.kubeconfig)

    def _grow(self, found: Programs, seed: Seed) -> None:
        """Makes the seed, once for each machine. Without a cache to keep it in, there is none."""
        try:
            with seed.growing() as ours:
                if ours:
                    self._make_first_state(found)
                    seed.keep(self._started().etcd_data)
        except OSError:
            return
        finally:
            self.stop()

    def _make_first_state(self, found: Programs) -> None:
        self._lay_out()
        files, ports = self._started(), self._ports
        self._boot_server(found)
        self._await_definitions()
        self._await_apiserver(READY)
        manager = self._launch(
            "kube-controller-manager", servers.controller_manager(found, files, ports)
        )
        self._await_default_account(manager)
        etcd, *others = self._children
        for child in others:
            child.kill()
        etcd.stop()

    def _lay_out(self) -> None:
        files = self._files = Files(_new_directory())
        self._ports = Ports.free()
        self._users = [
            User.new("admin", ADMINISTRATORS),
            User.new("kube-controller-manager", ADMINISTRATORS),
            User.new("kube-scheduler", ADMINISTRATORS),
            *(User.new(name) for name in COMPONENT_USERS),
        ]
        write_tokens(files.tokens, self._users)
        write_signing_key(files.signing_key)
        files.certificates.mkdir(mode=0o700)

    def _boot_server(self, found: Programs) -> None:
        files, ports = self._started(), self._ports
        self._launch("etcd", servers.etcd(found, files, ports))
        command = [*servers.apiserver(found, files, ports), *self._apiserver_flags]
        apiserver = self._launch("kube-apiserver", command)
        self._wait(lambda: _has_content(files.certificate), "its certificate", apiserver)
        for user in self._users:
            write_kubeconfig(
                files.kubeconfig(user.name),
                server=f"https://{LOOPBACK}:{ports.apiserver}",
                authority=files.certificate,
                user=user,
                name=self.name,
            )

    def _await_definitions(self) -> None:
        self._await_apiserver(USABLE)
        self._connection.open(self.kubeconfig)
        for path in self._manifests:
            apply_manifests(self._connection.api, path)

    def _await_apiserver(self, path: str) -> None:
        token = self._users[0].token
        apiserver = self._children[1]
        self._wait(lambda: self._ready(self._ports.apiserver, path, token), path, apiserver)

    def _ready(self, port: int, path: str, token: str | None = None) -> bool:
        return answers_ok(port, path, authority=self._started().certificate, token=token)

    def _await_default_account(self, manager: Child) -> None:
        api = self._connection.api
        self._wait(lambda: _default_account(api), "the default service account", manager)

    def _launch(self, name: str, command: list[str]) -> Child:
        log = self._started().log(name)
        child = Child(command, log=log, name=name, env=_environment(), cwd=log.parent)
        self._children.append(child)
        child.start()
        return child

    def _wait(self, condition: Callable[[], bool], what: str, child: Child) -> None:
        others = tuple(each for each in self._children if each is not child)
        wait_until(condition, what=what, children=(*others, child), seconds=self._start_seconds)


def _new_directory() -> Path:
    """A directory of mode 0700 that goes when we do; in memory where there is room."""
    parent = None
    try:
        if os.access(TMPFS, os.W_OK) and shutil.disk_usage(TMPFS).free > TMPFS_ROOM:
            parent = TMPFS
    except OSError:
        parent = None
    directory = Path(tempfile.mkdtemp(prefix="queuecheck-", dir=parent))
    SUPERVISOR.own_directory(directory)
    return directory


def _environment() -> dict[str, str]:
    """Ours without what would send loopback traffic elsewhere or use another's kubeconfig."""
    unwanted = {"http_proxy", "https_proxy", "all_proxy", "kubeconfig"}
    ours = {key: value for key, value in os.environ.items() if key.lower() not in unwanted}
    return {**COLLECT_SELDOM, **ours}


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _default_account(api: Api) -> bool:
    try:
        api.get(SERVICE_ACCOUNTS, "default", namespace="default")
    except NotFound:
        return False
    return True
