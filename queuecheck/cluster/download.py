"""Official releases: one file, checked against the digest published beside it.

What has arrived is in ``<name>.part`` until it is whole and its SHA-256 right; only then it gets
its name. A transfer that broke off is taken up where it stopped. Kubernetes and etcd release
server programs for Linux only.
"""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import tarfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from queuecheck.cluster.errors import ProgramsError
from queuecheck.cluster.programs import ASSETS, ETCD, ETCD_VERSION, KUBERNETES_VERSION
from queuecheck.cluster.progress import Progress

KUBERNETES_URL = ("QUEUECHECK_KUBERNETES_RELEASES_URL", "https://dl.k8s.io/release")
ETCD_URL = (
    "QUEUECHECK_ETCD_RELEASES_URL",
    "https://github.com/etcd-io/etcd/releases/download",
)
REACH_SECONDS = 5.0
READ_SECONDS = 30.0
CHUNK = 256 * 1024
ATTEMPTS = 3


class Unavailable(Exception):
    """The release cannot be had here; another way may do. The message says why, in a clause."""


@dataclass(frozen=True)
class Release:
    """One downloadable file. ``digests`` is the URL of a text that has its SHA-256 in hex.

    ``listed`` is the file's name in that text, or "" if the text is the digest alone. ``member``
    is the program's path in a tar archive, or "" if the file is the program.
    """

    url: str
    digests: str
    listed: str = ""
    member: str = ""


def release_of(name: str, *, system: str, machine: str) -> Release:
    """Where the program is published, after the environment's overrides."""
    if name == ETCD:
        folder = f"{_base(ETCD_URL)}/{ETCD_VERSION}"
        stem = f"etcd-{ETCD_VERSION}-{system}-{machine}"
        archive = f"{stem}.tar.gz"
        return Release(f"{folder}/{archive}", f"{folder}/SHA256SUMS", archive, f"{stem}/etcd")
    url = f"{_base(KUBERNETES_URL)}/{KUBERNETES_VERSION}/bin/{system}/{machine}/{name}"
    return Release(url, f"{url}.sha256")


def download(
    names: Iterable[str], directory: Path, *, system: str, machine: str, progress: Progress
) -> None:
    """Puts the programs into the directory, one after the other.

    Raises Unavailable at the first that cannot be had (those before it are there), ProgramsError
    for a file that is not what was published or that there is no room for.
    """
    if system != "linux":
        raise Unavailable(f"no server programs are released for {system}")
    for name in names:
        release = release_of(name, system=system, machine=machine)
        progress.begin(f"downloading {name}")
        try:
            digest = _digest(release)
            _fetch(name, release, directory, digest=digest, progress=progress)
        finally:
            progress.done()


def _base(setting: tuple[str, str]) -> str:
    variable, default = setting
    return (os.environ.get(variable) or default).rstrip("/")


def _digest(release: Release) -> str:
    """The first request to a site: whether it can be reached at all is known within seconds.

    A socket's own time limit counts anew for each address and each read, and not at all while a
    name is looked up; so the wait is limited from outside.
    """
    answer: list[str] = []
    reasons: list[str] = []

    def ask() -> None:
        try:
            with _open(release.digests, timeout=REACH_SECONDS) as response:
                answer.append(response.read(1024 * 1024).decode("ascii", "replace"))
        except (OSError, ValueError, http.client.HTTPException) as error:
            reasons.append(_reason(error))

    thread = threading.Thread(target=ask, name="digest", daemon=True)
    thread.start()
    thread.join(REACH_SECONDS)
    if not answer:
        reason = reasons[0] if reasons else f"no answer within {REACH_SECONDS:g} s"
        raise Unavailable(f"{release.digests}: {reason}")
    for line in answer[0].splitlines():
        words = line.split()
        if words and (not release.listed or words[-1].lstrip("*") == release.listed):
            return words[0].lower()
    raise Unavailable(f"{release.digests}: no digest of {release.listed or release.url} in it")


def _fetch(
    name: str, release: Release, directory: Path, *, digest: str, progress: Progress
) -> None:
    part = directory / f"{name}.part"
    resumed = part.exists()
    try:
        _transfer(release.url, part, progress=progress)
        if resumed and _sha256(part) != digest:
            # Its beginning may be of another file: once more, from nothing.
            part.unlink()
            _transfer(release.url, part, progress=progress)
        found = _sha256(part)
        if found != digest:
            part.unlink()
            raise ProgramsError(
                f"{release.url}: SHA-256 is {found}, not the published {digest}; the file was "
                f"removed; set {ASSETS} to a directory that has the programs"
            )
        if release.member:
            _extract(part, release.member)
        part.chmod(0o755)
        part.replace(directory / name)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise no_room(directory) from error
        raise


def no_room(directory: Path) -> ProgramsError:
    """What to say when the disk is full."""
    return ProgramsError(
        f"no room left in {directory}; free some, or set XDG_CACHE_HOME to where there is more"
    )


def _transfer(url: str, part: Path, *, progress: Progress) -> None:
    """Until the file is whole; a connection that breaks off is taken up again while it helps."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            if _transfer_once(url, part, progress=progress):
                return
            reason = "the connection ended early"
        except urllib.error.HTTPError as error:
            if error.code == 416:  # nothing is left to send
                return
            raise Unavailable(f"{url}: HTTP {error.code}") from error
        except (urllib.error.URLError, TimeoutError, ConnectionError, ValueError) as error:
            reason = _reason(error)
        except http.client.HTTPException as error:
            reason = _reason(error)
        if attempt == ATTEMPTS:
            raise Unavailable(f"{url}: {reason}")


def _transfer_once(url: str, part: Path, *, progress: Progress) -> bool:
    """Whether everything that was announced has arrived."""
    have = part.stat().st_size if part.exists() else 0
    with _open(url, timeout=READ_SECONDS, start=have) as response:
        resumed = response.status == http.client.PARTIAL_CONTENT
        length = response.headers.get("Content-Length")
        done = have if resumed else 0
        total = done + int(length) if length else None
        with part.open("ab" if resumed else "wb") as file:
            while chunk := response.read(CHUNK):
                file.write(chunk)
                done += len(chunk)
                of = f" of {total / 1e6:.0f}" if total else ""
                progress.step(f"{done / 1e6:.0f}{of} MB")
    return total is None or done >= total


def _open(url: str, *, timeout: float, start: int = 0) -> http.client.HTTPResponse:
    if not url.startswith(("https://", "http://")):
        raise ValueError("not an HTTP address")
    headers = {"User-Agent": "queuecheck"}
    if start:
        headers["Range"] = f"bytes={start}-"
    request = urllib.request.Request(url, headers=headers)  # noqa: S310  (checked above)
    response: http.client.HTTPResponse = urllib.request.urlopen(  # noqa: S310
        request, timeout=timeout
    )
    return response


def _reason(error: BaseException) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP {error.code}"
    inner = getattr(error, "reason", error)
    return str(getattr(inner, "strerror", None) or inner) or type(error).__name__


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _extract(archive: Path, member: str) -> None:
    """The archive is replaced by one file of it."""
    single = archive.with_suffix(".member")
    with tarfile.open(archive, "r:gz") as opened:
        source: IO[bytes] | None = opened.extractfile(member)
        assert source is not None
        with source, single.open("wb") as target:
            while chunk := source.read(CHUNK):
                target.write(chunk)
    single.replace(archive)
