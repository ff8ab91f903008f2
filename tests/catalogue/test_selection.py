"""Tag expressions choose scenarios, and a word that means nothing is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck import resources
from queuecheck.catalogue import (
    Scenario,
    SelectionError,
    Vocabulary,
    choice,
    load_catalogue,
    read_features,
)

TEXT = """
@koord-queue
Feature: Quota

  Rule: The first

    @KQ-QTA-01 @must
    Scenario: One
      Then it is so

    @KQ-QTA-03 @should @slow @needs:block
    Scenario: Two
      Then it is so

  Rule: The second

    @KQ-RCL-01 @must @needs:block
    Scenario: Three
      Then it is so
"""
VOCABULARY = Vocabulary(
    "koord-queue", load_catalogue(resources.catalogue_file("koord-queue")), frozenset({"block"})
)


@pytest.fixture
def scenarios(tmp_path: Path) -> tuple[Scenario, ...]:
    folder = tmp_path / "features"
    folder.mkdir()
    (folder / "quota.feature").write_text(TEXT, encoding="utf-8")
    return read_features(folder)


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("must", ["One", "Three"]),
        ("@must and not @needs:block", ["One"]),
        ("slow or (must and needs:block)", ["Two", "Three"]),
        ("KQ-QTA-03", ["Two"]),
        ("reclaim", ["Three"]),
        ("not quota", ["Three"]),
    ],
)
def test_an_expression_chooses(
    scenarios: tuple[Scenario, ...], expression: str, names: list[str]
) -> None:
    chosen = choice(expression, VOCABULARY)
    assert [each.name for each in scenarios if chosen(each)] == names


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("must not slow", "'must not slow' is no tag expression: Syntax error. Expected operator"),
        ("must and", "'must and' is no tag expression"),
        ("(must", "'(must' is no tag expression"),
        ("", "an empty tag expression"),
        ("musst", "no tag is called musst; did you mean must?"),
        ("not needs:blok", "no tag is called needs:blok; did you mean needs:block?"),
    ],
)
def test_what_is_no_expression_is_refused(expression: str, said: str) -> None:
    with pytest.raises(SelectionError) as caught:
        choice(expression, VOCABULARY)
    assert said in str(caught.value)
