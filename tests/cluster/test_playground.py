"""``queuecheck cluster``: up, a second up, down, and a crash between them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from queuecheck.cli.cluster import cluster
from queuecheck.cli.playground import Playground
from queuecheck.kube import Api, Resource
from queuecheck.kube.resource import NAMESPACES

UNITS = Resource("scheduling.x-k8s.io", "v1alpha1", "queueunits", "QueueUnit")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    yield tmp_path / "queuecheck"
    for directory in (tmp_path / "queuecheck").glob("*"):
        Playground(directory.name).down()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cluster, list(arguments))


def until(condition: threading.Event, playground: Playground) -> None:
    """The kernel gives the lock back at the owner's end, which nobody is told of."""
    for _ in range(1000):
        if not playground.running():
            return
        condition.wait(0.01)
    pytest.fail("it is still running")


def test_up_gives_a_control_plane_with_controller_and_down_ends_it(state: Path) -> None:
    answer = call("up", "--name", "one")
    assert answer.exit_code == 0, answer.output
    kubeconfig = state / "one" / "kubeconfig"
    first, command, last = answer.output.splitlines()
    assert first == "cluster one is running, with the controller"
    assert command.endswith(f"--kubeconfig {kubeconfig} get queueunits -A")
    assert last == "  end it with: queuecheck cluster down --name one"
    assert kubeconfig.stat().st_mode & 0o777 == 0o600

    api = Api.from_kubeconfig(kubeconfig)
    assert api.list(UNITS).items == ()
    api.close()
    assert "metrics listening" in (state / "one" / "queue.log").read_text()
    assert call("kubeconfig", "--name", "one").output.strip() == str(kubeconfig)

    second = call("up", "--name", "one")
    assert second.exit_code == 3
    assert second.output == (
        "queuecheck: cluster one is already running; queuecheck cluster down --name one ends it\n"
    )

    answer = call("down", "--name", "one")
    assert (answer.exit_code, answer.output) == (0, "cluster one has ended\n")
    assert not (state / "one").exists()


def test_after_a_crash_the_name_can_be_used_again(state: Path) -> None:
    assert call("up", "--name", "one", "--no-controller").exit_code == 0
    playground = Playground("one")
    os.kill(int(playground.owner.read_text()), signal.SIGKILL)
    until(threading.Event(), playground)
    assert call("kubeconfig", "--name", "one").exit_code == 3
    answer = call("up", "--name", "one", "--no-controller")
    assert answer.exit_code == 0
    assert answer.output.startswith("cluster one is running\n")
    api = Api.from_kubeconfig(playground.kubeconfig())
    assert api.list(NAMESPACES).items
    api.close()


def test_down_of_what_is_not_running_says_so(state: Path) -> None:
    answer = call("down", "--name", "nothing")
    assert (answer.exit_code, answer.output) == (0, "cluster nothing is not running\n")


def test_the_kubeconfig_of_what_is_not_running_is_refused(state: Path) -> None:
    answer = call("kubeconfig")
    assert answer.exit_code == 3
    assert answer.output == (
        "queuecheck: cluster play is not running; queuecheck cluster up --name play starts it\n"
    )


@pytest.mark.parametrize("name", ["../up", "Play", "", "a" * 43])
def test_what_is_no_name_is_refused(state: Path, name: str) -> None:
    answer = call("up", "--name", name)
    assert answer.exit_code == 2
    assert "is no name" in answer.output
    assert not state.exists()


def test_a_start_that_fails_says_why_and_leaves_nothing(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        (assets / name).write_text("#!/bin/sh\necho wrong machine; exit 1\n")
        (assets / name).chmod(0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    answer = call("up")
    assert answer.exit_code == 3
    assert answer.output.startswith("queuecheck: cluster play did not start: ")
    assert "wrong machine" in answer.output
    assert not (state / "play").exists()


def test_a_start_that_is_interrupted_leaves_nothing(state: Path, tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        (assets / name).write_text("#!/bin/sh\nexec sleep 600\n")
        (assets / name).chmod(0o755)
    starting = subprocess.Popen(
        [sys.executable, "-m", "queuecheck", "cluster", "up"],
        env={**os.environ, "KUBEBUILDER_ASSETS": str(assets)},
        stderr=subprocess.PIPE,
        text=True,
    )
    playground = Playground("play")
    turn = threading.Event()
    while not playground.running():
        assert starting.poll() is None
        turn.wait(0.01)
    starting.send_signal(signal.SIGINT)
    _, told = starting.communicate(timeout=30)
    assert (starting.returncode, told.strip()) == (130, "queuecheck: stopped")
    assert not (state / "play").exists()


def test_a_state_directory_without_room_is_named(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    full = shutil.disk_usage(tmp_path)._replace(free=0)
    monkeypatch.setattr("queuecheck.cli.playground.shutil.disk_usage", lambda _: full)
    answer = call("up")
    assert answer.exit_code == 3
    assert answer.output == (
        f"queuecheck: cluster play did not start: no room left in {state / 'play'}; "
        "free some, or set XDG_STATE_HOME\n"
    )


def test_a_state_directory_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    answer = call("up")
    assert answer.exit_code == 3
    assert "Not a directory; set XDG_STATE_HOME" in answer.output
