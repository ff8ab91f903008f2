"""Clusters to run scenarios on, and what is done to them: providers, programs, processes, nodes.

The names below are loaded when they are first asked for: the command line looks for programs
without the client library, which takes longer to import than all the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from queuecheck.cluster.errors import ClusterError, ProcessError, ProgramsError

if TYPE_CHECKING:
    from queuecheck.cluster.local import LocalCluster
    from queuecheck.cluster.manifests import apply_manifests, read_manifests
    from queuecheck.cluster.nodes import SLOT_LABEL, NodeDriver
    from queuecheck.cluster.processes import Child
    from queuecheck.cluster.provider import Cluster

__all__ = [
    "SLOT_LABEL",
    "Child",
    "Cluster",
    "ClusterError",
    "LocalCluster",
    "NodeDriver",
    "ProcessError",
    "ProgramsError",
    "apply_manifests",
    "read_manifests",
]

HOMES = {
    "Child": "processes",
    "Cluster": "provider",
    "LocalCluster": "local",
    "NodeDriver": "nodes",
    "SLOT_LABEL": "nodes",
    "apply_manifests": "manifests",
    "read_manifests": "manifests",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(importlib.import_module(f"{__name__}.{HOMES[name]}"), name)
