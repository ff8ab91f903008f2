"""What verification accepts, and what it refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queuecheck.report import Report, schema
from queuecheck.report.document import digest_of, dumps, to_document
from queuecheck.report.verify import Verification, told
from queuecheck.report.verify import verify as verify_against
from queuecheck.verdict import Outcome
from tests.report.made import ANOTHER, CATALOGUE, IDS, MUST, SHOULD, everything, report, scenario

P, F = Outcome.PASSED, Outcome.FAILED


def verify(document: dict[str, Any]) -> Verification:
    return verify_against(document, CATALOGUE)


def written(made: Report) -> dict[str, Any]:
    """As it is in its file."""
    document: dict[str, Any] = json.loads(dumps(made))
    return document


@pytest.mark.parametrize("must", Outcome)
@pytest.mark.parametrize("should", [P, F, Outcome.ENVIRONMENT, Outcome.NOT_SUPPORTED])
def test_a_report_of_any_outcome_is_accepted_as_it_was_written(
    must: Outcome, should: Outcome
) -> None:
    if must in {Outcome.EXPECTED_FAILURE, Outcome.STALE_BASELINE}:
        made = report(
            *everything(F if must is Outcome.EXPECTED_FAILURE else P, should=should),
            baseline=[MUST],
        )
        assert made.requirements[0].outcome == must
    else:
        made = report(*everything(must, should=should))
    assert verify(written(made)).wrong == ()


def test_an_accepted_baseline_is_accepted() -> None:
    made = report(*everything(F), baseline=[MUST], accept_baseline=True)
    assert made.judgement.exit_code == 0
    assert verify(written(made)) == Verification(made, ())


@pytest.mark.parametrize("outcome", [P, F])
def test_what_fails_in_some_runs_only_is_accepted_either_way(outcome: Outcome) -> None:
    made = report(*everything(outcome), baseline=[MUST], intermittent=True)
    assert verify(written(made)).wrong == ()


@pytest.mark.parametrize("baseline", [(), (MUST,)])
def test_a_requirement_that_ran_only_in_part_is_accepted_as_such(baseline: Sequence[str]) -> None:
    made = report(*everything(), baseline=baseline, tests={MUST: {"features/quota.feature:99": 1}})
    assert made.judgement.headline == f"partial: {MUST} ran only in part"
    assert verify(written(made)).wrong == ()


def test_a_must_without_a_result_is_told_apart_from_damage() -> None:
    found = verify(written(report(scenario(MUST, P), selection=True)))
    assert (found.wrong, found.open) == ((), (ANOTHER,))
    assert told(found) == [f"without a result: {ANOTHER}"]


def test_a_run_that_was_broken_off_is_accepted_and_open() -> None:
    found = verify(written(report(scenario(MUST, P), interrupted="interrupted")))
    assert (found.wrong, found.open) == ((), (ANOTHER,))


def test_a_digest_that_is_missing_is_refused() -> None:
    document = written(report(*everything()))
    del document["digest"]
    assert verify(document).wrong == ("the report: 'digest' is a required property",)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield (*path, key)
        yield from _places(item, (*path, key))


WHOLE = written(report(*everything(should=F)))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(_places(WHOLE), key=str)), st.sampled_from(["", 1, "x", [], None]))
def test_no_change_of_a_single_value_goes_unseen(path: tuple[Any, ...], value: object) -> None:
    document = copy.deepcopy(WHOLE)
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    changed = inner[path[-1]] != value or type(inner[path[-1]]) is not type(value)
    inner[path[-1]] = value
    assert bool(verify(document).wrong) is changed


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(_places(WHOLE), key=str)))
def test_nothing_is_lost_unseen(path: tuple[Any, ...]) -> None:
    document = copy.deepcopy(WHOLE)
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    assert verify(document).wrong


def _fail(document: dict[str, Any]) -> None:
    document["scenarios"][0]["outcome"] = "failed"


def _lose_a_scenario(document: dict[str, Any]) -> None:
    del document["scenarios"][0]


def _lose_a_must(document: dict[str, Any]) -> None:
    del document["requirements"][0]


def _twice(document: dict[str, Any]) -> None:
    document["requirements"].append(document["requirements"][0])


def _lower(document: dict[str, Any]) -> None:
    document["requirements"][0]["level"] = "may"


def _praise(document: dict[str, Any]) -> None:
    document["judgement"]["verdict"] = "conformant"


def _succeed(document: dict[str, Any]) -> None:
    document["judgement"]["exitCode"] = 0


def _other(document: dict[str, Any]) -> None:
    document["catalogue"]["digest"] = "sha256:" + "0" * 64


DAMAGE: dict[Callable[[dict[str, Any]], None], str] = {
    _fail: f"{MUST} is passed, 1 of 1 passed; its scenarios say failed, 0 of 1",
    _lose_a_scenario: f"{MUST} is passed, 1 of 1 passed; its scenarios say not-run, 0 of 0",
    _lose_a_must: f"{MUST} (MUST) is missing",
    _twice: f"{MUST} is there 2 times",
    _lower: f"{MUST} is MUST in the catalogue, MAY here",
    _praise: "the verdict is conformant, its results say not conformant",
    _succeed: "the exit code is 0, its results say 1",
    _other: "catalogue: its digest is not that of koord-queue in this version of the suite; "
    "verify it with queuecheck 0.1.0",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_does_not_follow_is_found_even_with_a_new_digest(
    damage: Callable[[dict[str, Any]], None],
) -> None:
    document = written(report(*everything(another=F)))
    damage(document)
    document["digest"] = digest_of(document)
    assert DAMAGE[damage] in verify(document).wrong


def test_another_profile_is_refused() -> None:
    found = verify_against(written(report(*everything())), None)
    assert found.wrong == ("catalogue: this version of the suite has no profile koord-queue",)


def test_the_published_schema_is_that_of_the_model() -> None:
    published = Path(schema.__file__).with_name("schema.json")
    assert json.loads(published.read_text("utf-8")) == schema.schema(), (
        "write it anew: python -m queuecheck.report.schema"
    )


def test_the_layout_of_the_file_does_not_change_the_digest() -> None:
    made = report(*everything())
    assert digest_of(json.loads(json.dumps(to_document(made), indent=3))) == made.digest


def test_each_requirement_has_a_line_of_its_own() -> None:
    lines = dumps(report(*everything())).splitlines()
    assert all(sum(f'"id":"{name}"' in line for line in lines) == 1 for name in IDS)
    assert SHOULD in IDS
