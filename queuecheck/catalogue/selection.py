"""Choosing scenarios by a Cucumber tag expression, such as ``must and not @slow``."""

from __future__ import annotations

from collections.abc import Callable

from cucumber_tag_expressions import TagExpressionError, parse

from queuecheck.catalogue.features import Scenario
from queuecheck.catalogue.tags import Vocabulary
from queuecheck.suggestion import did_you_mean

Choice = Callable[[Scenario], bool]


class SelectionError(Exception):
    """The expression is none; the message is one line."""


def choice(expression: str, vocabulary: Vocabulary) -> Choice:
    """What tells whether a scenario is chosen; an ``@`` before a tag may be left out.

    A scenario also answers to the tag of its requirement's area. Raises SelectionError, for an
    unknown tag too: it would choose nothing, or with ``not`` everything, without a word.
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
