"""The workload's programs and its archive."""

from __future__ import annotations

import io
import json
import platform
import signal
import subprocess
import tarfile
from pathlib import Path

import pytest

from queuecheck.cluster import workload
from queuecheck.cluster.programs import machine
from queuecheck.cluster.workload import IMAGES, Workload, archive, program

RUNNABLE = pytest.mark.skipif(
    platform.system() != "Linux" or machine() not in workload.MACHINES,
    reason="its programs are for other machines",
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "work"


def started(file: Path, code: int | None) -> subprocess.Popen[bytes]:
    file.write_bytes(program(machine(), code))
    file.chmod(0o500)
    return subprocess.Popen([str(file)])


@RUNNABLE
@pytest.mark.parametrize("code", [0, 1])
def test_a_program_that_ends_has_its_code(file: Path, code: int) -> None:
    assert started(file, code).wait(60) == code


@RUNNABLE
def test_a_program_that_runs_ends_with_143_once_it_is_told_to(file: Path) -> None:
    process = started(file, None)
    # It sleeps nowhere but where it waits for the signal.
    about = Path(f"/proc/{process.pid}")
    while (about / "exe").resolve() != file or "State:\tS" not in (about / "status").read_text():
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == workload.TERMINATED


@pytest.mark.parametrize("kind", sorted(workload.MACHINES))
def test_the_set_of_signals_is_where_the_instructions_look_for_it(kind: str) -> None:
    found = program(kind, None)
    assert found.endswith(workload.SIGTERM_SET)
    assert found[:4] == b"\x7fELF"
    if kind == "arm64":
        (block,) = [int.from_bytes(found[at : at + 4], "little") for at in [120 + 8]]
        assert 120 + 8 + ((block >> 5 & 0x7FFFF) << 2) == len(found) - 8
    else:
        at = found.index(b"\x48\x8d\x35") + 7
        assert at + int.from_bytes(found[at - 4 : at], "little") == len(found) - 8


def test_the_archive_has_each_image_with_a_layer_of_its_own_digest() -> None:
    with tarfile.open(fileobj=io.BytesIO(archive("amd64"))) as outer:
        files = {each.name: (outer.extractfile(each) or io.BytesIO()).read() for each in outer}
    entries = json.loads(files["manifest.json"])
    assert [entry["RepoTags"] for entry in entries] == [
        ["queuecheck.dev/workload:runs"],
        ["queuecheck.dev/workload:succeeds"],
        ["queuecheck.dev/workload:fails"],
    ]
    for entry, code in zip(entries, IMAGES.values(), strict=True):
        config = json.loads(files[entry["Config"]])
        (layer,) = entry["Layers"]
        assert config["architecture"] == "amd64"
        assert config["rootfs"]["diff_ids"] == [f"sha256:{layer.removesuffix('/layer.tar')}"]
        with tarfile.open(fileobj=io.BytesIO(files[layer])) as inner:
            (member,) = inner.getmembers()
            assert f"/{member.name}" == config["config"]["Entrypoint"][0]
            assert (inner.extractfile(member) or io.BytesIO()).read() == program("amd64", code)


def test_the_archive_is_the_same_whenever_it_is_made() -> None:
    assert archive("arm64") == archive("arm64")


def test_another_machine_is_told_that_it_has_none() -> None:
    with pytest.raises(workload.NoProgram, match="no workload for s390x"):
        archive("s390x")


def test_what_is_held_is_not_in_the_archive() -> None:
    assert Workload().held.rpartition(":")[2] not in IMAGES
