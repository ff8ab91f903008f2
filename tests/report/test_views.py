"""``junit.xml`` and ``summary.md``: what tools and CI pages are given."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from queuecheck.report import Latency, Report
from queuecheck.report.junit import junit
from queuecheck.report.markdown import code, escape, summary
from queuecheck.verdict import Outcome
from tests.report.made import ANOTHER, MUST, SHOULD, everything, report, scenario

P, F = Outcome.PASSED, Outcome.FAILED


def cases(made: Report) -> dict[str, ET.Element]:
    """The cases by name, as a strict parser reads them."""
    root = ET.fromstring(junit(made).encode())  # noqa: S314 - our own
    return {str(case.get("name")): case for case in root.iter("testcase")}


def kinds(made: Report) -> dict[str, str]:
    return {
        name: next((child.tag for child in case if child.tag != "properties"), "passed")
        for name, case in cases(made).items()
    }


def test_each_requirement_is_one_case_by_its_id() -> None:
    assert kinds(report(*everything(should=F))) == {
        MUST: "passed",
        ANOTHER: "passed",
        SHOULD: "failure",
    }


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (F, "failure"),
        (Outcome.HARNESS_ERROR, "error"),
        (Outcome.CLEANUP_ERROR, "error"),
        (Outcome.ENVIRONMENT, "error"),
        (Outcome.NOT_SUPPORTED, "skipped"),
        (Outcome.SKIPPED, "skipped"),
    ],
)
def test_the_kind_and_the_message_tell_the_outcome(outcome: Outcome, kind: str) -> None:
    found = cases(report(*everything(outcome)))[MUST].find(kind)
    assert found is not None
    assert found.get("message") == f"{outcome}: why {outcome}"
    if kind != "skipped":
        assert found.text == f"all about {outcome}"


def test_a_known_failure_is_skipped_with_its_reason_and_a_stale_one_fails() -> None:
    made = cases(report(*everything(F), baseline=[MUST, ANOTHER]))
    assert made[MUST].find("skipped").get("message") == "expected-failure: as we know"  # type: ignore[union-attr]
    assert made[ANOTHER].find("failure") is not None


def test_what_did_not_run_is_skipped_in_a_whole_run_and_left_out_of_a_selection() -> None:
    ran = scenario(MUST, P)
    assert kinds(report(ran, interrupted="interrupted"))[ANOTHER] == "skipped"
    assert ANOTHER not in kinds(report(ran, selection=True))


@pytest.mark.parametrize(
    ("made", "verdict", "said"),
    [
        (
            report(scenario(MUST, P), interrupted="stopped"),
            "partial",
            "partial: the run ended early (stopped); KQ-AAA-02, KQ-BBB-01 did not run",
        ),
        (report(*everything(Outcome.SKIPPED)), "partial", f"partial: {MUST} skipped"),
        (
            report(*everything(F), baseline=[MUST]),
            "not conformant",
            f"not conformant: {MUST} failed, as the baseline says",
        ),
        (
            report(interrupted="internal error", selection=True),
            "partial",
            "partial: the run ended early (internal error)",
        ),
    ],
)
def test_a_run_that_did_not_succeed_is_never_green(made: Report, verdict: str, said: str) -> None:
    assert made.judgement.exit_code != 0
    assert "failure" not in kinds(made).values()
    error = cases(made)["verdict"].find("error")
    assert error is not None
    assert (error.get("type"), error.get("message")) == (verdict, said)
    assert error.text is not None
    assert error.text.endswith(f"exit code {made.judgement.exit_code}")


def test_tests_that_failed_beside_the_scenarios_are_named_where_the_verdict_is_an_error() -> None:
    made = report(*everything(), failed_beside=["tests/test_it.py::test_one"])
    made = replace(made, judgement=replace(made.judgement, exit_code=1))
    error = cases(made)["verdict"].find("error")
    assert error is not None
    assert error.text == "tests/test_it.py::test_one failed beside the scenarios\nexit code 1"


@pytest.mark.parametrize(
    "made",
    [
        report(*everything()),
        report(scenario(MUST, P), selection=True),
        report(*everything(F), baseline=[MUST], accept_baseline=True),
        report(*everything(F)),
        report(*everything(Outcome.ENVIRONMENT)),
    ],
)
def test_the_verdict_is_no_case_where_nothing_or_a_requirement_is_to_blame(made: Report) -> None:
    assert "verdict" not in kinds(made)
    blamed = {"failure", "error"} & set(kinds(made).values())
    assert bool(blamed) is (made.judgement.exit_code != 0)


@pytest.mark.parametrize(
    ("made", "counts"),
    [
        (report(*everything(F, Outcome.HARNESS_ERROR)), ["3", "1", "1", "0"]),
        (report(*everything(Outcome.SKIPPED)), ["4", "0", "1", "1"]),
    ],
)
def test_the_counts_add_up(made: Report, counts: list[str]) -> None:
    root = ET.fromstring(junit(made))  # noqa: S314 - our own
    names = ("tests", "failures", "errors", "skipped")
    assert [root.get(name) for name in names] == counts
    for name in names:
        assert sum(int(suite.get(name, "")) for suite in root) == int(root.get(name, ""))


def test_properties_tell_level_basis_and_scenarios() -> None:
    case = cases(report(*everything()))[MUST]
    told = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert told == {
        "level": "must",
        "text": f"what {MUST} asks | for",
        "basis": "the governing text (4)",
        "outcome": "passed",
        "passed": "1 of 1",
        "scenario": "features/quota.feature:8 It counts: passed",
    }


@settings(max_examples=50)
@given(st.text(), st.text())
@example("`\r", "")
@example("**| bold", "")
def test_every_text_can_be_in_every_view(reason: str, failure: str) -> None:
    run = replace(scenario(MUST, F), reason=reason, failure=failure)
    made = report(run)
    assert MUST in cases(made)
    page = summary(made)
    rows = [line for line in page.splitlines() if line.startswith(f"| {MUST} ")]
    assert len(rows) == 1
    # Five columns, whatever bars the reason has.
    assert len(re.findall(r"(?<!\\)\|", re.sub(r"\\\\", "", rows[0]))) == 6


def test_the_page_begins_with_the_verdict_and_names_what_did_not_pass() -> None:
    page = summary(report(*everything(F, should=Outcome.NOT_SUPPORTED)))
    assert page.startswith(f"# not conformant: {MUST} failed\n")
    assert (
        f"| {MUST} | MUST | ❌ fail | why failed | `queuecheck run features/quota.feature:8` |"
        in page
    )
    assert "| The first area | 1 | 1 |  |" in page
    assert "| **all** | **1** | **1** | **1** |" in page


def test_the_page_of_a_run_that_was_broken_off_says_so() -> None:
    assert "**This report is partial: interrupted.**" in summary(
        report(scenario(MUST, P), interrupted="interrupted")
    )


def test_the_page_names_the_tests_that_failed_beside_the_scenarios() -> None:
    assert "**tests/test\\_it.py::test\\_one failed beside the scenarios.**" in summary(
        report(scenario(MUST, P), failed_beside=["tests/test_it.py::test_one"])
    )


def test_a_pass_rate_is_told_where_it_is_not_whole() -> None:
    runs = [scenario(MUST, P if number > 1 else F, repetition=number) for number in (1, 2, 3)]
    page = summary(report(*runs, selection=True))
    assert "Each scenario was played 3 times; 0 of 1 always passed." in page
    assert f"| {MUST} | 2 of 3 | 67 % |" in page
    assert "passed only at times" not in summary(report(*everything()))


def test_latencies_are_told_and_not_judged() -> None:
    made = replace(report(*everything()), latencies=(Latency("submit to admit", 4, 120, 300),))
    assert "| submit to admit | 4 | 120 ms | 300 ms |" in summary(made)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a\nb", "`a b`"), ("", "")],
)
def test_code_may_have_backticks(text: str, shown: str) -> None:
    assert code(text) == shown


def test_nothing_in_a_text_is_markup() -> None:
    assert escape("a|b *c* <d>\n# e") == r"a\|b \*c\* \<d\> \# e"
