"""From outcomes to a verdict, by table."""

from __future__ import annotations

import itertools

import pytest

from queuecheck.catalogue import Basis, Catalogue, Level, Requirement
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
ALL = Scope(catalogue_size=3, covered=frozenset({MUST, ANOTHER, SHOULD}))


def run(scope: Scope = ALL, **outcomes: Outcome) -> RunVerdict:
    names = {"must": MUST, "another": ANOTHER, "should": SHOULD}
    results = [ScenarioResult((names[key],), value, 1, "why") for key, value in outcomes.items()]
    return judge(by_requirement(results, CATALOGUE), scope)


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


def test_a_requirement_without_a_scenario_is_stated_and_not_counted() -> None:
    judged = run(Scope(catalogue_size=3, covered=frozenset({MUST})), must=P)
    assert judged.verdict is Verdict.CONFORMANT
    assert judged.notes == (
        (
            "not judged: 2 of the catalogue's 3 requirements have no scenario in this version of"
            " the suite"
        ),
    )


def test_a_selection_passes_and_claims_no_conformance() -> None:
    scope = Scope(catalogue_size=3, covered=ALL.covered, selection=True)
    judged = run(scope, must=P)
    assert judged.headline == "selection passed: KQ-AAA-01 passed"
    assert judged.notes == ("selection: 1 of 3 requirements",)
    assert judged.exit_code is ExitCode.CONFORMANT


def test_a_selection_fails_by_its_musts() -> None:
    scope = Scope(catalogue_size=3, covered=ALL.covered, selection=True)
    assert run(scope, must=F).headline == "selection failed: KQ-AAA-01 failed"


def test_an_interrupted_run_is_partial_even_if_all_passed() -> None:
    scope = Scope(catalogue_size=3, covered=ALL.covered, interrupted="Ctrl-C")
    assert run(scope, must=P, another=P, should=P).exit_code is ExitCode.PARTIAL


def test_a_required_feature_that_is_not_declared_makes_the_run_partial() -> None:
    scope = Scope(catalogue_size=3, covered=ALL.covered, missing=("block",))
    judged = run(scope, must=P, another=Outcome.NOT_SUPPORTED, should=P)
    assert judged.headline == "partial: required and not declared: block"


def test_strict_makes_the_exit_code_tell_of_a_failed_should() -> None:
    scope = Scope(catalogue_size=3, covered=ALL.covered, strict=True)
    judged = run(scope, must=P, another=P, should=F)
    assert (judged.verdict, judged.exit_code) == (Verdict.CONFORMANT, ExitCode.NOT_CONFORMANT)


def test_nothing_run_is_no_verdict() -> None:
    assert run().exit_code is ExitCode.USAGE


def test_a_requirement_has_the_worst_of_its_scenarios_and_that_ones_reason() -> None:
    results = [
        ScenarioResult((MUST,), Outcome.PASSED, 5),
        ScenarioResult((MUST, SHOULD), Outcome.FAILED, 3, "the reason"),
        ScenarioResult((MUST,), Outcome.HARNESS_ERROR, 9, "another"),
    ]
    first, second = by_requirement(results, CATALOGUE)
    assert (first.outcome, first.reason, first.scenarios, first.milliseconds) == (
        Outcome.FAILED,
        "the reason",
        3,
        9,
    )
    assert second.outcome is Outcome.FAILED


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_place_and_a_word(outcome: Outcome) -> None:
    assert worst([outcome, Outcome.PASSED]) is outcome
    assert outcome.word
