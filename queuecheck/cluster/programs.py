"""The programs of the control plane: which they are, and where on this machine they may be.

``KUBEBUILDER_ASSETS`` comes before the cache, ``$XDG_CACHE_HOME/queuecheck/<version>/<os>-<arch>``,
in which only whole programs bear a program's name. What is in neither can be had by ``provision``.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

KUBERNETES_VERSION = "v1.36.3"
ETCD_VERSION = "v3.7.3"
ETCD = "etcd"
KUBECTL = "kubectl"
SERVERS = (ETCD, "kube-apiserver", "kube-controller-manager", "kube-scheduler")
NAMES = (*SERVERS, KUBECTL)
ASSETS = "KUBEBUILDER_ASSETS"


@dataclass(frozen=True)
class Programs:
    """One path for each server program; kubectl is wanted, but nothing here needs it."""

    etcd: Path
    kube_apiserver: Path
    kube_controller_manager: Path
    kube_scheduler: Path
    kubectl: Path | None = None


def cache_root() -> Path:
    """Where we keep what is not to be made twice; it need not exist yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")) / "queuecheck"


def cache_directory() -> Path:
    """Where programs for this machine are kept; it need not exist yet."""
    return cache_root() / KUBERNETES_VERSION / f"{system()}-{machine()}"


def system() -> str:
    """The operating system as Go calls it."""
    return sys.platform


def machine(name: str = "") -> str:
    """The processor as Go calls it: the one of that name, or this machine's."""
    name = name or platform.machine().lower()
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(name, name)


def present() -> dict[str, Path]:
    """The programs that are already on this machine, by name. Writes nothing."""
    assets = os.environ.get(ASSETS)
    places = [Path(assets)] if assets else []
    places.append(cache_directory())
    found: dict[str, Path] = {}
    for place in places:
        for name in NAMES:
            path = place / name
            if name not in found and path.is_file() and os.access(path, os.X_OK):
                found[name] = path
    elsewhere = shutil.which(KUBECTL)
    if elsewhere and KUBECTL not in found:
        found[KUBECTL] = Path(elsewhere)
    return found


def missing(found: Mapping[str, Path]) -> tuple[str, ...]:
    """The server programs that are not among the found."""
    return tuple(name for name in SERVERS if name not in found)


def chosen(found: Mapping[str, Path]) -> Programs:
    """The found programs by their roles; every server program must be among them."""
    return Programs(
        etcd=found[ETCD],
        kube_apiserver=found["kube-apiserver"],
        kube_controller_manager=found["kube-controller-manager"],
        kube_scheduler=found["kube-scheduler"],
        kubectl=found.get(KUBECTL),
    )
