"""Choosing scenarios: by requirement, by place, by a tag expression, by what failed before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cucumber_tag_expressions import TagExpressionError, parse

from queuecheck.catalogue.features import Scenario
from queuecheck.catalogue.tags import Vocabulary
from queuecheck.suggestion import did_you_mean

Choice = Callable[[Scenario], bool]


class SelectionError(Exception):
    """The expression is none; the message is one line."""


@dataclass(frozen=True)
class Selection:
    """What is asked for of all scenarios; a part that is left out leaves none out.

    ``failed`` are the files and names of scenarios that did not pass in an earlier run.
    """

    ids: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    tags: Choice | None = None
    failed: frozenset[tuple[str, str]] | None = None

    def __call__(self, scenario: Scenario) -> bool:
        """Whether the scenario is chosen."""
        return (
            (not self.ids or bool({name.upper() for name in self.ids} & {*scenario.requirements}))
            and (not self.places or any(stands_at(scenario, place) for place in self.places))
            and (self.tags is None or self.tags(scenario))
            and (self.failed is None or (scenario.file, scenario.name) in self.failed)
        )


def stands_at(scenario: Scenario, place: str) -> bool:
    """Whether ``file:line`` or ``file`` means the scenario; the file may have more in front."""
    file, _, line = place.rpartition(":")
    if not line.isdigit():
        file, line = place, ""
    same = Path(file).as_posix().endswith(scenario.file)
    last = scenario.line + scenario.text.count("\n")
    return same and (not line or scenario.line <= int(line) <= last)


def choice(expression: str, vocabulary: Vocabulary) -> Choice:
    """What a Cucumber tag expression such as ``must and not @slow`` chooses.

    An ``@`` before a tag may be left out, and a scenario also answers to the tag of its
    requirement's area. Raises SelectionError, for an unknown tag too: it would choose nothing, or
    with ``not`` everything, without a word.
    """
    bare = expression.replace("@", "")
    words = bare.replace("(", " ").replace(")", " ").split()
    try:
        tree = parse(bare)
    except TagExpressionError as error:
        reason = str(error).splitlines()[0]
        raise SelectionError(f"{expression!r} is no tag expression: {reason}") from error
    if not words:
        raise SelectionError("an empty tag expression; write one such as 'must and not @slow'")
    for word in words:
        if word not in vocabulary.words | {"and", "or", "not"}:
            hint = did_you_mean(word, vocabulary.words)
            raise SelectionError(f"{expression!r}: no tag is called {word}{hint}")
    return lambda scenario: bool(tree.evaluate(scenario.words | _areas(scenario, vocabulary)))


def _areas(scenario: Scenario, vocabulary: Vocabulary) -> frozenset[str]:
    catalogue = vocabulary.catalogue
    rows = [catalogue.get(name) for name in scenario.requirements if name in catalogue]
    return frozenset(catalogue.areas[row.area].tag for row in rows)
