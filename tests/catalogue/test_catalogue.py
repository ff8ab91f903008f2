"""The catalogue: what it holds, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from queuecheck import resources
from queuecheck.catalogue import Catalogue, CatalogueError, Level, load_catalogue
from queuecheck.catalogue.catalogue import parse_catalogue
from queuecheck.profiles import load_profile


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(resources.catalogue_file("koord-queue"))


def test_every_row_is_there_with_its_level(catalogue: Catalogue) -> None:
    levels = Counter(row.level for row in catalogue)
    assert levels == {Level.MUST: 88, Level.SHOULD: 85, Level.MAY: 1, Level.WITHDRAWN: 1}
    assert len(catalogue.standing) == 174


def test_ids_are_numbered_without_a_gap(catalogue: Catalogue) -> None:
    for area in catalogue.areas:
        numbers = [int(row.id.rsplit("-", 1)[1]) for row in catalogue if row.area == area]
        assert numbers == list(range(1, len(numbers) + 1))


def test_needs_are_features_of_the_profile(catalogue: Catalogue) -> None:
    features = load_profile("koord-queue").features
    assert {need for row in catalogue for need in row.needs} <= features.keys()


def test_a_row_is_found_in_any_case(catalogue: Catalogue) -> None:
    assert catalogue.get("kq-rcl-02").origin == "the governing text (introduction)"


def test_an_unknown_id_is_told_with_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(CatalogueError, match=r"KQ-SQE-01; did you mean KQ-SEQ-01\?"):
        catalogue.get("KQ-SQE-01")


def row(**changes: Any) -> dict[str, Any]:
    return {"id": "KQ-AAA-01", "level": "must", "basis": "D", "text": "It is so", **changes}


def parsed(*rows: object) -> Catalogue:
    areas = {"AAA": {"title": "An area", "tag": "area"}}
    return parse_catalogue({"areas": areas, "requirements": list(rows)})


REFUSED = [
    (row(levle="must"), "KQ-AAA-01: unknown key levle; did you mean level?"),
    (row(level="must not"), "KQ-AAA-01: level 'must not' is unknown; it is one of must, should,"),
    (row(basis=None), "KQ-AAA-01: basis missing; it is one of D, U, F, C"),
    (row(text=" "), "KQ-AAA-01: no text"),
    (row(id="KQ-1"), "KQ-1: not an ID such as KQ-RSV-02"),
    (row(id="KQ-BBB-01"), "KQ-BBB-01: there is no area BBB"),
    (row(needs="block"), "KQ-AAA-01: needs is not a list of words"),
    ("KQ-AAA-01", "a row of the catalogue is not a mapping: 'KQ-AAA-01'"),
]


@pytest.mark.parametrize(("bad", "message"), REFUSED, ids=[each for _, each in REFUSED])
def test_a_bad_row_is_refused_by_name(bad: object, message: str) -> None:
    with pytest.raises(CatalogueError) as told:
        parsed(bad)
    assert str(told.value).startswith(message)


def test_an_id_that_is_there_twice_is_refused() -> None:
    with pytest.raises(CatalogueError, match="KQ-AAA-01 is there twice"):
        parsed(row(), row())


def test_the_digest_is_of_the_content() -> None:
    assert parsed(row()).digest == parsed(row(text="  It is so\n")).digest
    assert parsed(row()).digest != parsed(row(text="It is not so")).digest


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"none\.yaml: No such file or directory"):
        load_catalogue(tmp_path / "none.yaml")
