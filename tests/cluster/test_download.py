"""Downloads from a local file server that can be told to misbehave."""

from __future__ import annotations

import errno
import hashlib
import http.client
import io
import os
import tarfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from queuecheck.cluster import ProgramsError, download, provision
from queuecheck.cluster.download import Unavailable
from queuecheck.cluster.download import download as get
from tests.cluster.silent import Silent

PROGRAM = os.urandom(700_000)
APISERVER = "/release/v1.36.3/bin/linux/amd64/kube-apiserver"
ETCD = "/etcd/v3.7.3/etcd-v3.7.3-linux-amd64.tar.gz"


class FileServer:
    """Serves ``files``; ``requests`` has path and Range of every request."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self.ranges = True
        # So many bytes of each answer to a path are sent before the connection is dropped.
        self.breaks: dict[str, list[int]] = {}
        self.silent = threading.Event()
        self.silent.set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def publish(self, path: str, content: bytes, *, digest: str | None = None) -> None:
        self.files[path] = content
        self.files[f"{path}.sha256"] = (digest or hashlib.sha256(content).hexdigest()).encode()

    def close(self) -> None:
        self.silent.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.requests.append((self.path, self.headers.get("Range", "")))
                owner.silent.wait()
                content = owner.files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                start = 0
                if owner.ranges and "Range" in self.headers:
                    start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
                    if start >= len(content):
                        self.send_error(416)
                        return
                self.send_response(206 if start else 200)
                rest = content[start:]
                self.send_header("Content-Length", str(len(rest)))
                self.end_headers()
                limits = owner.breaks.get(self.path)
                with suppress(OSError):  # who asked has given up
                    self.wfile.write(rest[: limits.pop(0)] if limits else rest)
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    site = FileServer()
    monkeypatch.setenv("QUEUECHECK_KUBERNETES_RELEASES_URL", f"{site.url}/release/")
    monkeypatch.setenv("QUEUECHECK_ETCD_RELEASES_URL", f"{site.url}/etcd")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    site.publish(APISERVER, PROGRAM)
    yield site
    site.close()


def fetch(directory: Path, *names: str, system: str = "linux") -> None:
    get(names, directory, system=system, machine="amd64", progress=Silent())


def test_a_program_arrives_whole_and_can_be_run(site: FileServer, tmp_path: Path) -> None:
    fetch(tmp_path, "kube-apiserver")
    program = tmp_path / "kube-apiserver"
    assert program.read_bytes() == PROGRAM
    assert os.access(program, os.X_OK)
    assert [file.name for file in tmp_path.iterdir()] == ["kube-apiserver"]


def test_etcd_is_taken_out_of_its_archive(site: FileServer, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("etcd-v3.7.3-linux-amd64/etcd")
        entry.size = len(PROGRAM)
        archive.addfile(entry, io.BytesIO(PROGRAM))
    content = packed.getvalue()
    site.files[ETCD] = content
    digest = hashlib.sha256(content).hexdigest()
    listing = f"{'0' * 64}  etcd-v3.7.3-darwin-amd64.zip\n{digest}  {ETCD.rsplit('/', 1)[1]}\n"
    site.files["/etcd/v3.7.3/SHA256SUMS"] = listing.encode()
    fetch(tmp_path, "etcd")
    assert (tmp_path / "etcd").read_bytes() == PROGRAM
    assert [file.name for file in tmp_path.iterdir()] == ["etcd"]


def test_a_transfer_that_breaks_off_is_taken_up_where_it_stopped(
    site: FileServer, tmp_path: Path
) -> None:
    site.breaks[APISERVER] = [100_000, 200_000]
    fetch(tmp_path, "kube-apiserver")
    assert (tmp_path / "kube-apiserver").read_bytes() == PROGRAM
    ranges = [asked for path, asked in site.requests if path == APISERVER]
    assert ranges == ["", "bytes=100000-", "bytes=300000-"]


def test_a_later_run_takes_up_what_an_earlier_one_left(site: FileServer, tmp_path: Path) -> None:
    site.breaks[APISERVER] = [1000, 1000, 1000]
    with pytest.raises(Unavailable, match="the connection ended early"):
        fetch(tmp_path, "kube-apiserver")
    assert (tmp_path / "kube-apiserver.part").stat().st_size == 3000
    assert not (tmp_path / "kube-apiserver").exists()
    fetch(tmp_path, "kube-apiserver")
    assert site.requests[-1] == (APISERVER, "bytes=3000-")
    assert (tmp_path / "kube-apiserver").read_bytes() == PROGRAM


def test_a_server_without_ranges_is_asked_from_the_start(site: FileServer, tmp_path: Path) -> None:
    (tmp_path / "kube-apiserver.part").write_bytes(PROGRAM[:1000])
    site.ranges = False
    fetch(tmp_path, "kube-apiserver")
    assert (tmp_path / "kube-apiserver").read_bytes() == PROGRAM


def test_a_part_that_is_already_whole_is_used(site: FileServer, tmp_path: Path) -> None:
    (tmp_path / "kube-apiserver.part").write_bytes(PROGRAM)
    fetch(tmp_path, "kube-apiserver")
    assert (tmp_path / "kube-apiserver").read_bytes() == PROGRAM


@pytest.mark.parametrize("length", [1000, len(PROGRAM), len(PROGRAM) + 7])
def test_a_part_of_another_file_is_thrown_away(
    site: FileServer, tmp_path: Path, length: int
) -> None:
    (tmp_path / "kube-apiserver.part").write_bytes(b"x" * length)
    fetch(tmp_path, "kube-apiserver")
    assert (tmp_path / "kube-apiserver").read_bytes() == PROGRAM


def test_a_wrong_digest_is_an_error_and_leaves_nothing(site: FileServer, tmp_path: Path) -> None:
    site.publish(APISERVER, PROGRAM, digest="0" * 64)
    with pytest.raises(ProgramsError, match=r"kube-apiserver: SHA-256 is .*not the published 000"):
        fetch(tmp_path, "kube-apiserver")
    assert not list(tmp_path.iterdir())


def test_what_is_not_published_is_unavailable(site: FileServer, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"kube-scheduler.sha256: HTTP 404"):
        fetch(tmp_path, "kube-scheduler")
    site.files[f"{APISERVER.replace('apiserver', 'scheduler')}.sha256"] = b"0" * 64
    with pytest.raises(Unavailable, match=r"kube-scheduler: HTTP 404"):
        fetch(tmp_path, "kube-scheduler")


def test_a_list_of_digests_without_ours_is_unavailable(site: FileServer, tmp_path: Path) -> None:
    site.files["/etcd/v3.7.3/SHA256SUMS"] = b"0000  another.tar.gz\n"
    with pytest.raises(Unavailable, match=r"no digest of etcd-v3.7.3-linux-amd64.tar.gz in it"):
        fetch(tmp_path, "etcd")


def test_a_site_that_says_nothing_costs_a_limited_time(
    site: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    opened = download._open

    def opening(url: str, **others: Any) -> http.client.HTTPResponse:
        asked.append(url)
        return opened(url, **others)

    monkeypatch.setattr(download, "_open", opening)
    monkeypatch.setattr(download, "REACH_SECONDS", 0.2)
    site.silent.clear()
    with pytest.raises(Unavailable, match=r"sha256: (no answer within 0.2 s|timed out)"):
        fetch(tmp_path, "kube-apiserver", "kube-scheduler")
    assert asked == [f"{site.url}{APISERVER}.sha256"]


def test_a_refused_connection_is_unavailable(
    site: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUEUECHECK_KUBERNETES_RELEASES_URL", "http://127.0.0.1:1")
    with pytest.raises(Unavailable, match="Connection refused"):
        fetch(tmp_path, "kube-apiserver")


def test_an_address_that_is_not_http_is_unavailable(
    site: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUEUECHECK_KUBERNETES_RELEASES_URL", "file:///etc")
    with pytest.raises(Unavailable, match="not an HTTP address"):
        fetch(tmp_path, "kube-apiserver")


def test_nothing_is_asked_where_nothing_is_released(site: FileServer, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no server programs are released for darwin"):
        fetch(tmp_path, "kube-apiserver", system="darwin")
    assert not site.requests


def test_a_full_disk_is_one_clear_line(
    site: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(download, "_transfer", full)
    with pytest.raises(ProgramsError) as caught:
        fetch(tmp_path, "kube-apiserver")
    assert str(caught.value) == (
        f"no room left in {tmp_path}; free some, or set XDG_CACHE_HOME to where there is more"
    )


def test_only_what_is_missing_is_downloaded(
    site: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provision, "system", lambda: "linux")
    monkeypatch.setattr(provision, "machine", lambda: "amd64")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assets = tmp_path / "assets"
    assets.mkdir()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    for name in ("etcd", "kube-controller-manager", "kube-scheduler", "kubectl"):
        (assets / name).touch(mode=0o755)
    found = provision.provide(Silent())
    assert found.kube_apiserver.read_bytes() == PROGRAM
    assert found.etcd == assets / "etcd"
    assert {path for path, _ in site.requests} == {APISERVER, f"{APISERVER}.sha256"}
