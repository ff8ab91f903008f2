"""The programs of the control plane, and where they come from.

In this order: ``KUBEBUILDER_ASSETS``, the cache, the official releases, a build from the published
Go modules. Each program is taken from the first place that has it, and only what is missing is
fetched or built. The cache is ``$XDG_CACHE_HOME/queuecheck/<version>/<os>-<arch>``; only whole
files get their final names there, so what has the name of a program is one.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from queuecheck.cluster.errors import ProgramsError

KUBERNETES_VERSION = "v1.36.3"
ETCD_VERSION = "v3.7.3"
SERVERS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
NAMES = (*SERVERS, "kubectl")


@dataclass(frozen=True)
class Programs:
    """One path for each server program; kubectl is wanted, but nothing here needs it."""

    etcd: Path
    kube_apiserver: Path
    kube_controller_manager: Path
    kube_scheduler: Path
    kubectl: Path | None = None


def cache_directory() -> Path:
    """Where programs for this machine are kept; it need not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "queuecheck" / KUBERNETES_VERSION / f"{system()}-{machine()}"


def system() -> str:
    """The operating system as Go calls it."""
    return "darwin" if sys.platform == "darwin" else sys.platform


def machine() -> str:
    """The processor as Go calls it."""
    name = platform.machine().lower()
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(name, name)


def present() -> dict[str, Path]:
    """The programs that are already on this machine, by name. Writes nothing."""
    places = [Path(assets)] if (assets := os.environ.get("KUBEBUILDER_ASSETS")) else []
    places.append(cache_directory())
    found: dict[str, Path] = {}
    for place in places:
        for name in NAMES:
            path = place / name
            if name not in found and path.is_file() and os.access(path, os.X_OK):
                found[name] = path
    return found


def find() -> Programs:
    """All server programs. Raises ProgramsError."""
    found = present()
    missing = [name for name in SERVERS if name not in found]
    if missing:
        raise ProgramsError(
            f"{', '.join(missing)}: not found; set KUBEBUILDER_ASSETS to a directory that has them"
        )
    return chosen(found)


def chosen(found: dict[str, Path]) -> Programs:
    """The found programs by their roles; every server program must be among them."""
    return Programs(
        etcd=found["etcd"],
        kube_apiserver=found["kube-apiserver"],
        kube_controller_manager=found["kube-controller-manager"],
        kube_scheduler=found["kube-scheduler"],
        kubectl=found.get("kubectl"),
    )
