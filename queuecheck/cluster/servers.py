"""The four programs of a control plane on loopback: how each is called.

RBAC is on. The controller manager and the scheduler are administrators, so that neither has to
wait for the API server to have written the roles of its bootstrap policy; the users of components
have only what RBAC gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from queuecheck.cluster.ports import LOOPBACK, free_ports
from queuecheck.cluster.programs import Programs

# Node life cycle and pod eviction would take simulated nodes, which send no heartbeat, for dead.
CONTROLLERS = ",".join(
    (
        "*",
        "-cloud-node-lifecycle-controller",
        "-node-ipam-controller",
        "-node-lifecycle-controller",
        "-node-route-controller",
        "-service-lb-controller",
        "-taint-eviction-controller",
    )
)


@dataclass(frozen=True)
class Ports:
    """Different ports on loopback."""

    etcd: int
    etcd_peer: int
    apiserver: int
    controller_manager: int
    scheduler: int

    @classmethod
    def free(cls) -> Ports:
        """That nobody listens at just now."""
        return cls(*free_ports(5))


@dataclass(frozen=True)
class Files:
    """Where in its directory one control plane keeps what."""

    directory: Path

    @property
    def etcd_data(self) -> Path:
        """The whole state of the cluster."""
        return self.directory / "etcd"

    @property
    def certificates(self) -> Path:
        """Where the API server puts the certificate it makes for itself."""
        return self.directory / "certificates"

    @property
    def certificate(self) -> Path:
        """Its serving certificate, followed by the authority that signed it."""
        return self.certificates / "apiserver.crt"

    @property
    def certificate_key(self) -> Path:
        """The key of its serving certificate."""
        return self.certificates / "apiserver.key"

    @property
    def signing_key(self) -> Path:
        """Signs the tokens of service accounts."""
        return self.directory / "service-accounts.key"

    @property
    def tokens(self) -> Path:
        """Every user and their token."""
        return self.directory / "tokens.csv"

    def kubeconfig(self, user: str) -> Path:
        """The kubeconfig of one user."""
        return self.directory / f"{user}.kubeconfig"

    def log(self, program: str) -> Path:
        """What the program says."""
        return self.directory / f"{program}.log"


def etcd(programs: Programs, files: Files, ports: Ports) -> list[str]:
    """One member, no fsync: what is lost with the machine is lost with the run anyway."""
    client, peer = (f"http://{LOOPBACK}:{port}" for port in (ports.etcd, ports.etcd_peer))
    return [
        str(programs.etcd),
        f"--data-dir={files.etcd_data}",
        "--unsafe-no-fsync",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--log-level=warn",
    ]


def apiserver(programs: Programs, files: Files, ports: Ports) -> list[str]:
    """Certificates of its own making, tokens from our file, RBAC."""
    return [
        str(programs.kube_apiserver),
        f"--etcd-servers=http://{LOOPBACK}:{ports.etcd}",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={ports.apiserver}",
        f"--advertise-address={LOOPBACK}",
        f"--cert-dir={files.certificates}",
        f"--token-auth-file={files.tokens}",
        f"--service-account-key-file={files.signing_key}",
        f"--service-account-signing-key-file={files.signing_key}",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--allow-privileged=true",
        # Nobody here has to be kept from crowding out others; it costs half a second of a start.
        "--enable-priority-and-fairness=false",
        "--endpoint-reconciler-type=none",
        "--max-requests-inflight=2000",
        "--max-mutating-requests-inflight=1000",
    ]


def controller_manager(programs: Programs, files: Files, ports: Ports) -> list[str]:
    """The real Job controller above all; it serves the API server's certificate."""
    return [
        str(programs.kube_controller_manager),
        f"--kubeconfig={files.kubeconfig('kube-controller-manager')}",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={ports.controller_manager}",
        f"--tls-cert-file={files.certificate}",
        f"--tls-private-key-file={files.certificate_key}",
        "--use-service-account-credentials=false",
        "--leader-elect=false",
        f"--controllers={CONTROLLERS}",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--concurrent-job-syncs=20",
        "--concurrent-namespace-syncs=20",
    ]


def scheduler(programs: Programs, files: Files, ports: Ports) -> list[str]:
    """The default profile; it serves the API server's certificate."""
    return [
        str(programs.kube_scheduler),
        f"--kubeconfig={files.kubeconfig('kube-scheduler')}",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={ports.scheduler}",
        f"--tls-cert-file={files.certificate}",
        f"--tls-private-key-file={files.certificate_key}",
        "--leader-elect=false",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
    ]
