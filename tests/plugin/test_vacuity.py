"""``--qc-must-fail``: a run in which every scenario has to fail."""

from __future__ import annotations

import pytest

from tests.plugin.project import Project

pytest_plugins = ["pytester"]
MUST_FAIL = "--qc-must-fail=spared.yaml"
ENTRY = """
- feature: quota.feature
  scenarios: [It counts]
  with: [reference]
  reason: there is nothing to do
"""


def spare(project: Project, text: str) -> None:
    (project.pytester.path / "spared.yaml").write_text(text, encoding="utf-8")


def test_a_run_in_which_everything_fails_has_succeeded(project: Project) -> None:
    spare(project, "[]")
    project.feature(then="the claim fails")
    result = project.run(MUST_FAIL)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["nothing vacuous: 1 fail with reference"])
    assert "evidence" not in project.done


def test_what_passes_is_named_and_fails_the_run(project: Project) -> None:
    spare(project, "[]")
    project.feature()
    result = project.run(MUST_FAIL)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["VACUOUS  features/quota.feature:8: It counts", "1 pass although nothing is done"]
    )


def test_what_is_spared_may_pass_and_its_reason_is_told(project: Project) -> None:
    spare(project, ENTRY)
    project.feature()
    result = project.run(MUST_FAIL)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["MAY PASS It counts: there is nothing to do"])


def test_what_is_spared_and_fails_is_stale(project: Project) -> None:
    spare(project, ENTRY)
    project.feature(then="the claim fails")
    result = project.run(MUST_FAIL)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["STALE    quota.feature: It counts: it fails"])


def test_a_list_with_an_unknown_scenario_is_refused(
    project: Project,
    capfd: pytest.CaptureFixture[str],
) -> None:
    spare(project, ENTRY.replace("It counts", "It cuonts"))
    project.feature()
    assert project.refused(capfd, MUST_FAIL) == [
        "queuecheck: spared.yaml: there is no scenario 'It cuonts' in quota.feature"
    ]


@pytest.mark.parametrize(
    ("then", "tags", "outcome", "code"),
    [
        ("nobody can tell", "", "harness-error", 4),
        ("the clean-up will fail", "", "cleanup-error", 4),
        ("all is well", "@needs:block", "not-supported", 3),
    ],
)
def test_a_scenario_that_finds_no_fault_is_no_failure(
    project: Project, then: str, tags: str, outcome: str, code: int
) -> None:
    spare(project, "[]")
    project.feature(then=then, tags=tags)
    result = project.run(MUST_FAIL)
    assert result.ret == code
    result.stdout.fnmatch_lines(
        [
            f"LOST     features/quota.feature:8: {outcome}: *",
            "no verdict: 1 scenarios showed nothing",
        ]
    )
