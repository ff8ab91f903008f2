"""One requirement: a sentence with an ID that never changes its meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from queuecheck.suggestion import did_you_mean

ID_PATTERN = re.compile(r"[A-Z]+-([A-Z]+)-\d{2,}")
Word = TypeVar("Word", bound=StrEnum)
KEYS = frozenset({"id", "level", "basis", "sections", "needs", "since", "text"})


class CatalogueError(Exception):
    """The catalogue's data is not usable, or has no such ID; the message is one line."""


class Level(StrEnum):
    """What a failure means. Only a failed MUST makes an implementation not conformant."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"
    WITHDRAWN = "withdrawn"


class Basis(StrEnum):
    """Where a requirement comes from."""

    GOVERNING_TEXT = "D"
    UPSTREAM = "U"
    FIELD = "F"
    CHOICE = "C"

    @property
    def words(self) -> str:
        """The letter, spelt out."""
        return {
            Basis.GOVERNING_TEXT: "the governing text",
            Basis.UPSTREAM: "upstream's documentation or code",
            Basis.FIELD: "a report from the field",
            Basis.CHOICE: "our own choice",
        }[self]


@dataclass(frozen=True)
class Requirement:
    """A row of the catalogue. ``basis`` is None only for one that was withdrawn."""

    id: str
    level: Level
    basis: Basis | None
    sections: tuple[str, ...]
    area: str
    text: str
    needs: tuple[str, ...]
    since: str

    @property
    def origin(self) -> str:
        """The basis with its sections, in words."""
        if self.basis is None:
            return "none"
        sections = ", ".join(self.sections)
        return f"{self.basis.words} ({sections})" if sections else self.basis.words


def parse_requirement(entry: object) -> Requirement:
    """Raises CatalogueError, naming the row and what is wrong with it."""
    if not isinstance(entry, Mapping):
        raise CatalogueError(f"a row of the catalogue is not a mapping: {entry!r}")
    row: Mapping[str, Any] = entry
    name = str(row.get("id", "a row without an id"))
    match = ID_PATTERN.fullmatch(name)
    if match is None:
        raise CatalogueError(f"{name}: not an ID such as KQ-RSV-02")
    for key in row:
        if key not in KEYS:
            raise CatalogueError(f"{name}: unknown key {key}{did_you_mean(str(key), KEYS)}")
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise CatalogueError(f"{name}: no text")
    level = _word(Level, row.get("level"), name=name, key="level")
    basis = None
    if level is not Level.WITHDRAWN:
        basis = _word(Basis, row.get("basis"), name=name, key="basis")
    return Requirement(
        id=name,
        level=level,
        basis=basis,
        sections=_words(row, "sections", name=name),
        area=match[1],
        text=text.strip(),
        needs=_words(row, "needs", name=name),
        since=str(row.get("since", "")),
    )


def _word(kind: type[Word], value: object, *, name: str, key: str) -> Word:
    known = [str(word) for word in kind]
    if value not in known:
        found = "missing" if value is None else f"{value!r} is unknown"
        raise CatalogueError(f"{name}: {key} {found}; it is one of {', '.join(known)}")
    return kind(str(value))


def _words(row: Mapping[str, Any], key: str, *, name: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise CatalogueError(f"{name}: {key} is not a list of words")
    return tuple(value)
