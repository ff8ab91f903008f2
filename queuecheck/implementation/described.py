"""What an implementation is, whatever it runs as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from queuecheck.implementation.descriptor import Descriptor
from queuecheck.implementation.errors import ImplementationError

Instance = TypeVar("Instance")


class Described:
    """The part of an Implementation that its descriptor has already."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._descriptor = descriptor

    @property
    def name(self) -> str:
        """See Implementation."""
        return self._descriptor.title

    @property
    def queue_namespace(self) -> str:
        """See Implementation."""
        return self._descriptor.queue_namespace

    @property
    def features(self) -> frozenset[str]:
        """See Implementation."""
        return self._descriptor.features

    def _chosen(self, instances: Mapping[str, Instance], name: str | None) -> list[Instance]:
        """The one of that name, or all. Raises ImplementationError."""
        if name is None:
            return list(instances.values())
        if name not in instances:
            known = ", ".join(instances)
            raise ImplementationError(f"{self.name} has no component {name}; it has {known}")
        return [instances[name]]
