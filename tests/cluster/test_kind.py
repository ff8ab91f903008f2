"""The provider ``kind``, with programs that play docker and kind on a control plane of ours."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from queuecheck.cluster import ClusterError, LocalCluster
from queuecheck.cluster.kind import KindCluster
from queuecheck.cluster.kind_options import KindOptions
from queuecheck.kube import Api, ApiError

DOCKER = """
import json, sys
from pathlib import Path
clusters = Path({state!r}) / "clusters"
words = sys.argv[1:]
if words[0] == "info":
    print(json.dumps({{"ServerVersion": "28.0", "Architecture": "x86_64", "MemTotal": 10**11}}))
else:
    file = clusters / words[-1].removesuffix("-control-plane")
    print(file.read_text() if file.exists() else sys.exit(1))
"""
KIND = """
import sys, uuid
from pathlib import Path
state = Path({state!r})
words = [part for word in sys.argv[1:] for part in word.split("=", 1)]
with (state / "calls").open("a") as calls:
    print(*words[:2], file=calls)
options = dict(zip(words, words[1:]))
cluster = state / "clusters" / options.get("--name", "")
if words[0] == "version":
    print("kind v{version} go1.26 linux/amd64")
elif words[:2] == ["get", "clusters"]:
    print(*(each.name for each in (state / "clusters").iterdir()))
elif words[:2] == ["get", "kubeconfig"]:
    print(Path({kubeconfig!r}).read_text())
elif words[0] == "create":
    if (state / "trouble").exists():
        sys.exit((state / "trouble").read_text())
    (state / "config").write_text(Path(options["--config"]).read_text())
    Path(options["--kubeconfig"]).write_text(Path({kubeconfig!r}).read_text())
    cluster.write_text(str(uuid.uuid4()))
elif words[0] == "delete":
    cluster.unlink(missing_ok=True)
elif words[0] == "load":
    assert Path(words[2]).is_file()
elif words[0] == "export":
    Path(words[2]).mkdir(parents=True)
"""


class Machine:
    """A machine with a Docker engine that is played, and its kind clusters."""

    def __init__(self, state: Path, kubeconfig: Path) -> None:
        self._state = state
        self._kubeconfig = str(kubeconfig)
        (state / "bin").mkdir()
        (state / "clusters").mkdir()
        self.install_kind("0.33.0")
        self._install("docker", DOCKER.format(state=str(state)))

    @property
    def programs(self) -> Path:
        return self._state / "bin"

    def install_kind(self, version: str) -> None:
        values = {"state": str(self._state), "kubeconfig": self._kubeconfig, "version": version}
        self._install("kind", KIND.format(**values))

    def clusters(self) -> set[str]:
        return {each.name for each in (self._state / "clusters").iterdir()}

    def add(self, name: str) -> None:
        """Somebody makes a cluster."""
        (self._state / "clusters" / name).write_text(f"somebody's {name}")

    def remove(self, name: str) -> None:
        (self._state / "clusters" / name).unlink()

    def fail(self, said: str) -> None:
        (self._state / "trouble").write_text(said)

    def calls(self, verb: str) -> int:
        calls = self._state / "calls"
        return sum(line.startswith(verb) for line in calls.read_text().splitlines())

    @property
    def roles(self) -> list[str]:
        """Of the nodes of the cluster that was made last."""
        lines = (self._state / "config").read_text().splitlines()
        return [line.split()[-1] for line in lines if "role" in line]

    def _install(self, name: str, source: str) -> None:
        program = self.programs / name
        program.write_text(f"#!{sys.executable}\n{textwrap.dedent(source)}", "utf-8")
        program.chmod(0o755)


@pytest.fixture
def machine(
    tmp_path: Path, control_plane: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> Machine:
    """It is the machine of the test, for as long as that takes; the working directory is empty."""
    state = tmp_path / "machine"
    state.mkdir()
    (tmp_path / "cwd").mkdir()
    found = Machine(state, control_plane.kubeconfig)
    monkeypatch.setenv("PATH", f"{found.programs}:/usr/bin:/bin")
    monkeypatch.setenv("DOCKER_HOST", "tcp://elsewhere.example:2375")  # not this kernel
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "the user's"))
    monkeypatch.chdir(tmp_path / "cwd")
    return found


@pytest.fixture
def directories(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "queuecheck" / "kind"


@pytest.fixture
def mine(machine: Machine) -> Iterator[KindCluster]:
    cluster = KindCluster("x7k2p")
    cluster.start()
    yield cluster
    cluster.stop()


def test_a_cluster_is_made_and_nothing_of_it_stays(
    machine: Machine, directories: Path, tmp_path: Path
) -> None:
    cluster = KindCluster("x7k2p", KindOptions(nodes=3), why="Docker 28.0 answers")
    cluster.start()
    assert machine.clusters() == {"queuecheck-x7k2p"}
    assert machine.roles == ["control-plane", "worker", "worker"]
    assert cluster.reason.startswith("cluster kind: queuecheck-x7k2p, Kubernetes v")
    assert cluster.reason.endswith("Docker 28.0 answers")
    assert cluster.capabilities == {"cross-kind-order", "disposable", "own-users"}
    assert stat.S_IMODE(cluster.kubeconfig.stat().st_mode) == 0o600
    cluster.stop()
    assert not machine.clusters()
    assert [each.name for each in directories.iterdir()] == ["lock"]
    assert not list((tmp_path / "cwd").iterdir())
    assert not (tmp_path / "the user's").exists()


def test_workers_share_a_cluster_and_the_last_one_out_deletes_it(
    machine: Machine, mine: KindCluster
) -> None:
    other = KindCluster("x7k2p")
    other.start()
    assert machine.calls("create") == 1
    other.stop()
    assert machine.clusters() == {mine.name}
    mine.stop()
    assert not machine.clusters()


def test_a_cluster_of_that_name_that_is_not_ours_is_left_alone(
    machine: Machine, directories: Path
) -> None:
    machine.add("dev")
    with pytest.raises(ClusterError, match=r"kind cluster dev is there and is not ours"):
        KindCluster("x7k2p", KindOptions(name="dev")).start()
    assert machine.calls("load") == machine.calls("delete") == 0
    assert [each.name for each in directories.iterdir()] == ["lock"]


def test_it_is_used_where_that_is_allowed_and_never_deleted(machine: Machine) -> None:
    machine.add("dev")
    cluster = KindCluster("x7k2p", KindOptions(name="dev", reuse=True))
    cluster.start()
    assert "disposable" not in cluster.capabilities
    cluster.stop()
    assert machine.clusters() == {"dev"}
    assert machine.calls("delete") == 0


def test_a_kept_cluster_is_used_again_and_stays(machine: Machine) -> None:
    for keep in (True, False):
        cluster = KindCluster("x7k2p", KindOptions(name="dev", keep=keep))
        cluster.start()
        assert f"it is kept: {cluster.kubeconfig}" in cluster.reason
        assert "disposable" not in cluster.capabilities
        cluster.stop()
        assert machine.clusters() == {"dev"}
    assert machine.calls("create") == 1


def test_a_kept_one_that_somebody_has_made_anew_is_theirs(machine: Machine) -> None:
    cluster = KindCluster("x7k2p", KindOptions(name="dev", keep=True))
    cluster.start()
    cluster.stop()
    machine.remove("dev")
    machine.add("dev")
    with pytest.raises(ClusterError, match="is not ours"):
        KindCluster("x7k2p", KindOptions(name="dev")).start()
    assert machine.clusters() == {"dev"}


def test_what_a_killed_run_has_left_is_deleted_by_the_next(machine: Machine) -> None:
    script = """
        from queuecheck.cluster.kind import KindCluster
        KindCluster("killd").start()
        print("up", flush=True)
        input()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGKILL)
    assert machine.clusters() == {"queuecheck-killd"}
    cluster = KindCluster("x7k2p")
    cluster.start()
    assert machine.clusters() == {"queuecheck-x7k2p"}
    cluster.stop()


def test_a_cluster_that_cannot_be_made_is_told_in_a_line_and_leaves_nothing(
    machine: Machine, directories: Path
) -> None:
    machine.fail('ERROR: failed to create cluster: failed to pull image "mine:v1.36.0"')
    with pytest.raises(ClusterError) as caught:
        KindCluster("x7k2p", KindOptions(image="mine:v1.36.0")).start()
    assert str(caught.value).startswith("the node image mine:v1.36.0 is not here")
    assert [each.name for each in directories.iterdir()] == ["lock"]


def test_an_old_kind_is_told_before_it_tries(machine: Machine) -> None:
    machine.install_kind("0.20.0")
    with pytest.raises(ClusterError, match=r"kind v0\.20 is too old for the node image"):
        KindCluster("x7k2p", KindOptions(kubernetes="1.36")).start()
    assert machine.calls("create") == 0


@pytest.mark.parametrize(
    ("missing", "told"),
    [("kind", "there is no kind on the PATH"), ("docker", "there is no docker on the PATH")],
)
def test_a_program_that_is_not_there_is_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, missing: str, told: str
) -> None:
    (machine.programs / missing).unlink()
    monkeypatch.setenv("PATH", str(machine.programs))
    with pytest.raises(ClusterError, match=f"{told}.*--cluster local"):
        KindCluster("x7k2p").start()


def test_a_component_may_do_nothing_that_no_role_gives_it(mine: KindCluster) -> None:
    api = Api.from_kubeconfig(mine.kubeconfig_for("queue", account="default/default"))
    with pytest.raises(ApiError) as caught:
        api.raw("/api/v1/namespaces/default/pods")
    assert caught.value.status == 403
    assert '"system:serviceaccount:default:default"' in caught.value.message
    api.close()


def test_logs_are_exported_where_they_are_wanted(mine: KindCluster, tmp_path: Path) -> None:
    mine.export_logs(tmp_path / "logs")
    assert (tmp_path / "logs").is_dir()


def test_the_nodes_get_the_workload_and_what_else_is_wanted(
    machine: Machine, tmp_path: Path
) -> None:
    (tmp_path / "controller.tar").write_text(json.dumps({}))
    cluster = KindCluster("x7k2p", KindOptions(load=(tmp_path / "controller.tar",)))
    cluster.start()
    assert machine.calls("load image-archive") == 2
    cluster.stop()
