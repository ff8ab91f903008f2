"""What may be said of a kind cluster. Nothing heavy: the command line reads it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MOST_NODES = 9


@dataclass(frozen=True)
class KindOptions:
    """``name``: of a cluster of that name, made if it is not there; None is one of this run.

    ``image`` or ``kubernetes``: of the nodes; with neither, what this kind takes by itself.
    ``keep``: it stays, for later runs that name it. ``reuse``: a cluster of that name that is not
    ours may be written to; it is never deleted. ``program``: another kind than that on the PATH.
    ``load``: archives of images that every node gets.
    """

    name: str | None = None
    nodes: int = 1
    image: str | None = None
    kubernetes: str | None = None
    keep: bool = False
    reuse: bool = False
    program: str | None = None
    load: tuple[Path, ...] = ()
