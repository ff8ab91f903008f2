from __future__ import annotations

from dataclasses import replace

from queuecheck.report import ScenarioRun, StepRun
from queuecheck.report.messages import PROTOCOL, ndjson
from tests.report.cucumber_messages import Envelope, only, parsed, statuses
from tests.report.reports import report
from tests.report.runs import PASSED

FILE = "features/quota.feature"
FEATURE = """\
@koord-queue
Feature: Quota
  Background:
    Given a world

  Rule: It counts
    @KQ-QTA-01 @must
    Scenario: It adds up
      When a Job is submitted with:
        \"\"\"yaml
        spec: {suspend: true}
        \"\"\"
      Then these states are seen:
        | object | state |
        | "low"  | held  |

    @KQ-QTA-02
    Scenario Outline: <size> fits
      Then a Job of <size> is <what>

      Examples:
        | size  | what     |
        | one   | admitted |
        | three | refused  |
"""
ADDS_UP = ("a world", "a Job is submitted with:", "these states are seen:")


def run(line: int, outcome: str, *steps: str, reason: str = "", **example: str) -> ScenarioRun:
    return replace(
        PASSED,
        file=FILE,
        line=line,
        outcome=outcome,
        reason=reason,
        failure="",
        example=example,
        steps=tuple(
            StepRun("Given", f"step {number}", number, word, 10 * number, 5)
            for number, word in enumerate(steps)
        ),
        claims=(),
        picture=None,
    )


def adds_up(outcome: str, *steps: str, reason: str = "") -> ScenarioRun:
    return run(8, outcome, *steps, reason=reason)


def told(*runs: ScenarioRun) -> list[Envelope]:
    return parsed(ndjson(report(runs), {FILE: FEATURE}))


def test_a_scenario_that_passes() -> None:
    envelopes = told(adds_up("passed", "passed", "passed", "passed"))
    assert statuses(envelopes) == {"It adds up": ["PASSED"] * 3}
    (finished,) = only(envelopes, "testRunFinished")
    assert finished["success"]
    (meta,) = only(envelopes, "meta")
    assert (meta["protocolVersion"], meta["implementation"]["name"]) == (PROTOCOL, "queuecheck")
    assert [pickle["name"] for pickle in only(envelopes, "pickle")] == [
        "It adds up",
        "one fits",
        "three fits",
    ]


def test_a_scenario_that_fails_says_why_and_skips_the_rest() -> None:
    envelopes = told(adds_up("failed", "passed", "failed", "not-run", reason="too much"))
    assert statuses(envelopes) == {"It adds up": ["PASSED", "FAILED", "SKIPPED"]}
    (failed,) = [
        each["testStepResult"]
        for each in only(envelopes, "testStepFinished")
        if each["testStepResult"]["status"] == "FAILED"
    ]
    assert failed["message"] == "too much"
    assert not only(envelopes, "testRunFinished")[0]["success"]


def test_a_scenario_that_is_not_begun_says_why_in_a_hook() -> None:
    envelopes = told(adds_up("not-supported", reason="it has no block"))
    assert statuses(envelopes) == {"It adds up": ["SKIPPED"] * 4}
    (case,) = only(envelopes, "testCase")
    assert [set(step) & {"hookId", "pickleStepId"} for step in case["testSteps"]] == [
        {"hookId"},
        *[{"pickleStepId"}] * 3,
    ]
    first = only(envelopes, "testStepFinished")[0]
    assert first["testStepResult"]["message"] == "it has no block"
    assert only(envelopes, "testRunFinished")[0]["success"]


def test_a_step_that_nothing_defines_is_undefined() -> None:
    envelopes = told(adds_up("harness-error", "passed", "undefined", "not-run", reason="no step"))
    assert statuses(envelopes) == {"It adds up": ["PASSED", "UNDEFINED", "SKIPPED"]}
    assert not only(envelopes, "testRunFinished")[0]["success"]


def test_a_world_that_cannot_be_made_fails_before_the_steps() -> None:
    envelopes = told(adds_up("environment", reason="no cluster"))
    assert statuses(envelopes) == {"It adds up": ["FAILED", "SKIPPED", "SKIPPED", "SKIPPED"]}


def test_a_clean_up_that_fails_fails_after_the_steps() -> None:
    envelopes = told(adds_up("cleanup-error", "passed", "passed", "passed", reason="left over"))
    assert statuses(envelopes) == {"It adds up": ["PASSED", "PASSED", "PASSED", "FAILED"]}


def test_each_row_of_an_outline_is_its_own_pickle() -> None:
    one = run(18, "passed", "passed", "passed", size="one", what="admitted")
    three = run(18, "failed", "passed", "failed", what="refused", size="three")
    envelopes = told(three, one)
    assert statuses(envelopes) == {"three fits": ["PASSED", "FAILED"], "one fits": ["PASSED"] * 2}


def test_each_repetition_is_a_test_case_of_its_own() -> None:
    again = [adds_up("passed", "passed", "passed", "passed") for _ in range(3)]
    envelopes = told(*again)
    assert len(only(envelopes, "testCase")) == 3
    assert {each["attempt"] for each in only(envelopes, "testCaseStarted")} == {0}


def test_times_are_those_of_the_steps() -> None:
    envelopes = told(adds_up("passed", "passed", "passed", "passed"))
    finished = only(envelopes, "testStepFinished")[1]
    # The run began a quarter of a second after ten o'clock, the step 10 ms later, and took 5 ms.
    assert finished["timestamp"] == {"seconds": 1_796_032_800, "nanos": 265_000_000}
    assert finished["testStepResult"]["duration"] == {"seconds": 0, "nanos": 5_000_000}


def test_a_scenario_that_is_not_in_the_features_any_more_is_left_out_and_named() -> None:
    gone = replace(adds_up("passed", "passed"), line=99)
    lost = replace(gone, file="features/gone.feature")
    envelopes = told(gone, lost)
    assert only(envelopes, "testCase") == []
    (finished,) = only(envelopes, "testRunFinished")
    assert not finished["success"]
    assert f"{FILE}:99" in finished["message"]
    assert "features/gone.feature:99" in finished["message"]


def test_the_same_report_gives_the_same_bytes() -> None:
    runs = [adds_up("passed", "passed", "passed", "passed")]
    assert ndjson(report(runs), {FILE: FEATURE}) == ndjson(report(runs), {FILE: FEATURE})
