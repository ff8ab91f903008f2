"""What may be said of a kind cluster. Nothing heavy: the command line reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

MOST_NODES = 9


@dataclass(frozen=True)
class Offer:
    """An option of the command line; without a ``metavar`` it is a flag."""

    name: str
    help: str
    metavar: str | None = None
    type: type = str
    many: bool = False


OFFERS = (
    Offer("name", "a cluster of that name, made if it is not there (one of this run)", "NAME"),
    Offer("nodes", "with so many nodes (1)", "N", int),
    Offer("image", "their image (what this kind takes by itself)", "IMAGE"),
    Offer("kubernetes", "their Kubernetes, such as 1.36, by a table of images", "VERSION"),
    Offer("keep", "leave it, for later runs that name it"),
    Offer("reuse", "write to a cluster of that name that is not ours; it is never deleted"),
    Offer("bin", "another kind than the one on the PATH", "FILE"),
    Offer("load", "an archive of images that every node gets; may be repeated", "FILE", many=True),
)


@dataclass(frozen=True)
class KindOptions:
    """As in ``OFFERS``; None is what is in brackets there."""

    name: str | None = None
    nodes: int = 1
    image: str | None = None
    kubernetes: str | None = None
    keep: bool = False
    reuse: bool = False
    bin: str | None = None
    load: tuple[Path, ...] = ()

    @classmethod
    def of(cls, said: Mapping[str, Any], *, directory: Path = Path()) -> KindOptions:
        """What was said of each; nothing, where it was not. Paths are relative to ``directory``."""
        values = {name: value for name, value in said.items() if value}
        load = tuple(directory / str(file) for file in values.pop("load", ()))
        return cls(load=load, **values)

    def words(self, prefix: str) -> Iterator[str]:
        """The options that say it, each after ``prefix``."""
        for each in fields(self):
            value = getattr(self, each.name)
            if value == each.default:
                continue
            if value is True:
                yield f"{prefix}{each.name}"
            elif isinstance(value, tuple):
                yield from (f"{prefix}{each.name}={one}" for one in value)
            else:
                yield f"{prefix}{each.name}={value}"


AS_IT_COMES = KindOptions()
