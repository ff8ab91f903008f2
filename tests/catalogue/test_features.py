"""Features as data: effective tags, places, texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck import resources
from queuecheck.catalogue import (
    FeatureError,
    Scenario,
    Vocabulary,
    check,
    load_catalogue,
    read_features,
)
from queuecheck.cluster.words import CAPABILITIES
from queuecheck.profiles import load_profile

TEXT = """\
@koord-queue
Feature: Quota
  What it is about.

  Background:
    Given a quota

  Rule: The first rule

    @KQ-QTA-01 @must
    Scenario: One
      When it is asked
      Then it answers

    # about the next
    @KQ-QTA-02 @must @slow
    Scenario Outline: Two of <what>
      When it is asked for <what>

      Examples:
        | what |
        | a    |
        | b    |

  @serial
  Rule: The second rule

    @KQ-QTA-03 @should
    Scenario: Three
      Then it is so
"""


@pytest.fixture
def scenarios(tmp_path: Path) -> tuple[Scenario, ...]:
    folder = tmp_path / "features"
    folder.mkdir()
    (folder / "quota.feature").write_text(TEXT, encoding="utf-8")
    return read_features(folder)


def test_tags_are_inherited_from_rule_and_feature(scenarios: tuple[Scenario, ...]) -> None:
    one, two, three = scenarios
    assert [tag.name for tag in one.tags] == ["KQ-QTA-01", "must", "koord-queue"]
    assert two.words == {"KQ-QTA-02", "must", "slow", "koord-queue"}
    assert three.words == {"KQ-QTA-03", "should", "serial", "koord-queue"}


def test_a_scenario_knows_its_rule_place_and_rows(scenarios: tuple[Scenario, ...]) -> None:
    assert [(each.rule, each.place, each.rows) for each in scenarios] == [
        ("The first rule", "features/quota.feature:11", 1),
        ("The first rule", "features/quota.feature:17", 2),
        ("The second rule", "features/quota.feature:29", 1),
    ]


def test_its_text_is_what_is_written_and_no_more(scenarios: tuple[Scenario, ...]) -> None:
    assert scenarios[0].text.splitlines() == [
        "@KQ-QTA-01 @must",
        "Scenario: One",
        "  When it is asked",
        "  Then it answers",
    ]
    assert scenarios[1].text.splitlines()[-1] == "    | b    |"


@pytest.mark.parametrize(
    ("text", "place"),
    [("Feature: A\n  Scenario: B\n    Given it\n    So it is\n", 4), ("nonsense", 1)],
)
def test_a_file_that_does_not_parse_is_named_with_the_line(
    tmp_path: Path, text: str, place: int
) -> None:
    folder = tmp_path / "features"
    folder.mkdir()
    (folder / "bad.feature").write_text(text, encoding="utf-8")
    with pytest.raises(FeatureError, match=rf"^features/bad\.feature:{place}: [^\n]+$"):
        read_features(folder)


def test_our_own_features_are_usable() -> None:
    profile = load_profile("koord-queue")
    catalogue = load_catalogue(resources.catalogue_file("koord-queue"))
    words = Vocabulary.of(catalogue, profile, CAPABILITIES)
    assert check(read_features(resources.features_root()), words) == ()
