"""From outcomes to a verdict, by table."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuecheck.catalogue import Basis, Catalogue, KnownFailure, Level, Requirement
from queuecheck.catalogue.catalogue import Area
from queuecheck.verdict import (
    ExitCode,
    Outcome,
    RunVerdict,
    ScenarioResult,
    Scope,
    Verdict,
    by_requirement,
    judge,
    worst,
)


def requirement(name: str, level: Level) -> Requirement:
    return Requirement(name, level, Basis.GOVERNING_TEXT, (), "AAA", "a sentence", (), "0.1")


MUST, ANOTHER, SHOULD = "KQ-AAA-01", "KQ-AAA-02", "KQ-AAA-03"
CATALOGUE = Catalogue(
    {
        MUST: requirement(MUST, Level.MUST),
        ANOTHER: requirement(ANOTHER, Level.MUST),
        SHOULD: requirement(SHOULD, Level.SHOULD),
    },
    {"AAA": Area("AAA", "an area", "area")},
)
IDS = frozenset({MUST, ANOTHER, SHOULD})
ALL = Scope(expected=IDS, covered=IDS)
NAMES = {"must": MUST, "another": ANOTHER, "should": SHOULD}


def results(**outcomes: Outcome) -> list[ScenarioResult]:
    return [ScenarioResult((NAMES[key],), value, 1, "why") for key, value in outcomes.items()]


def run(scope: Scope = ALL, baseline: Sequence[str] = (), **outcomes: Outcome) -> RunVerdict:
    known = [KnownFailure(NAMES[key], "a reason") for key in baseline]
    return judge(by_requirement(results(**outcomes), CATALOGUE, baseline=known), scope)


P, F = Outcome.PASSED, Outcome.FAILED
TABLE = [
    (P, P, P, Verdict.CONFORMANT, ExitCode.CONFORMANT),
    (F, P, P, Verdict.NOT_CONFORMANT, ExitCode.NOT_CONFORMANT),
    (P, P, F, Verdict.CONFORMANT, ExitCode.CONFORMANT),
    (P, P, Outcome.SKIPPED, Verdict.CONFORMANT, ExitCode.CONFORMANT),
    (P, Outcome.SKIPPED, P, Verdict.PARTIAL, ExitCode.PARTIAL),
    (P, Outcome.NOT_SUPPORTED, P, Verdict.CONFORMANT, ExitCode.CONFORMANT),
    (P, Outcome.EXPECTED_FAILURE, P, Verdict.NOT_CONFORMANT, ExitCode.NOT_CONFORMANT),
    (P, P, Outcome.EXPECTED_FAILURE, Verdict.CONFORMANT, ExitCode.CONFORMANT),
    (P, Outcome.STALE_BASELINE, P, Verdict.CONFORMANT, ExitCode.NOT_CONFORMANT),
    (P, Outcome.ENVIRONMENT, P, Verdict.NO_VERDICT, ExitCode.ENVIRONMENT),
    (P, Outcome.HARNESS_ERROR, P, Verdict.NO_VERDICT, ExitCode.HARNESS),
    (P, P, Outcome.HARNESS_ERROR, Verdict.NO_VERDICT, ExitCode.HARNESS),
    (P, Outcome.CLEANUP_ERROR, P, Verdict.NO_VERDICT, ExitCode.HARNESS),
    (F, Outcome.HARNESS_ERROR, P, Verdict.NOT_CONFORMANT, ExitCode.NOT_CONFORMANT),
    (F, Outcome.ENVIRONMENT, P, Verdict.NOT_CONFORMANT, ExitCode.NOT_CONFORMANT),
    (Outcome.ENVIRONMENT, Outcome.HARNESS_ERROR, P, Verdict.NO_VERDICT, ExitCode.HARNESS),
]


@pytest.mark.parametrize(("must", "another", "should", "verdict", "code"), TABLE)
def test_the_outcomes_of_requirements_make_the_verdict(
    must: Outcome, another: Outcome, should: Outcome, verdict: Verdict, code: ExitCode
) -> None:
    judged = run(must=must, another=another, should=should)
    assert (judged.verdict, judged.exit_code) == (verdict, code)


@pytest.mark.parametrize("trouble", [Outcome.HARNESS_ERROR, Outcome.CLEANUP_ERROR])
def test_the_exit_code_is_never_0_on_a_harness_error(trouble: Outcome) -> None:
    for others in itertools.product(Outcome, repeat=2):
        judged = run(must=others[0], another=others[1], should=trouble)
        assert judged.exit_code is not ExitCode.CONFORMANT


def test_a_covered_requirement_without_a_result_makes_the_run_partial() -> None:
    judged = run(must=P, should=P)
    assert (judged.verdict, judged.exit_code) == (Verdict.PARTIAL, ExitCode.PARTIAL)
    assert judged.headline == "partial: KQ-AAA-02 did not run"


def test_a_requirement_without_a_scenario_makes_the_run_partial() -> None:
    judged = run(Scope(expected=IDS, covered=frozenset({MUST, SHOULD})), must=P, should=P)
    assert (judged.verdict, judged.exit_code) == (Verdict.PARTIAL, ExitCode.PARTIAL)
    assert judged.headline == "partial: KQ-AAA-02 has no scenario"


def test_a_selection_passes_and_claims_no_conformance() -> None:
    scope = replace(ALL, selection=True)
    judged = run(scope, must=P)
    assert judged.headline == "selection passed: KQ-AAA-01 passed"
    assert judged.notes == ("selection: 1 of 3 requirements",)
    assert judged.exit_code is ExitCode.CONFORMANT


def test_a_selection_fails_by_its_musts() -> None:
    scope = replace(ALL, selection=True)
    assert run(scope, must=F).headline == "selection failed: KQ-AAA-01 failed"


def test_an_interrupted_run_is_partial_even_if_all_passed() -> None:
    scope = replace(ALL, interrupted="Ctrl-C")
    assert run(scope, must=P, another=P, should=P).exit_code is ExitCode.PARTIAL


def test_a_required_feature_that_is_not_declared_makes_the_run_partial() -> None:
    scope = replace(ALL, missing=("block",))
    judged = run(scope, must=P, another=Outcome.NOT_SUPPORTED, should=P)
    assert judged.headline == "partial: required and not declared: block"


def test_strict_makes_the_exit_code_tell_of_a_failed_should() -> None:
    scope = replace(ALL, strict=True)
    judged = run(scope, must=P, another=P, should=F)
    assert (judged.verdict, judged.exit_code) == (Verdict.CONFORMANT, ExitCode.NOT_CONFORMANT)


def test_nothing_run_is_no_verdict() -> None:
    assert run().exit_code is ExitCode.USAGE


def test_a_requirement_has_the_worst_of_its_scenarios_and_that_ones_reason() -> None:
    ran = [
        ScenarioResult((MUST,), Outcome.PASSED, 5),
        ScenarioResult((MUST, SHOULD), Outcome.FAILED, 3, "the reason"),
        ScenarioResult((MUST,), Outcome.HARNESS_ERROR, 9, "another"),
    ]
    first, second = by_requirement(ran, CATALOGUE)
    assert (first.outcome, first.reason) == (Outcome.FAILED, "the reason")
    assert (first.scenarios, first.passed, first.milliseconds) == (3, 1, 9)
    assert second.outcome is Outcome.FAILED


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_place_and_a_word(outcome: Outcome) -> None:
    assert worst([outcome, Outcome.PASSED]) is outcome
    assert outcome.word


def test_a_known_failure_is_still_not_conformant() -> None:
    judged = run(baseline=["must"], must=F, another=P, should=P)
    assert (judged.verdict, judged.exit_code) == (Verdict.NOT_CONFORMANT, ExitCode.NOT_CONFORMANT)
    assert judged.headline == "not conformant: KQ-AAA-01 failed, as the baseline says"


ACCEPTED = replace(ALL, accept_baseline=True)


def test_accepting_the_baseline_changes_the_exit_code_alone() -> None:
    judged = run(ACCEPTED, ["must"], must=F, another=P, should=P)
    assert (judged.verdict, judged.exit_code) == (Verdict.NOT_CONFORMANT, ExitCode.CONFORMANT)


@pytest.mark.parametrize(
    ("another", "code"),
    [
        (F, ExitCode.NOT_CONFORMANT),
        (Outcome.HARNESS_ERROR, ExitCode.HARNESS),
        (Outcome.ENVIRONMENT, ExitCode.ENVIRONMENT),
        (Outcome.SKIPPED, ExitCode.PARTIAL),
        (Outcome.STALE_BASELINE, ExitCode.NOT_CONFORMANT),
    ],
)
def test_accepting_the_baseline_hides_nothing_else(another: Outcome, code: ExitCode) -> None:
    judged = run(ACCEPTED, ["must"], must=F, another=another, should=P)
    assert (judged.verdict, judged.exit_code) == (Verdict.NOT_CONFORMANT, code)


def test_a_baseline_that_passes_is_stale_and_fails_the_run() -> None:
    judged = run(ACCEPTED, ["another"], must=P, another=P, should=P)
    assert judged.exit_code is ExitCode.NOT_CONFORMANT
    assert judged.headline == (
        "conformant: KQ-AAA-01, KQ-AAA-03 passed; but the baseline is stale, it lists KQ-AAA-02"
    )


def test_where_nothing_passed_the_number_says_so() -> None:
    judged = run(replace(ALL, selection=True), must=Outcome.NOT_SUPPORTED)
    assert judged.headline == "selection passed: 0 requirements passed"


def test_a_baseline_is_not_stale_while_a_scenario_of_it_is_missing() -> None:
    ran = [ScenarioResult((MUST,), P, 1, place="a.feature:1")]
    (one,) = by_requirement(
        ran,
        CATALOGUE,
        baseline=[KnownFailure(MUST, "a reason")],
        tests={MUST: {"a.feature:1": 1, "a.feature:9": 1}},
    )
    assert one.outcome is P


@pytest.mark.parametrize(
    "tests",
    [
        pytest.param({"a.feature:1": 1, "a.feature:9": 1}, id="another scenario"),
        pytest.param({"a.feature:1": 2}, id="another row of its examples"),
    ],
)
@pytest.mark.parametrize(
    ("name", "verdict"), [(MUST, Verdict.PARTIAL), (SHOULD, Verdict.CONFORMANT)]
)
def test_a_must_of_which_a_scenario_did_not_run_makes_the_run_partial(
    name: str, verdict: Verdict, tests: dict[str, int]
) -> None:
    ran = [ScenarioResult((each,), P, 1, place="a.feature:1") for each in sorted(IDS)]
    rows = by_requirement(ran, CATALOGUE, tests={name: tests})
    assert [row.requirement.id for row in rows if not row.whole] == [name]
    assert judge(rows, ALL).verdict is verdict
    if verdict is Verdict.PARTIAL:
        assert judge(rows, ALL).headline == f"partial: {name} ran only in part"
    assert judge(rows, replace(ALL, selection=True)).word == "selection passed"


def test_what_fails_in_some_runs_only_is_no_news_either_way() -> None:
    known = KnownFailure(MUST, "a race", intermittent=True)
    for outcome, told in ((P, P), (F, Outcome.EXPECTED_FAILURE)):
        (one,) = by_requirement([ScenarioResult((MUST,), outcome, 1)], CATALOGUE, baseline=[known])
        assert one.outcome is told


outcomes = st.sampled_from(Outcome)
scenarios = st.lists(
    st.builds(
        ScenarioResult,
        st.sets(st.sampled_from([MUST, ANOTHER, SHOULD]), min_size=1).map(tuple),
        outcomes,
        st.just(1),
    ),
    max_size=8,
)
baselines = st.sets(st.sampled_from([MUST, ANOTHER, SHOULD])).map(
    lambda names: [KnownFailure(name, "a reason") for name in names]
)
scopes = st.builds(
    Scope,
    expected=st.just(IDS),
    covered=st.sets(st.sampled_from(sorted(IDS))).map(frozenset),
    selection=st.booleans(),
    missing=st.sampled_from([(), ("block",)]),
    interrupted=st.sampled_from(["", "Ctrl-C"]),
    strict=st.booleans(),
    accept_baseline=st.booleans(),
)
TROUBLE = {Outcome.HARNESS_ERROR, Outcome.CLEANUP_ERROR, Outcome.ENVIRONMENT}


@given(scenarios, baselines, scopes)
def test_every_run(ran: list[ScenarioResult], baseline: list[KnownFailure], scope: Scope) -> None:
    rows = by_requirement(ran, CATALOGUE, baseline=baseline)
    judged = judge(rows, scope)
    of = {row.requirement.id: row.outcome for row in rows}
    failing = {Outcome.FAILED, Outcome.EXPECTED_FAILURE}
    failed_must = any(of.get(name) in failing for name in (MUST, ANOTHER))
    # A failed MUST is never conformant, whatever is accepted; and nothing else is not conformant.
    assert (judged.verdict is Verdict.NOT_CONFORMANT) is failed_must
    # Exit code 0: nothing was left open, nothing failed that was not known, nothing is missing.
    if judged.exit_code is ExitCode.CONFORMANT:
        assert not TROUBLE & set(of.values())
        assert Outcome.STALE_BASELINE not in of.values()
        assert all(of.get(name) is not Outcome.FAILED for name in (MUST, ANOTHER))
        assert scope.accept_baseline or not failed_must
        assert not scope.interrupted
        assert scope.selection or (of.keys() == IDS and not scope.missing)
    if judged.verdict is Verdict.CONFORMANT:
        assert judged.exit_code in {ExitCode.CONFORMANT, ExitCode.NOT_CONFORMANT}
    # Accepting the baseline changes no verdict, and no exit code but 1 to another.
    other = judge(rows, replace(scope, accept_baseline=not scope.accept_baseline))
    assert other.verdict is judged.verdict
    if other.exit_code is not judged.exit_code:
        assert ExitCode.NOT_CONFORMANT in {other.exit_code, judged.exit_code}


@given(st.lists(outcomes, min_size=1))
def test_no_outcome_of_many_is_worse_than_that_of_the_requirement(many: list[Outcome]) -> None:
    (row,) = by_requirement([ScenarioResult((MUST,), each, 1) for each in many], CATALOGUE)
    assert row.outcome in many
    assert all(worst([row.outcome, each]) is row.outcome for each in many)
