"""The program kind: pytest-kind's KindCluster makes and deletes clusters, the rest is asked here.

KindCluster lets kind speak to whoever listens and keeps none of it, and writes into the working
directory. So it is given, in the place of kind, a script that calls kind and keeps what it says,
and is made in a directory of its own. It never sees a path that it would have to download.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.kind_faults import meaning
from queuecheck.cluster.kind_images import kind_version

if TYPE_CHECKING:
    from pytest_kind import KindCluster

SECONDS = 300.0
LOG = "kind.log"


def find_kind(named: str | None) -> Path:
    """The program, absolute. Raises ClusterError."""
    found = shutil.which(named or "kind")
    if found is None:
        what = f"{named} is no program" if named else "there is no kind on the PATH"
        raise ClusterError(
            f"{what}: install kind (kind.sigs.k8s.io), name it by --kind-bin, or take "
            f"--cluster local"
        )
    return Path(found).absolute()


class Kind:
    """kind, with a directory for what it says."""

    def __init__(self, program: Path, directory: Path) -> None:
        self._program = program
        self._directory = directory

    @property
    def version(self) -> tuple[int, int]:
        """Its version."""
        return kind_version(self._ask("version"))

    def clusters(self) -> tuple[str, ...]:
        """Every cluster that kind finds in this engine, whosever it is."""
        return tuple(self._ask("get", "clusters").split())

    def kubeconfig(self, name: str) -> str:
        """The administrator's, as text."""
        return self._ask("get", "kubeconfig", "--name", name)

    def load(self, name: str, archive: Path) -> None:
        """Every node of the cluster gets the images of an archive."""
        self._ask("load", "image-archive", str(archive), "--name", name)

    def export_logs(self, name: str, to: Path) -> None:
        """Logs of the nodes, and of everything on them."""
        self._ask("export", "logs", str(to), "--name", name)

    def create(self, name: str, *, kubeconfig: Path, image: str | None, config: Path) -> None:
        """Makes a cluster and its kubeconfig. Raises ClusterError; kind then takes back its own."""
        cluster = self._cluster(name, kubeconfig=kubeconfig, image=image)
        self._told(lambda: cluster.create(config), name=name, image=image)

    def delete(self, name: str, *, kubeconfig: Path) -> None:
        """Deletes it, and what its nodes have kept. Harmless if it is not there."""
        cluster = self._cluster(name, kubeconfig=kubeconfig, image=None)
        self._told(cluster.delete, name=name, image=None)

    def _cluster(self, name: str, *, kubeconfig: Path, image: str | None) -> KindCluster:
        try:
            from pytest_kind import KindCluster  # noqa: PLC0415 - of an extra, and GPL
        except ImportError as error:
            raise ClusterError(
                "a kind cluster needs the package pytest-kind: pip install 'queuecheck[kind]'"
            ) from error
        with contextlib.chdir(self._directory):
            return KindCluster(
                name,
                kubeconfig,
                image=image,
                kind_path=self._script(),
                kubectl_path=self._directory / "kubectl",
            )

    def _told(self, act: Callable[[], object], *, name: str, image: str | None) -> None:
        before = len(self._said())
        try:
            act()
        except subprocess.CalledProcessError as error:
            said = self._said()[before:]
            raise ClusterError(meaning(said, name=name, image=image or "")) from error

    def _said(self) -> str:
        log = self._directory / LOG
        return log.read_text("utf-8", "replace") if log.exists() else ""

    def _script(self) -> Path:
        script = self._directory / "kind"
        program, log = shlex.quote(str(self._program)), shlex.quote(str(self._directory / LOG))
        script.write_text(f'#!/bin/sh\nexec {program} "$@" 2>>{log}\n', "utf-8")
        script.chmod(0o700)
        return script

    def _ask(self, *words: str) -> str:
        try:
            answer = subprocess.run(
                [str(self._program), *words],
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            asked = shlex.join(["kind", *words])
            raise ClusterError(f"{asked} has not ended within {SECONDS:g} s") from None
        if answer.returncode != 0:
            asked = shlex.join(["kind", *words[:2]])
            raise ClusterError(f"{asked}: {meaning(answer.stderr, name=words[-1], image='')}")
        return answer.stdout
