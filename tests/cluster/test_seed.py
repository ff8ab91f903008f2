"""Seeds: what they depend on, that they are whole, and that a cluster starts with or without."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from queuecheck import resources
from queuecheck.cluster import LocalCluster
from queuecheck.cluster.manifests import read_manifests
from queuecheck.cluster.programs import Programs
from queuecheck.cluster.provision import provide
from queuecheck.cluster.seed import Seed
from queuecheck.kube import Api
from queuecheck.kube.resource import CUSTOM_RESOURCE_DEFINITIONS, NODES

CRDS = resources.manifests_root() / "crds"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    paths = [tmp_path / name for name in ("etcd", "apiserver", "manager", "scheduler")]
    for path in paths:
        path.write_text(path.name)
    return Programs(*paths)


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    directory = tmp_path / "manifests"
    directory.mkdir()
    (directory / "a.yaml").write_text("kind: A\n")
    return directory


def grown(seed: Seed, directory: Path, content: bytes) -> None:
    wal = directory / "member" / "wal"
    wal.mkdir(parents=True)
    (wal / "0.wal").write_bytes(content)
    (directory / "member" / "db").write_bytes(b"db\0\0")
    with seed.growing() as ours:
        assert ours
        seed.keep(directory)


def test_a_seed_is_that_of_its_programs_and_manifests(
    cache: Path, programs: Programs, manifests: Path, tmp_path: Path
) -> None:
    grown(Seed.of(programs, [manifests]), tmp_path / "etcd-data", b"log")
    assert Seed.of(programs, [manifests]).present()
    assert not Seed.of(programs, []).present()

    (manifests / "a.yaml").write_text("kind: B\n")
    assert not Seed.of(programs, [manifests]).present()

    (manifests / "a.yaml").write_text("kind: A\n")
    os.utime(programs.kube_apiserver, (1, 1))
    assert not Seed.of(programs, [manifests]).present()


def test_what_is_planted_is_what_was_kept_but_for_zeros_at_the_end_of_a_log(
    cache: Path, programs: Programs, tmp_path: Path
) -> None:
    seed = Seed.of(programs, [])
    grown(seed, tmp_path / "etcd-data", b"rec\0ords" + b"\0" * 1_000_000)

    assert seed.plant(tmp_path / "planted")

    assert (tmp_path / "planted" / "member" / "db").read_bytes() == b"db\0\0"
    log = (tmp_path / "planted" / "member" / "wal" / "0.wal").read_bytes()
    assert log.rstrip(b"\0") == b"rec\0ords"
    assert len(log) < 100_000
    assert len(log) % 8 == 0


def test_a_seed_that_cannot_be_copied_is_not_planted(
    cache: Path, programs: Programs, tmp_path: Path
) -> None:
    seed = Seed.of(programs, [])
    assert not seed.plant(tmp_path / "planted")

    grown(seed, tmp_path / "etcd-data", b"log")
    next(cache.rglob("db")).unlink()
    next(cache.rglob("member")).joinpath("db").symlink_to("nowhere")

    assert not seed.plant(tmp_path / "planted")
    assert not (tmp_path / "planted").exists()


def test_a_seed_that_cannot_be_kept_leaves_nothing(
    cache: Path, programs: Programs, tmp_path: Path
) -> None:
    seed = Seed.of(programs, [])
    with pytest.raises(OSError, match="nowhere"), seed.growing():
        seed.keep(tmp_path / "nowhere")

    assert not seed.present()
    directory = next(cache.rglob("*.lock")).parent
    assert [file.name for file in directory.iterdir() if file.suffix != ".lock"] == []


def test_the_second_of_two_waits_and_finds_it_grown(
    cache: Path, programs: Programs, tmp_path: Path
) -> None:
    seed = Seed.of(programs, [])
    second: list[bool] = []

    def wait() -> None:
        with seed.growing() as ours:
            second.append(ours)

    waiting = Thread(target=wait)
    data = tmp_path / "etcd-data"
    data.mkdir()
    with seed.growing() as ours:
        assert ours
        waiting.start()
        seed.keep(data)
        assert second == []
    waiting.join(60)
    assert second == [False]


def started_with_definitions() -> tuple[int, int]:
    """How many of our definitions and of the simulated nodes a new cluster has."""
    cluster = LocalCluster("seeded", manifests=[CRDS])
    cluster.start()
    try:
        api = Api.from_kubeconfig(cluster.kubeconfig)
        definitions = api.list(CUSTOM_RESOURCE_DEFINITIONS).items
        nodes = len(api.list(NODES).items)
        api.close()
    finally:
        cluster.stop()
    return len(definitions), nodes


def test_a_cluster_is_the_same_from_nothing_and_from_its_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = provide()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(programs.etcd.parent))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert not Seed.of(programs, [CRDS]).present()

    from_nothing = started_with_definitions()

    assert Seed.of(programs, [CRDS]).present()
    assert started_with_definitions() == from_nothing
    assert from_nothing[0] == len(read_manifests(CRDS))


def test_a_cluster_starts_without_a_place_for_its_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = provide()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(programs.etcd.parent))
    in_the_way = tmp_path / "a-file"
    in_the_way.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(in_the_way))

    definitions, nodes = started_with_definitions()

    assert definitions == len(read_manifests(CRDS))
    assert nodes > 0
