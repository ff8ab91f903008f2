"""Scenarios as they are written, read without running anything.

A scenario's effective tags are its own, its Rule's and its Feature's, in that order; those of an
Examples table are its own affair and are listed apart, as they hold for some of its rows only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gherkin.errors import CompositeParserException, ParserException
from gherkin.parser import Parser

from queuecheck.catalogue.requirement import ID_PATTERN


class FeatureError(Exception):
    """A feature file cannot be read; the message is one line, with file and line number."""


@dataclass(frozen=True)
class Tag:
    """A tag without its ``@``, and the line it stands in."""

    name: str
    line: int


@dataclass(frozen=True)
class Scenario:
    """A scenario or an outline. ``file`` is relative to the features' parent directory.

    ``rows`` is the number of tests it makes: 1, or the rows of its Examples.
    """

    name: str
    feature: str
    rule: str | None
    file: str
    line: int
    tags: tuple[Tag, ...]
    examples_tags: tuple[Tag, ...]
    rows: int
    text: str

    @property
    def requirements(self) -> tuple[str, ...]:
        """The IDs it is about; the first is its primary one."""
        return tuple(tag.name for tag in self.tags if ID_PATTERN.fullmatch(tag.name))

    @property
    def words(self) -> frozenset[str]:
        """The effective tags."""
        return frozenset(tag.name for tag in self.tags)

    @property
    def place(self) -> str:
        """``file:line``, as editors understand it."""
        return f"{self.file}:{self.line}"


def read_features(directory: Path) -> tuple[Scenario, ...]:
    """Every scenario below ``directory``, in the order of files and lines. Raises FeatureError."""
    files = sorted(directory.rglob("*.feature"))
    return tuple(found for file in files for found in read_feature(file, base=directory.parent))


def read_feature(file: Path, *, base: Path) -> tuple[Scenario, ...]:
    """The scenarios of one file. Raises FeatureError."""
    place = file.relative_to(base).as_posix()
    text, feature = read_tree(file, place=place)
    return tuple(_Reader(place, text.splitlines(), feature).scenarios())


def read_tree(file: Path, *, place: str) -> tuple[str, Mapping[str, Any]]:
    """The text of a file and its Feature as the Gherkin parser gives it. Raises FeatureError."""
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise FeatureError(f"{place}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FeatureError(f"{place}: it is not UTF-8 text") from error
    try:
        feature = _parsed(text)
    except CompositeParserException as error:
        raise _unreadable(place, error.errors[0]) from error
    except ParserException as error:
        raise _unreadable(place, error) from error
    if feature is None:
        raise FeatureError(f"{place}: there is no Feature in it")
    return text, feature


@lru_cache(maxsize=256)
def _parsed(text: str) -> Mapping[str, Any] | None:
    """One process reads the same files to check them, and again to make tests of them."""
    document: Mapping[str, Any] = Parser().parse(text)
    return document.get("feature")


@dataclass(frozen=True)
class _Reader:
    file: str
    lines: list[str]
    feature: Mapping[str, Any]

    def scenarios(self) -> Iterator[Scenario]:
        children = self.feature["children"]
        ends = [_first_line(node) for node in _nodes(children)]
        for node, rule in _scenarios(children):
            start = _first_line(node)
            later = [line for line in ends if line > start]
            yield self._scenario(node, rule, start=start, end=min(later, default=None))

    def _scenario(
        self,
        node: Mapping[str, Any],
        rule: Mapping[str, Any] | None,
        *,
        start: int,
        end: int | None,
    ) -> Scenario:
        stop = len(self.lines) if end is None else end - 1
        inherited = [] if rule is None else rule["tags"]
        examples = node.get("examples") or []
        return Scenario(
            name=node["name"],
            feature=self.feature["name"],
            rule=None if rule is None else rule["name"],
            file=self.file,
            line=int(node["location"]["line"]),
            tags=_tags([*node["tags"], *inherited, *self.feature["tags"]]),
            examples_tags=_tags([tag for table in examples for tag in table["tags"]]),
            rows=sum(len(table.get("tableBody") or []) for table in examples) or 1,
            text=_dedent(self.lines[start - 1 : stop]),
        )


def _scenarios(
    children: list[Mapping[str, Any]], rule: Mapping[str, Any] | None = None
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    for child in children:
        if "scenario" in child:
            yield child["scenario"], rule
        elif "rule" in child:
            yield from _scenarios(child["rule"]["children"], child["rule"])


def _nodes(children: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for child in children:
        (node,) = child.values()
        yield node
        yield from _nodes(node.get("children") or [])


def _first_line(node: Mapping[str, Any]) -> int:
    """Where a node begins, its tags included."""
    lines = [tag["location"]["line"] for tag in node.get("tags") or []]
    return int(min([*lines, node["location"]["line"]]))


def _tags(nodes: list[Mapping[str, Any]]) -> tuple[Tag, ...]:
    return tuple(
        Tag(node["name"].removeprefix("@"), int(node["location"]["line"])) for node in nodes
    )


def _dedent(lines: list[str]) -> str:
    kept = [line.rstrip() for line in lines]
    while kept and (not kept[-1] or kept[-1].lstrip().startswith("#")):
        kept.pop()
    margin = min((len(line) - len(line.lstrip()) for line in kept if line), default=0)
    return "\n".join(line[margin:] for line in kept)


def _unreadable(place: str, error: Any) -> FeatureError:
    line = (getattr(error, "location", None) or {}).get("line", 1)
    text = " ".join(str(error).split()).split("): ", 1)[-1]
    return FeatureError(f"{place}:{line}: {text}")
