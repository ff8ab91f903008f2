"""A feature file as it is written: its steps, tables and Examples, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from queuecheck.catalogue import FeatureError, Problem, read_tree

KEYWORDS = {"Context": "given", "Action": "when", "Outcome": "then"}
Node = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    cells: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Step:
    """``keyword`` is given, when or then; And, But and * go on with the one before."""

    keyword: str
    text: str
    line: int
    table: tuple[Row, ...] = ()
    docstring: str = ""


@dataclass(frozen=True)
class Examples:
    """An outline's table; ``head`` is None where it has none at all."""

    line: int
    head: Row | None
    rows: tuple[Row, ...]

    @property
    def contexts(self) -> Iterator[dict[str, str]]:
        """What each row puts in the place of the outline's parameters."""
        names = self.head.cells if self.head else ()
        for row in self.rows:
            yield dict(zip(names, row.cells, strict=True))


@dataclass(frozen=True)
class Background:
    """The steps that every scenario after it begins with."""

    line: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Scenario:
    """A scenario or an outline, with the Backgrounds that are run before it."""

    name: str
    line: int
    backgrounds: tuple[Background, ...]
    steps: tuple[Step, ...]
    examples: tuple[Examples, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that its Examples give values to."""
        return tuple(name for table in self.examples if table.head for name in table.head.cells)

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """What is run, in order."""
        return (*(step for each in self.backgrounds for step in each.steps), *self.steps)


@dataclass(frozen=True)
class FeatureFile:
    """``name`` is the file, relative to the directory in which the features are."""

    name: str
    line: int
    tags: tuple[str, ...]
    lines: tuple[str, ...]
    backgrounds: tuple[Background, ...]
    scenarios: tuple[Scenario, ...]


def read_files(directory: Path) -> tuple[tuple[FeatureFile, ...], tuple[Problem, ...]]:
    """Every feature file below ``directory``, and those that cannot be read."""
    files: list[FeatureFile] = []
    problems: list[Problem] = []
    for file in sorted(directory.rglob("*.feature")):
        name = file.relative_to(directory.parent).as_posix()
        try:
            files.append(_file(name, *read_tree(file, place=name)))
        except FeatureError as error:
            place, _, what = str(error).partition(": ")
            line = place.removeprefix(name).lstrip(":") or "1"
            problems.append(Problem(name, int(line), what, "correct its Gherkin"))
    return tuple(files), tuple(problems)


def _file(name: str, text: str, feature: Node) -> FeatureFile:
    backgrounds: list[Background] = []
    return FeatureFile(
        name=name,
        line=int(feature["location"]["line"]),
        tags=tuple(tag["name"].removeprefix("@") for tag in feature["tags"]),
        lines=tuple(text.splitlines()),
        scenarios=tuple(_scenarios(feature["children"], (), backgrounds)),
        backgrounds=tuple(backgrounds),
    )


def _scenarios(
    children: Iterable[Node], outer: tuple[Background, ...], found: list[Background]
) -> Iterator[Scenario]:
    """The scenarios of a Feature or a Rule; every Background on the way goes into ``found``."""
    inner = outer
    for child in children:
        if "background" in child:
            node = child["background"]
            background = Background(int(node["location"]["line"]), _steps(node))
            found.append(background)
            inner = (*inner, background)
        elif "rule" in child:
            yield from _scenarios(child["rule"]["children"], inner, found)
        elif "scenario" in child:
            yield _scenario(child["scenario"], inner)


def _scenario(node: Node, backgrounds: tuple[Background, ...]) -> Scenario:
    return Scenario(
        name=node["name"],
        line=int(node["location"]["line"]),
        backgrounds=backgrounds,
        steps=_steps(node),
        examples=tuple(_examples(table) for table in node["examples"]),
    )


def _examples(node: Node) -> Examples:
    head = node.get("tableHeader")
    return Examples(
        line=int(node["location"]["line"]),
        head=_row(head) if head else None,
        rows=tuple(_row(row) for row in node.get("tableBody") or ()),
    )


def _steps(node: Node) -> tuple[Step, ...]:
    keyword, steps = "given", []
    for step in node["steps"]:
        keyword = KEYWORDS.get(step["keywordType"], keyword)
        steps.append(
            Step(
                keyword=keyword,
                text=step["text"],
                line=int(step["location"]["line"]),
                table=tuple(_row(row) for row in (step.get("dataTable") or {}).get("rows", ())),
                docstring=(step.get("docString") or {}).get("content", ""),
            )
        )
    return tuple(steps)


def _row(node: Node) -> Row:
    return Row(tuple(cell["value"] for cell in node["cells"]), int(node["location"]["line"]))
