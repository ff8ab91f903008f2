"""A real control plane: what it is, that two do not meet, and that nothing of it stays."""

from __future__ import annotations

import dataclasses
import errno
import os
import socket
import ssl
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from queuecheck.cluster import ClusterError, LocalCluster, local, servers
from queuecheck.cluster import ports as ports_module
from queuecheck.cluster.ports import LOOPBACK, free_ports
from queuecheck.cluster.processes import tail
from queuecheck.cluster.provision import provide
from queuecheck.cluster.readiness import ProgramFailed
from queuecheck.cluster.servers import Files, Ports
from queuecheck.kube import Api, ApiError
from queuecheck.kube.resource import CONFIG_MAPS, NAMESPACES, NODES

PATIENCE = 60.0
PARENT = """
import sys
from queuecheck.cluster import LocalCluster
cluster = LocalCluster()
cluster.start()
print(cluster.directory, *(child.pid for child in cluster._children), flush=True)
sys.stdin.read()
"""


def processes_in(directory: Path) -> list[str]:
    """Command lines of running processes that name the directory."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            continue
        if any(str(directory) in word for word in words):
            found.append(" ".join(words))
    return found


def nothing_is_left_of(directory: Path) -> None:
    event = threading.Event()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not directory.exists() and not processes_in(directory):
            return
        event.wait(0.01)
    pytest.fail(f"{directory}: {directory.exists()}, {processes_in(directory)}")


def test_it_is_the_version_that_we_say(api: Api) -> None:
    assert '"gitVersion": "v1.36.3"' in api.raw("/version")


def test_the_servers_certificate_is_checked(control_plane: LocalCluster, api: Api) -> None:
    server = api.server.removeprefix("https://")
    host, port = server.split(":")
    with pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(
            socket.create_connection((host, int(port))), server_hostname=host
        )


def test_every_file_with_a_secret_is_ours_alone(control_plane: LocalCluster) -> None:
    directory = control_plane.directory
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    secrets = [*directory.glob("*.kubeconfig"), *directory.glob("*.key"), directory / "tokens.csv"]
    assert len(secrets) == 7
    assert {stat.S_IMODE(file.stat().st_mode) for file in secrets} == {0o600}


def test_it_knows_its_capabilities(control_plane: LocalCluster) -> None:
    assert control_plane.capabilities == {
        "cross-kind-order",
        "disposable",
        "own-users",
        "simulated-nodes",
    }
    assert control_plane.name in control_plane.reason


def test_nodes_are_ready_and_have_no_taint(api: Api) -> None:
    nodes = api.list(NODES).items
    assert nodes
    for node in nodes:
        assert "taints" not in node["spec"]
        assert node["status"]["conditions"][0]["status"] == "True"


@pytest.mark.parametrize("user", local.COMPONENT_USERS)
def test_a_component_may_do_nothing_that_no_role_gives_it(
    control_plane: LocalCluster, user: str
) -> None:
    api = Api.from_kubeconfig(control_plane.kubeconfig_for(user))
    with pytest.raises(ApiError, match=f'User "{user}" cannot list resource "configmaps"'):
        api.list(CONFIG_MAPS)
    api.close()


def test_an_unknown_user_is_refused_with_the_known_ones(control_plane: LocalCluster) -> None:
    with pytest.raises(ClusterError, match="no user 'root'; there are queue-component, ext"):
        control_plane.kubeconfig_for("root")


def test_what_is_not_running_has_no_kubeconfig_and_may_be_stopped() -> None:
    cluster = LocalCluster("idle")
    cluster.stop()
    for use in (lambda: cluster.kubeconfig, lambda: cluster.nodes, lambda: cluster.directory):
        with pytest.raises(ClusterError, match="cluster idle is not running"):
            use()


def test_a_second_start_is_refused(control_plane: LocalCluster) -> None:
    with pytest.raises(ClusterError, match="cluster tests is already running"):
        control_plane.start()


def test_two_side_by_side_share_nothing_and_one_ends_alone(
    control_plane: LocalCluster, api: Api
) -> None:
    other = LocalCluster("other")
    other.start()
    directory = other.directory
    other_api = Api.from_kubeconfig(other.kubeconfig)
    assert other_api.server != api.server
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "only-in-other"}}
    other_api.create(NAMESPACES, body)
    here = {each["metadata"]["name"] for each in api.list(NAMESPACES).items}
    assert "only-in-other" not in here
    other_api.close()
    other.stop()
    nothing_is_left_of(directory)
    assert api.raw("/readyz") == "ok"


def spoil(
    monkeypatch: pytest.MonkeyPatch, program: str, change: Callable[[list[str]], list[str]]
) -> None:
    original = getattr(servers, program)
    monkeypatch.setattr(servers, program, lambda *arguments: change(original(*arguments)))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every directory of a control plane that is begun during the test."""
    directories: list[Path] = []

    def remember(directory: Path) -> Files:
        directories.append(directory)
        return Files(directory)

    monkeypatch.setattr("queuecheck.cluster.local.Files", remember)
    return directories


@pytest.mark.parametrize("program", ["etcd", "apiserver", "controller_manager", "scheduler"])
def test_a_start_that_fails_half_way_says_why_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, made: list[Path], program: str
) -> None:
    spoil(monkeypatch, program, lambda command: [*command, "--no-such-flag"])
    name = {"etcd": "etcd"}.get(program, f"kube-{program.replace('_', '-')}")
    with pytest.raises(
        ProgramFailed, match=rf"(?s)^{name} ended with exit code \d \(/.*\); .*flag"
    ):
        LocalCluster().start()
    nothing_is_left_of(made[0])


def test_a_port_lost_to_another_is_made_good_once(
    monkeypatch: pytest.MonkeyPatch, api: Api
) -> None:
    taken = int(api.server.rsplit(":", 1)[1])
    chosen = [dataclasses.replace(Ports.free(), etcd=taken), Ports.free()]
    monkeypatch.setattr(Ports, "free", lambda: chosen.pop(0))
    cluster = LocalCluster()
    cluster.start()
    assert not chosen
    cluster.stop()


def test_a_port_lost_twice_is_an_error(monkeypatch: pytest.MonkeyPatch, api: Api) -> None:
    taken = int(api.server.rsplit(":", 1)[1])
    chosen = [dataclasses.replace(Ports.free(), etcd=taken) for _ in range(2)]
    monkeypatch.setattr(Ports, "free", lambda: chosen.pop(0))
    with pytest.raises(ProgramFailed, match="address already in use"):
        LocalCluster().start()


def test_a_program_that_stalls_is_given_up_with_its_last_lines(
    monkeypatch: pytest.MonkeyPatch, made: list[Path]
) -> None:
    def has_content(_: Path) -> bool:
        """There is no certificate; but nobody is asked before the program has spoken."""
        event = threading.Event()
        while not tail(Files(made[-1]).log("kube-apiserver")):
            event.wait(0.01)
        return False

    monkeypatch.setattr(local, "_has_content", has_content)
    spoil(monkeypatch, "apiserver", lambda _: ["/bin/sh", "-c", "echo thinking; exec sleep 600"])
    with pytest.raises(ProgramFailed, match=r"not seen within 1 s; its last lines:\nthinking"):
        LocalCluster(start_seconds=1).start()


def test_ports_are_different_and_free() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    taken_for_connections = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii")
    assert all(1023 < port < int(taken_for_connections.split()[0]) for port in ports)


def test_too_few_free_ports_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports_module, "RANGE", range(20_000, 20_003))
    with pytest.raises(ClusterError, match=r"too few free ports at 127\.0\.0\.1:20000 to 20002"):
        free_ports(4)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EPERM])
def test_where_no_socket_is_to_be_had_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(**_: object) -> socket.socket:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(ports_module, "RANGE", range(20_000, 20_003))
    monkeypatch.setattr(socket, "socket", refuse)
    with pytest.raises(ClusterError, match=f"20002; {os.strerror(number)}, for a socket"):
        free_ports(1)


def test_a_port_is_nobody_elses_until_its_program_has_had_time_to_listen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (port,) = free_ports(1)
    only = range(port, port + 1)
    with socket.socket() as program:
        program.bind((LOOPBACK, port))
    assert "too few free ports" in chosen_elsewhere(only)
    free_ports(ports_module.HELD)
    assert chosen_elsewhere(only) == f"({port},)"


def chosen_elsewhere(among: range) -> str:
    """What another process that needs a port is given or told."""
    program = (
        "from queuecheck.cluster import ports\n"
        f"ports.RANGE = {among!r}\n"
        "try:\n    print(ports.free_ports(1))\n"
        "except ports.ClusterError as error:\n    print(error)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return answer.stdout.strip()


def test_nothing_listens_on_a_fixed_port_or_beyond_loopback() -> None:
    files, ports = Files(Path("/d")), Ports(1, 2, 3, 4, 5)
    programs = provide()
    for make in (
        servers.etcd,
        servers.apiserver,
        servers.controller_manager,
        servers.scheduler,
    ):
        for flag in make(programs, files, ports)[1:]:
            name, _, value = flag.partition("=")
            if name in {"--bind-address", "--advertise-address"}:
                assert value == "127.0.0.1"
            if name == "--secure-port":
                assert value in {"3", "4", "5"}
            if "url" in name:
                assert value in {"http://127.0.0.1:1", "http://127.0.0.1:2"}


def run_parent() -> tuple[subprocess.Popen[str], Path, list[int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    directory, *pids = process.stdout.readline().split()
    return process, Path(directory), [int(pid) for pid in pids]


def test_nothing_is_left_when_the_parent_is_killed() -> None:
    process, directory, pids = run_parent()
    assert len(pids) == 4
    assert len(processes_in(directory)) >= 4
    process.kill()
    process.wait(PATIENCE)
    nothing_is_left_of(directory)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()


def test_ctrl_c_during_the_start_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, made: list[Path]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("queuecheck.cluster.local.write_kubeconfig", interrupted)
    with pytest.raises(KeyboardInterrupt):
        LocalCluster().start()
    nothing_is_left_of(made[0])
