"""Implementations: how to reach, stop, hold and read the controller that is judged."""

from queuecheck.implementation.verbs import Implementation, Sample

__all__ = ["Implementation", "Sample"]
