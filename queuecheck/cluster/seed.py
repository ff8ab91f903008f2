"""The first state of a control plane, kept so that the next one need not be made from nothing.

A new API server writes a few hundred roles, bindings and settings, and then the definitions it is
given: a third of the processor time of a start. So the first control plane on a machine is stopped
once it has them, before anything else is on it, and its etcd data kept in the cache; later ones
start from a copy. The name of a seed is a digest of everything it depends on. A seed can be
deleted at any time.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from queuecheck.cluster import sharing
from queuecheck.cluster.programs import ETCD_VERSION, KUBERNETES_VERSION, Programs, cache_directory

LAYOUT = "2"
LOG_SUFFIX = ".wal"
ROOM = 64 * 1024


class Seed:
    """The state for these programs and definitions; it may not be there."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @classmethod
    def of(cls, programs: Programs, manifests: Sequence[Path]) -> Seed:
        """Reads every file of ``manifests``; of a program, only which one it is."""
        digest = hashlib.sha256(f"{LAYOUT} {KUBERNETES_VERSION} {ETCD_VERSION}".encode())
        for program in (programs.etcd, programs.kube_apiserver, programs.kube_controller_manager):
            stat = program.stat()
            digest.update(f"{program.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode())
        for path in manifests:
            for file in _files(path):
                digest.update(file.name.encode())
                digest.update(file.read_bytes())
        return cls(cache_directory() / f"seed-{digest.hexdigest()[:16]}")

    def present(self) -> bool:
        """Whether it can be planted."""
        return self._directory.is_dir()

    def plant(self, etcd_data: Path) -> bool:
        """Copies it to where an etcd that has not started yet will look; whether it was there."""
        if not self.present():
            return False
        try:
            shutil.copytree(self._directory, etcd_data)
        except OSError:  # deleted meanwhile, or no room: etcd then starts from nothing
            shutil.rmtree(etcd_data, ignore_errors=True)
            return False
        etcd_data.chmod(0o700)
        return True

    def keep(self, etcd_data: Path) -> None:
        """Takes it from an etcd that has ended. Raises OSError, and then nothing is kept."""
        part = Path(tempfile.mkdtemp(prefix="seed.part-", dir=self._directory.parent))
        try:
            shutil.copytree(etcd_data, part, dirs_exist_ok=True)
            for log in part.rglob(f"*{LOG_SUFFIX}"):
                _shorten(log)
            part.rename(self._directory)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise

    @contextmanager
    def growing(self) -> Iterator[bool]:
        """One process at a time; True for the one that has to make it. Raises OSError."""
        self._directory.parent.mkdir(parents=True, exist_ok=True)
        with sharing.locked(self._directory.parent / "seed.lock"):
            yield not self.present()


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file())


def _shorten(log: Path) -> None:
    """A write-ahead log is laid out in full length from the start: zeros, nearly all of it."""
    content = log.read_bytes().rstrip(b"\0")
    # What follows the last record has to be whole and zero, or it would be read as torn.
    log.write_bytes(content + b"\0" * (ROOM - len(content) % 8))
