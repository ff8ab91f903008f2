"""All requirements of a profile, in their written order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from queuecheck.catalogue.requirement import (
    CatalogueError,
    Level,
    Requirement,
    parse_requirement,
)
from queuecheck.suggestion import did_you_mean

# libyaml's loader, where it is there, is eight times as fast: ``explain`` is felt.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Area:
    """A chapter of the catalogue. ``tag`` is what its features carry."""

    code: str
    title: str
    tag: str


@dataclass(frozen=True)
class Catalogue:
    """The requirements by ID and the areas by code, both in written order."""

    requirements: Mapping[str, Requirement]
    areas: Mapping[str, Area]

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self.requirements.values())

    def __contains__(self, name: object) -> bool:
        return name in self.requirements

    def get(self, name: str) -> Requirement:
        """The requirement of that ID, in whatever case. Raises CatalogueError."""
        found = self.requirements.get(name.upper())
        if found is None:
            hint = did_you_mean(name, self.requirements) or "; `queuecheck list` names them all"
            raise CatalogueError(f"there is no requirement {name}{hint}")
        return found

    @property
    def standing(self) -> tuple[Requirement, ...]:
        """Those that were not withdrawn."""
        return tuple(row for row in self if row.level is not Level.WITHDRAWN)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, whatever the layout of the file: ``sha256:…``."""
        rows = [asdict(row) for row in self]
        text = json.dumps(rows, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def load_catalogue(file: Path) -> Catalogue:
    """Reads and checks a catalogue. Raises CatalogueError, naming the file and the row."""
    try:
        data = yaml.load(file.read_text("utf-8"), Loader=LOADER)  # noqa: S506 - a safe loader
    except OSError as error:
        raise CatalogueError(f"catalogue {file}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise CatalogueError(f"catalogue {file}: {' '.join(str(error).split())}") from error
    try:
        return parse_catalogue(data)
    except CatalogueError as error:
        raise CatalogueError(f"catalogue {file}: {error}") from error


def parse_catalogue(data: object) -> Catalogue:
    """A catalogue from ``{areas: …, requirements: […]}``. Raises CatalogueError."""
    if not isinstance(data, Mapping) or set(data) != {"areas", "requirements"}:
        raise CatalogueError("it has to have exactly the keys areas and requirements")
    areas = {code: _area(code, entry) for code, entry in data["areas"].items()}
    requirements: dict[str, Requirement] = {}
    for entry in data["requirements"]:
        row = parse_requirement(entry)
        if row.id in requirements:
            raise CatalogueError(f"{row.id} is there twice")
        if row.area not in areas:
            raise CatalogueError(f"{row.id}: there is no area {row.area}")
        requirements[row.id] = row
    return Catalogue(requirements, areas)


def _area(code: str, entry: object) -> Area:
    if not isinstance(entry, Mapping) or set(entry) != {"title", "tag"}:
        raise CatalogueError(f"area {code}: it has to have exactly the keys title and tag")
    return Area(code, str(entry["title"]), str(entry["tag"]))
