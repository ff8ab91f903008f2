"""What an implementation is, whatever it runs as."""

from __future__ import annotations

from queuecheck.implementation.descriptor import Descriptor


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
