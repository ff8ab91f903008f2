"""``queuecheck cluster``: up, a second up, down, and a crash between them."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from queuecheck.cli import playground as playground_module
from queuecheck.cli.cluster import cluster
from queuecheck.cli.playground import Playground
from queuecheck.cluster import ClusterError
from queuecheck.kube import Api, Resource
from queuecheck.kube.resource import NAMESPACES

# Has the lock of its argument until it is told to end.
OWNER = """
import fcntl, os, signal, sys
fcntl.flock(os.open(sys.argv[1], os.O_RDWR), fcntl.LOCK_EX)
print("has it", flush=True)
signal.pause()
"""
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
    end = time.monotonic() + 60
    while time.monotonic() < end:
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


@pytest.mark.parametrize("name", ["../up", "Play", "", "a" * 43, "a-", "-a"])
def test_what_is_no_name_is_refused_with_the_rule(state: Path, name: str) -> None:
    answer = call("up", "--name", name)
    assert answer.exit_code == 2
    assert answer.output.splitlines()[-1].endswith(
        f"{name!r} is no name: at most 42 small letters, digits and hyphens, beginning and ending "
        "with a letter or digit"
    )
    with pytest.raises(ClusterError, match="is no name: at most 42 small letters"):
        Playground(name)
    assert not state.exists()


@pytest.mark.parametrize("name", ["a", "7", "a--b", "a" * 42])
def test_what_is_a_name_is_taken(name: str) -> None:
    assert Playground(name).name == name


@pytest.fixture
def begun(state: Path) -> Playground:
    """One whose directory is there, as its ``up`` prepares it."""
    playground = Playground("one")
    playground.directory.mkdir(parents=True)
    (playground.directory / "lock").touch()
    return playground


@contextmanager
def locked(playground: Playground, how: int) -> Iterator[int]:
    """The descriptor by which the lock is had."""
    descriptor = os.open(playground.directory / "lock", os.O_RDWR)
    fcntl.flock(descriptor, how)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def with_sleep(patching: pytest.MonkeyPatch, sleep: Callable[[float], None]) -> None:
    """It is done where the playground waits, and nowhere else: other threads wait too."""
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=sleep)
    patching.setattr(playground_module, "time", clock)


def test_who_asks_is_not_taken_for_an_owner(begun: Playground) -> None:
    with locked(begun, fcntl.LOCK_SH):
        assert not begun.running()
    with locked(begun, fcntl.LOCK_EX):
        assert begun.running()


def test_an_owner_waits_for_those_who_ask(
    begun: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    with locked(begun, fcntl.LOCK_SH) as asks:
        with_sleep(monkeypatch, lambda _: fcntl.flock(asks, fcntl.LOCK_UN))
        with begun.lock():
            assert begun.running()


def test_an_owner_does_not_wait_for_another(begun: Playground) -> None:
    with (
        locked(begun, fcntl.LOCK_EX),
        pytest.raises(BlockingIOError),
        begun.lock(patience=0),
    ):
        pytest.fail("both have it")


def test_a_lock_that_was_removed_is_nobodys(begun: Playground) -> None:
    file = begun.directory / "lock"
    flock = fcntl.flock

    def removed_first(descriptor: int, how: int) -> None:
        file.unlink()
        flock(descriptor, how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fcntl, "flock", removed_first)
        with pytest.raises(ClusterError, match="was removed meanwhile"), begun.lock():
            pytest.fail("it is not there")


def test_down_waits_until_an_owner_that_has_just_begun_says_who_it_is(
    begun: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", OWNER, str(begun.directory / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "has it\n"
            begun.owner.touch()  # as it is between its making and its writing

            def write(seconds: float) -> None:
                begun.owner.write_text(f"{process.pid}\n", "utf-8")
                time.sleep(seconds)

            with_sleep(monkeypatch, write)
            answer = call("down", "--name", "one")
        finally:
            process.kill()
    assert (answer.exit_code, answer.output) == (0, "cluster one has ended\n")
    assert process.returncode == -signal.SIGTERM
    assert not begun.directory.exists()


def test_an_owner_that_never_says_who_it_is_is_one_line(
    begun: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("queuecheck.cli.playground.MOMENT_SECONDS", 0.0)
    begun.owner.touch()
    with locked(begun, fcntl.LOCK_EX):
        answer = call("down", "--name", "one")
    assert answer.exit_code == 3
    assert answer.output == (
        f"queuecheck: cluster one is running, but {begun.owner} does not say as which process; "
        "it is the one that has the file lock beside it open\n"
    )


def test_there_is_no_kubeconfig_of_what_has_only_begun(begun: Playground) -> None:
    with locked(begun, fcntl.LOCK_EX):
        answer = call("kubeconfig", "--name", "one")
    assert (answer.exit_code, answer.output) == (
        3,
        "queuecheck: cluster one is only just starting\n",
    )


def test_an_owner_that_is_gone_when_it_is_killed_is_no_error_of_its_own(
    begun: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("queuecheck.cli.playground.DOWN_SECONDS", 0.0)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    begun.owner.write_text(f"{ended.pid}\n", "utf-8")
    with locked(begun, fcntl.LOCK_EX):
        answer = call("down", "--name", "one")
    assert (answer.exit_code, answer.output) == (
        3,
        f"queuecheck: cluster one does not end; see {begun.log}\n",
    )


def test_a_second_up_touches_nothing_of_a_first_that_was_quicker(
    begun: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = (begun.owner, begun.log, begun.directory / "kubeconfig")
    for file in files:
        file.write_text("the first's", "utf-8")
    monkeypatch.setattr("queuecheck.cli.playground.MOMENT_SECONDS", 0.0)
    with locked(begun, fcntl.LOCK_EX):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Playground, "running", lambda _: False)  # as it was when it looked
            answer = call("up", "--name", "one")
        left = [file.read_text("utf-8") for file in files]
    for file in files:
        file.unlink()
    assert left == ["the first's"] * 3
    assert (answer.exit_code, answer.output) == (
        3,
        "queuecheck: cluster one is already running; queuecheck cluster down --name one ends it\n",
    )


def test_down_leaves_alone_what_has_begun_since_the_end(
    begun: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("queuecheck.cli.playground.MOMENT_SECONDS", 0.0)
    with locked(begun, fcntl.LOCK_EX), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Playground, "running", lambda _: False)
        assert call("down", "--name", "one").output == "cluster one is not running\n"
        assert (begun.directory / "lock").exists()


def test_a_start_that_is_told_to_end_says_so(begun: Playground) -> None:
    owner = [sys.executable, "-c", "import sys; print(); sys.exit(0)"]
    with pytest.MonkeyPatch.context() as patch:
        popen = subprocess.Popen
        patch.setattr(subprocess, "Popen", lambda _, **how: popen(owner, **how))
        with pytest.raises(ClusterError, match="cluster one did not start: it was told to end"):
            begun.up(controller=False)


def programs(directory: Path, script: str) -> Path:
    """A directory of a control plane's programs, each of which does this."""
    assets = directory / "assets"
    assets.mkdir()
    for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        (assets / name).write_text(f"#!/bin/sh\n{script}\n")
        (assets / name).chmod(0o755)
    return assets


def test_a_start_that_fails_says_why_and_leaves_nothing(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assets = programs(tmp_path, "echo wrong machine; exit 1")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    answer = call("up")
    assert answer.exit_code == 3
    assert answer.output.startswith("queuecheck: cluster play did not start: ")
    assert "wrong machine" in answer.output
    assert not (state / "play").exists()


def test_a_start_that_is_interrupted_leaves_nothing(state: Path, tmp_path: Path) -> None:
    assets = programs(tmp_path, "exec sleep 600")
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
    _, told = starting.communicate(timeout=60)
    assert (starting.returncode, told.strip()) == (130, "queuecheck: stopped")
    assert not (state / "play").exists()


def test_a_start_that_is_interrupted_just_as_its_owner_begins_leaves_nothing(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playground = Playground("play")
    turn = threading.Event()

    class Interrupted(subprocess.Popen[bytes]):
        """It comes once the owner has begun, and before anybody knows of it."""

        def __init__(self, *words: Any, **how: Any) -> None:
            super().__init__(*words, **how)
            while not playground.running():
                assert self.poll() is None
                turn.wait(0.01)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(programs(tmp_path, "exec sleep 600")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "Popen", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            playground.up(controller=False)
    assert not playground.directory.exists()


def test_a_state_directory_without_room_is_named(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(programs(tmp_path, "exit 1")))
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
