"""Comparing reports, and tables of several."""

from __future__ import annotations

from dataclasses import replace

import pytest

from queuecheck.report.comparison import changes, differences, told
from queuecheck.report.matrix import as_markdown, as_text, rows, unlike
from queuecheck.verdict import Outcome
from tests.report.made import ANOTHER, MUST, SHOULD, everything, report, scenario

P, F = Outcome.PASSED, Outcome.FAILED


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (P, F, "worse"),
        (F, P, "better"),
        (P, Outcome.HARNESS_ERROR, "changed"),
        (Outcome.NOT_SUPPORTED, P, "changed"),
        (Outcome.SKIPPED, F, "changed"),
    ],
)
def test_a_change_is_worse_or_better_or_nobody_can_say(
    before: Outcome, after: Outcome, kind: str
) -> None:
    (change,) = changes(report(*everything(before)), report(*everything(after)))
    assert (change.id, change.kind) == (MUST, kind)


def test_a_failure_that_becomes_a_known_one_is_no_better() -> None:
    old, new = report(*everything(F)), report(*everything(F), baseline=[MUST])
    (change,) = changes(old, new)
    assert change.kind == "changed"
    assert str(change) == f"{MUST} (MUST): failed -> expected-failure: as we know"


def test_what_no_longer_runs_is_named() -> None:
    found = changes(report(*everything()), report(scenario(MUST, P), interrupted="interrupted"))
    assert [(each.id, each.kind) for each in found] == [(ANOTHER, "changed"), (SHOULD, "changed")]


def test_a_requirement_that_is_gone_is_named() -> None:
    new = report(*everything())
    new = replace(new, requirements=new.requirements[1:])
    (change,) = changes(report(*everything()), new)
    assert str(change) == f"{MUST} (MUST): passed -> (not in the catalogue)"


def test_a_report_is_like_itself() -> None:
    made = report(*everything(F))
    assert changes(made, made) == ()
    assert list(differences(made, made)) == []


def test_what_else_differs_is_told() -> None:
    old = report(*everything(), configuration={"timeout-scale": "1"})
    new = report(*everything(F), implementation="mine", configuration={"timeout-scale": "3"})
    assert list(differences(old, new)) == [
        "implementation: reference 1.0 -> mine 1.0",
        "verdict: conformant -> not conformant",
        "timeout-scale: 1 -> 3",
    ]


def test_what_was_asked_for_does_not_hide_what_was_judged() -> None:
    old = report(*everything(), configuration={"implementation": "reference.yaml"})
    new = report(
        *everything(), implementation="mine", configuration={"implementation": "mine.yaml"}
    )
    assert list(differences(old, new)) == [
        "implementation: reference 1.0 -> mine 1.0",
        "setting implementation: reference.yaml -> mine.yaml",
    ]


def test_changes_that_are_alike_share_a_paragraph() -> None:
    less = report(scenario(MUST, P), selection=True)
    assert list(told(changes(report(*everything()), less))) == [
        "  passed -> not-run (2):",
        f"    {ANOTHER} (MUST), {SHOULD} (SHOULD)",
    ]
    failed = changes(less, report(*everything(should=F)))
    assert list(told(failed)) == [
        f"  {ANOTHER} (MUST): not-run -> passed",
        f"  {SHOULD} (SHOULD): not-run -> failed: why failed",
    ]


def test_a_matrix_has_a_column_for_each_report() -> None:
    cells = rows(
        [report(*everything()), report(*everything(F), implementation="mine")], by="requirement"
    )
    assert cells == [
        ["requirement", "reference 1.0", "mine 1.0"],
        ["verdict", "conformant", "not conformant"],
        ["MUST passed", "2 of 2", "1 of 2"],
        ["SHOULD passed", "1 of 1", "1 of 1"],
        ["MAY passed", "0 of 0", "0 of 0"],
        [f"{MUST} (MUST)", "pass", "fail"],
        [f"{ANOTHER} (MUST)", "pass", "pass"],
        [f"{SHOULD} (SHOULD)", "pass", "pass"],
    ]


def test_a_matrix_tells_what_did_not_run_from_what_did_not_pass() -> None:
    cells = rows([report(scenario(MUST, P), selection=True)], by="area")
    assert cells[2:4] == [["MUST passed", "1 of 2, 1 not run"], ["SHOULD passed", "not run"]]
    assert cells[5:] == [["The first area", "1 of 2, 1 not run"], ["The second", "not run"]]


def test_a_matrix_by_area_counts_what_passed() -> None:
    cells = rows([report(*everything(F))], by="area")
    assert cells[5:] == [["The first area", "1 of 2"], ["The second", "1 of 1"]]


def test_two_runs_of_one_implementation_are_told_apart() -> None:
    heading = rows([report(*everything()), report(*everything())], by="area")[0]
    assert heading == ["area", "reference 1.0, run abcde", "reference 1.0, run abcde"]


def test_a_table_is_written_for_pages_and_for_terminals() -> None:
    cells = [["area", "a|b"], ["one", "1 of 2"]]
    assert as_markdown(cells) == "| area | a\\|b |\n| --- | --- |\n| one | 1 of 2 |\n"
    assert as_text(cells) == "area  a|b\none   1 of 2\n"


def test_reports_of_another_profile_or_catalogue_are_named() -> None:
    made = report(*everything())
    other = replace(made, catalogue=replace(made.catalogue, profile="kueue"))
    newer = replace(made, catalogue=replace(made.catalogue, digest="sha256:" + "0" * 64))
    lower = replace(made.requirements[0], level="may")
    milder = replace(made, requirements=(lower, *made.requirements[1:]))
    named = [("a", made), ("b", made), ("c", other), ("d", newer), ("e\x1b[2J", milder)]
    assert list(unlike(named)) == [
        "c: of profile kueue, not koord-queue as a",
        "d: of another catalogue than a; an ID may mean other things",
        "e\ufffd[2J: of another catalogue than a; an ID may mean other things",
    ]


@pytest.mark.parametrize("by", ["requirement", "area"])
def test_a_cell_is_one_line_that_moves_nothing(by: str) -> None:
    made = report(*everything(), implementation="\x1b[31mred\nor\u202ewhat")
    assert rows([made], by=by)[0][1] == "\ufffd[31mred or\ufffdwhat 1.0"


def test_an_outcome_that_this_version_does_not_know_is_shown_as_it_is() -> None:
    made = report(*everything())
    row = replace(made.requirements[0], outcome="postponed")
    odd = replace(made, requirements=(row, *made.requirements[1:]))
    told = {cells[0]: cells[1:] for cells in rows([made, odd], by="requirement")}
    assert told[f"{MUST} (MUST)"] == ["pass", "postponed"]
