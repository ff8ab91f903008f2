"""Implementations: how to reach, stop, hold and read the controller that is judged.

``load_descriptor`` reads who an implementation is; ``implement`` makes the ``Implementation``
that steps talk to. The latter is loaded when first asked for: ``list`` reads descriptors only.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from queuecheck.implementation.descriptor import (
    Descriptor,
    Process,
    load_descriptor,
    packaged_descriptor,
)
from queuecheck.implementation.errors import DescriptorError, ImplementationError
from queuecheck.implementation.verbs import Attempt, Implementation, LogMark, Sample

if TYPE_CHECKING:
    from queuecheck.cluster import Cluster

__all__ = [
    "Attempt",
    "Descriptor",
    "DescriptorError",
    "Implementation",
    "ImplementationError",
    "LogMark",
    "Process",
    "Sample",
    "implement",
    "load_descriptor",
    "packaged_descriptor",
]

# A cluster of ours, all of whose nodes are played.
MACHINELESS = frozenset({"simulated-nodes", "disposable"})


def implement(descriptor: Descriptor, cluster: Cluster, *, directory: Path) -> Implementation:
    """The implementation on that cluster, not yet started. ``directory`` takes its logs.

    Raises ImplementationError for Deployments where nothing runs containers.
    """
    made = _implement(descriptor, cluster, directory)
    if not descriptor.verbs:
        return made
    from queuecheck.implementation.commands import Commanded  # noqa: PLC0415

    return cast("Implementation", Commanded(made, descriptor, cluster, directory=directory))


def _implement(descriptor: Descriptor, cluster: Cluster, directory: Path) -> Implementation:
    if not descriptor.deployments:
        from queuecheck.implementation.processes import ProcessImplementation  # noqa: PLC0415

        return ProcessImplementation(descriptor, cluster, directory=directory)
    if cluster.capabilities >= MACHINELESS:
        raise ImplementationError(
            f"{descriptor.title} is made of Deployments, and on cluster {cluster.name} nothing "
            "runs containers; choose another with --cluster"
        )
    from queuecheck.implementation.deployments import DeploymentImplementation  # noqa: PLC0415

    return DeploymentImplementation(descriptor, cluster)
