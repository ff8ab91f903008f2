"""What verification accepts, and what it refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queuecheck.catalogue import Catalogue
from queuecheck.report import Judgement, Report, schema
from queuecheck.report.document import digest_of, dumps, to_document, to_report
from queuecheck.report.recount import results_of
from queuecheck.report.verify import Verification, told
from queuecheck.report.verify import verify as verify_against
from queuecheck.secrecy import Secrets
from queuecheck.verdict import ExitCode, Outcome, RunVerdict, Scope, judge
from tests.report.made import ANOTHER, CATALOGUE, IDS, MUST, SHOULD, everything, report, scenario

P, F = Outcome.PASSED, Outcome.FAILED


def verify(document: dict[str, Any]) -> Verification:
    return verify_against(document, CATALOGUE)


def written(made: Report) -> dict[str, Any]:
    """As it is in its file."""
    document: dict[str, Any] = json.loads(dumps(made))
    return document


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """With the digest of what is in it now."""
    return document | {"digest": digest_of(document)}


def with_verdict(made: Report, judged: RunVerdict) -> Report:
    """With a verdict that was given elsewhere."""
    said = Judgement(judged.word, int(judged.exit_code), judged.headline, judged.notes)
    return replace(made, judgement=said)


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
    found = verify(written(made))
    assert (found.wrong, found.open, found.in_part) == ((), (), (MUST,))
    assert found.incomplete
    assert told(found) == [f"ran only in part: {MUST}"]


def test_a_must_without_a_result_is_told_apart_from_damage() -> None:
    found = verify(written(report(scenario(MUST, P), selection=True)))
    assert (found.wrong, found.open) == ((), (ANOTHER,))
    assert told(found) == [f"without a result: {ANOTHER}"]


def test_a_run_that_was_broken_off_is_accepted_and_open() -> None:
    found = verify(written(report(scenario(MUST, P), interrupted="interrupted")))
    assert (found.wrong, found.open) == ((), (ANOTHER,))


@pytest.mark.parametrize(
    "terms",
    [
        Scope(IDS, IDS),
        Scope(IDS, IDS, strict=True, absent=("block",)),
        Scope(IDS, IDS, missing=("gate", "metrics")),
        Scope(IDS, IDS, interrupted="stopped; 2 of 3: no, KQ-AAA-02 has no scenario"),
    ],
    ids=["plain", "strict", "missing", "interrupted"],
)
@pytest.mark.parametrize("ran", [[MUST], [MUST, SHOULD], [ANOTHER, SHOULD], sorted(IDS)])
@pytest.mark.parametrize("covered", [[], [MUST], [MUST, ANOTHER], [SHOULD], sorted(IDS)])
@pytest.mark.parametrize("outcome", [P, F, Outcome.ENVIRONMENT])
def test_under_whatever_terms_a_run_was_judged_its_report_is_accepted(
    terms: Scope, ran: Sequence[str], covered: Sequence[str], outcome: Outcome
) -> None:
    runs = [scenario(name, outcome if name == SHOULD else P) for name in ran]
    settings = {"strict": "yes" if terms.strict else "no"}
    made = report(*runs, interrupted=terms.interrupted, configuration=settings)
    facts = replace(made.implementation, missing=terms.missing, absent=terms.absent)
    made = replace(made, implementation=facts)
    judged = judge(results_of(made, CATALOGUE), replace(terms, covered=frozenset(covered)))
    assert verify(sealed(written(with_verdict(made, judged)))).wrong == ()


@pytest.mark.parametrize(("first", "last"), [(0, 1), (0, 5), (0, 9), (3, 18), (0, 20)])
def test_of_many_without_a_scenario_only_the_number_is_told(first: int, last: int) -> None:
    names = [f"KQ-AAA-{number:02}" for number in range(1, 21)]
    rows = {name: replace(CATALOGUE.requirements[MUST], id=name) for name in names}
    catalogue = Catalogue(rows, CATALOGUE.areas)
    made = report(scenario(names[0], P), catalogue=catalogue)
    scope = Scope(frozenset(names), covered=frozenset(names[first:last]))
    judged = judge(results_of(made, catalogue), scope)
    document = sealed(written(with_verdict(made, judged)))
    assert verify_against(document, catalogue).wrong == ()


BESIDE = "tests/test_it.py::test_one"
BROKEN = report(scenario(MUST, P), interrupted="internal error")
EMPTY = report(interrupted="interrupted")
# The exit codes that such a run can have ended with, first that which is right if there is one.
POSSIBLE = {
    "passed": (report(*everything()), (0,)),
    "failed": (report(*everything(F)), (1,)),
    "without environment": (report(*everything(Outcome.ENVIRONMENT)), (3,)),
    "stopped": (report(scenario(MUST, P), interrupted="stopped"), (5,)),
    "stopped after a failure": (report(scenario(MUST, F), interrupted="stopped"), (1,)),
    "stopped before any result": (EMPTY, (5, 4, 2)),
    "broken": (BROKEN, (4,)),
    "broken after a failure": (report(scenario(MUST, F), interrupted="internal error"), (4,)),
    "failed beside": (report(*everything(), failed_beside=[BESIDE]), (1,)),
    "both failed": (report(*everything(F), failed_beside=[BESIDE]), (1,)),
}


def ended_with(made: Report, code: int) -> dict[str, Any]:
    document = written(made)
    document["judgement"]["exitCode"] = code
    return sealed(document)


@pytest.mark.parametrize("run", POSSIBLE)
@pytest.mark.parametrize("code", [int(code) for code in ExitCode])
def test_an_exit_code_that_no_such_run_ends_with_is_refused(run: str, code: int) -> None:
    made, possible = POSSIBLE[run]
    told = f"judgement.exitCode: it is {code}, what the run came to makes it {possible[0]}"
    assert verify(ended_with(made, code)).wrong == (() if code in possible else (told,))


@pytest.mark.parametrize(("made", "code"), [(BROKEN, 4), (EMPTY, 4), (EMPTY, 2)])
def test_where_pytest_broke_the_exit_code_is_its_own_and_that_is_noted(
    made: Report, code: int
) -> None:
    assert told(verify(ended_with(made, code)))[0] == (
        f"the exit code is {code}, its results alone would make it 5: the run failed at something "
        "else than a scenario"
    )


def test_tests_that_are_no_scenarios_and_failed_are_noted() -> None:
    for names, said in ([BESIDE], BESIDE), ([f"{BESIDE}[{n}]" for n in range(7)], "7 tests"):
        found = verify(ended_with(report(*everything(), failed_beside=names), 1))
        assert (found.wrong, found.incomplete) == ((), False)
        (line,) = told(found)
        assert line == (
            "the exit code is 1, its results alone would make it 0: the run failed at something "
            f"else than a scenario, {said}"
        )


@pytest.mark.parametrize(
    "headline", ["x" * 10**6, f"partial: {'9' * 10**5} requirements have no scenario"]
)
def test_a_headline_of_any_length_is_held_against_the_results(headline: str) -> None:
    document = written(report(scenario(MUST, P)))
    document["judgement"]["headline"] = headline
    (wrong, *_) = verify(sealed(document)).wrong
    assert wrong.startswith("the headline is not what its results say: partial: ")


def test_a_secret_that_is_called_like_a_field_takes_no_field_away() -> None:
    run = replace(scenario(MUST, P), evidence="evidence/x")
    secrets = Secrets(frozenset({"evidence", "judgement", "requirements"}))
    made = report(run, selection=True, secrets=secrets)
    assert made.scenarios[0].evidence == "(masked)/x"
    assert verify(written(made)).wrong == ()


def test_what_was_masked_in_a_text_of_the_catalogue_is_no_change() -> None:
    secrets = Secrets(frozenset({"KQ-BBB-01 asks", "The first"}))
    made = report(*everything(), secrets=secrets)
    assert made.requirements[2].text == "what (masked) | for"
    assert verify(written(made)).wrong == ()


def test_of_several_scenarios_any_that_ended_so_may_have_told_the_reason() -> None:
    runs = [scenario(MUST, F, line=line) for line in (9, 8)]
    runs = [replace(run, reason=f"line {run.line}") for run in runs]
    made = report(*runs, selection=True)
    assert made.requirements[0].reason == "line 9"
    assert verify(written(made)).wrong == ()


def test_fields_of_a_later_version_are_no_fault_but_part_of_the_digest() -> None:
    made = report(*everything())
    document = written(made)
    document["weather"] = "fine"
    document["requirements"][0]["colour"] = {"red": 1}
    (line,) = verify(document).wrong
    assert line.startswith("digest: ")
    later = sealed(document)
    assert told(verify(later)) == []
    assert to_report(later, name="it") == replace(made, digest=later["digest"])


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


@settings(max_examples=60)
@given(st.sampled_from(sorted(_places(WHOLE), key=str)), st.sampled_from(["", 1, "x", [], None]))
def test_no_change_of_a_single_value_goes_unseen(path: tuple[Any, ...], value: object) -> None:
    document = copy.deepcopy(WHOLE)
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    changed = inner[path[-1]] != value or type(inner[path[-1]]) is not type(value)
    inner[path[-1]] = value
    assert bool(verify(document).wrong) is changed


@settings(max_examples=30)
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


def _headline(document: dict[str, Any]) -> None:
    document["judgement"]["headline"] = "not conformant: nothing of importance"


def _headline_of_another_version(document: dict[str, Any]) -> None:
    _headline(document)
    document["versions"]["queuecheck"] = "0.0.9"


def _notes(document: dict[str, Any]) -> None:
    document["judgement"]["notes"] = ["all is well"]


def _text(document: dict[str, Any]) -> None:
    document["requirements"][0]["text"] = "what is easy"


def _area_and_basis(document: dict[str, Any]) -> None:
    document["requirements"][0] |= {"area": "BBB", "basis": "our own choice", "needs": ["luck"]}


def _all_texts(document: dict[str, Any]) -> None:
    document["catalogue"] |= {"size": 4, "areas": []}


def _reason(document: dict[str, Any]) -> None:
    document["requirements"][1]["reason"] = "somebody else's fault"


def _time(document: dict[str, Any]) -> None:
    document["requirements"][0]["ms"] = 1


def _latencies(document: dict[str, Any]) -> None:
    document["latencies"] = [{"name": "submit to admit", "count": 1, "p50": 1, "p95": 1}]


DAMAGE: dict[Callable[[dict[str, Any]], None], str] = {
    _fail: f"{MUST} is passed, 1 of 1 passed; its scenarios say failed, 0 of 1",
    _lose_a_scenario: f"{MUST} is passed, 1 of 1 passed; its scenarios say not-run, 0 of 0",
    _lose_a_must: f"{MUST} (MUST) is missing",
    _twice: f"{MUST} is there 2 times",
    _lower: f"{MUST} is MUST in the catalogue, MAY here",
    _praise: "the verdict is conformant, its results say not conformant",
    _succeed: "judgement.exitCode: it is 0, what the run came to makes it 1",
    _other: "catalogue: its digest is not that of koord-queue in this version of the suite; "
    "verify it with queuecheck 0.1.0",
    _headline: f"the headline is not what its results say: not conformant: {ANOTHER} failed",
    _headline_of_another_version: "the headline is not what its results say: not conformant: "
    f"{ANOTHER} failed; verify it with queuecheck 0.0.9",
    _notes: "the notes are not what its results say: nothing",
    _text: f"{MUST}: not what the catalogue says: text",
    _area_and_basis: f"{MUST}: not what the catalogue says: area, basis, needs",
    _all_texts: "catalogue: it has 3 requirements, not 4",
    _reason: f"{ANOTHER}: its reason is not that of its scenarios",
    _time: f"{MUST}: its time is not that of its scenarios",
    _latencies: "latencies: they are not those of the scenarios",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_does_not_follow_is_found_even_with_a_new_digest(
    damage: Callable[[dict[str, Any]], None],
) -> None:
    document = written(report(*everything(another=F)))
    damage(document)
    assert DAMAGE[damage] in verify(sealed(document)).wrong


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
