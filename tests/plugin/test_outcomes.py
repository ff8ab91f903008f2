"""What a scenario comes to, and a run with it."""

from __future__ import annotations

import json

import pytest

from queuecheck.plugin.errors import taking_down
from queuecheck.world import CleanupError
from tests.plugin.project import CONFTEST, LEVELS, Project

pytest_plugins = ["pytester"]


OUTCOMES = {
    "all is well": ("PASS", 0, "selection passed"),
    "the claim fails": ("FAIL", 1, "selection failed"),
    "the step asserts in vain": ("FAIL", 1, "selection failed"),
    "nobody can tell": ("HARNESS ERROR", 4, "no verdict"),
    "a step is wrong": ("HARNESS ERROR", 4, "no verdict"),
    "no such step": ("HARNESS ERROR", 4, "no verdict"),
    "the claim fails, for an image is missing": ("ENVIRONMENT", 3, "no verdict"),
    "nobody answers": ("ENVIRONMENT", 3, "no verdict"),
    "the kubelet has ended": ("ENVIRONMENT", 3, "no verdict"),
    "the controller is gone": ("ENVIRONMENT", 3, "no verdict"),
    "the clean-up will fail": ("CLEAN-UP ERROR", 4, "no verdict"),
}


@pytest.mark.parametrize("then", OUTCOMES)
def test_each_ending_has_its_outcome_and_exit_code(project: Project, then: str) -> None:
    word, code, verdict = OUTCOMES[then]
    project.feature(then=then)
    result = project.run("--qc-id", "KQ-QTA-01")
    result.stdout.fnmatch_lines([f"{word} *KQ-QTA-01*MUST*ms*", f"{verdict}:*"])
    assert result.ret == code


def test_workers_send_their_outcomes_to_the_terminal(project: Project) -> None:
    project.feature(then="the claim fails", id="KQ-QTA-01", file="one")
    project.feature(then="nobody can tell", id="KQ-QTA-02", file="two")
    project.feature(then="the clean-up will fail", id="KQ-QTA-03", level="should", file="three")
    project.feature(id="KQ-QTA-04", level="should", tags="@needs:block", file="four")
    result = project.run("-n", "2")
    result.stdout.fnmatch_lines(
        [
            "FAIL *KQ-QTA-01*low is marked: not seen*",
            "HARNESS ERROR *KQ-QTA-02*the watch of pods has a gap*",
            "CLEAN-UP ERROR *KQ-QTA-03*namespace qc-1: still there*",
            "NOT SUPPORTED *KQ-QTA-04*reference has no block*",
            "not conformant: KQ-QTA-01 failed",
        ]
    )
    assert result.ret == 1


def test_a_scenario_whose_worker_dies_is_a_harness_error(project: Project) -> None:
    project.feature(then="the worker dies")
    result = project.run("-n", "1")
    result.stdout.fnmatch_lines(["HARNESS ERROR *KQ-QTA-01*crashed*"])
    assert result.ret == 4


def test_what_is_not_supported_is_decided_before_the_first_step(project: Project) -> None:
    project.feature(tags="@needs:block")
    result = project.run()
    assert project.done == []
    result.stdout.fnmatch_lines(["NOT SUPPORTED *KQ-QTA-01*reference has no block*"])


def test_a_required_feature_that_is_missing_makes_the_run_partial(project: Project) -> None:
    project.requires("KQ-QTA-01")
    project.feature(tags="@needs:block")
    result = project.run()
    result.stdout.fnmatch_lines(["partial: required and not declared: block"])
    assert result.ret == 5


def test_an_optional_feature_that_is_missing_is_named(project: Project) -> None:
    project.requires("KQ-QTA-01", "KQ-QTA-02")
    project.feature(file="one")
    project.feature(id="KQ-QTA-02", tags="@needs:multi-podset", file="two")
    result = project.run()
    result.stdout.fnmatch_lines(["conformant: KQ-QTA-01 passed, without multi-podset"])
    assert result.ret == 0


def test_evidence_is_taken_before_the_clean_up(project: Project) -> None:
    project.feature(then="the claim fails")
    result = project.run()
    assert project.done == ["step", "evidence", "clean-up"]
    result.stdout.fnmatch_lines(["evidence: /evidence"])


def test_a_failed_claim_is_told_by_its_own_words_and_its_step(project: Project) -> None:
    project.feature(then="the claim fails")
    result = project.run()
    result.stdout.fnmatch_lines(
        ["*Then the claim fails (features/quota.feature:10)", "low is marked: not seen"]
    )
    assert "Traceback" not in result.stdout.str()
    assert "conftest.py" not in result.stdout.str()


def test_the_traceback_is_shown_when_asked_for(project: Project) -> None:
    project.feature(then="the claim fails")
    result = project.run("--qc-traceback")
    assert "conftest.py" in result.stdout.str()


def test_a_broken_environment_is_told_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "yes")
    # Where CI is set, pytest's own short summary has the whole first line once more.
    monkeypatch.delenv("CI", raising=False)
    for number in (1, 2, 3):
        project.feature(id=f"KQ-QTA-0{number}", level=LEVELS[number], file=f"f{number}")
    result = project.run()
    assert result.stdout.str().count("environment: the canary was not admitted") == 1
    result.stdout.fnmatch_lines(
        [
            "ENVIRONMENT *KQ-QTA-01 to KQ-QTA-03, 3 requirements: the canary was not admitted",
            "no verdict: a broken environment in*",
        ]
    )
    assert result.ret == 3


NO_CLOSE = """
    def close(self, *, keep, failed=False):
        pass
"""
LOST_STAGE = """
from contextlib import nullcontext

import pytest

from queuecheck.kube import Unreachable


SAID = "[+]ping ok\\n[-]etcd failed: reason withheld\\n[+]log ok"


class Api:
    server = "https://127.0.0.1:1"

    def raw(self, path, *, read_timeout):
        raise Unreachable(verb="GET", path=path, status=0, reason="", message=SAID)


class World:
    api = Api()

    def open(self):
        print("opened")
        self.api.raw("/", read_timeout=1)

    def close(self, *, keep, failed=False):
        pass


class Stage:
    def world(self, requirement, *, reproduce):
        return World()

    def turn(self, *, alone):
        return nullcontext()


@pytest.fixture(scope="session")
def qc_stage():
    return Stage()
"""


def test_a_cluster_that_is_lost_is_not_looked_for_again(project: Project) -> None:
    (project.features / "conftest.py").write_text(LOST_STAGE, encoding="utf-8")
    for number in (1, 2, 3):
        project.feature(id=f"KQ-QTA-0{number}", level=LEVELS[number], file=f"f{number}")
    result = project.run("-s")
    assert result.stdout.str().count("opened") == 1
    lost = "the API server https://127.0.0.1:1 was lost during the run: *etcd failed: *"
    result.stdout.fnmatch_lines([f"ENVIRONMENT *3 requirements: {lost}"])
    assert result.ret == 3


FAILING_CLOSE = """
    def open(self):
        pass

    def close(self, *, keep, failed=False):
        raise CleanupError("restore: GET /: refused")
"""
STEPS = """
from pytest_bdd import given, then
from queuecheck.world import CleanupError


@given("a world")
def a_world(world):
    pass


@then("all is well")
def all_is_well():
    pass
"""


def test_a_cluster_that_is_lost_is_no_fault_of_the_clean_up(project: Project) -> None:
    text = LOST_STAGE.replace(NO_CLOSE, FAILING_CLOSE) + STEPS
    (project.features / "conftest.py").write_text(text, encoding="utf-8")
    project.feature()
    result = project.run()
    lost = "the API server https://127.0.0.1:1 was lost during the run: *"
    result.stdout.fnmatch_lines([f"ENVIRONMENT *KQ-QTA-01*{lost}"])
    assert "CLEAN-UP" not in result.stdout.str()
    assert result.ret == 3


FAILING_OPEN = FAILING_CLOSE.replace(
    "pass",
    """
        print("opened")
        raise {error}""",
)


@pytest.mark.parametrize(
    ("error", "opened", "code"),
    [("KeyboardInterrupt", 1, 5), ('EnvironmentBroken("no namespace")', 2, 3)],
)
def test_what_keeps_a_world_from_opening_is_told_before_what_its_clean_up_says(
    project: Project, error: str, opened: int, code: int
) -> None:
    text = LOST_STAGE.replace(NO_CLOSE, FAILING_OPEN.format(error=error)) + STEPS
    imports = "from queuecheck.world import EnvironmentBroken\n"
    (project.features / "conftest.py").write_text(imports + text, encoding="utf-8")
    for number in (1, 2):
        project.feature(id=f"KQ-QTA-0{number}", level=LEVELS[number], file=f"f{number}")
    result = project.run("-s")
    assert result.stdout.str().count("opened") == opened
    assert "CLEAN-UP" not in result.stdout.str()
    assert result.ret == code
    if code == 3:
        result.stdout.fnmatch_lines(
            [
                "environment: no namespace",
                "restore: GET /: refused",
                "*2 requirements: no namespace",
            ]
        )


def test_a_failed_should_makes_no_difference_unless_strict(project: Project) -> None:
    project.requires("KQ-QTA-01", "KQ-QTA-03")
    project.feature(file="one")
    project.feature(id="KQ-QTA-03", level="should", then="the claim fails", file="two")
    result = project.run()
    result.stdout.fnmatch_lines(["failed, without consequence for the verdict: KQ-QTA-03"])
    assert result.ret == 0
    assert project.run("--qc-strict").ret == 1


def test_a_requirement_that_nothing_shows_makes_the_run_partial(project: Project) -> None:
    project.requires("KQ-QTA-01", "KQ-QTA-02")
    project.feature()
    result = project.run()
    result.stdout.fnmatch_lines(["partial: KQ-QTA-02 has no scenario"])
    assert result.ret == 5


@pytest.mark.parametrize(
    "left_out", ["--deselect=features/b.feature", "--ignore=features/b.feature"]
)
def test_a_must_of_which_pytest_leaves_a_scenario_out_makes_the_run_partial(
    project: Project, left_out: str
) -> None:
    project.requires("KQ-QTA-01")
    project.feature(file="a")
    project.feature(file="b", then="the claim fails")
    assert project.run().ret == 1
    result = project.run(left_out)
    result.stdout.fnmatch_lines(["partial: KQ-QTA-01 ran only in part"])
    assert result.ret == 5


OUTLINE = """
Feature: Rows
  Rule: Each row is a test
    @KQ-QTA-01 @must
    Scenario Outline: A Job of <size>
      Given a world
      Then all is well

      Examples:
        | size  |
        | one   |
        | three |
"""


@pytest.mark.parametrize(("times", "left_out"), [(1, "three"), (2, "run1-three")])
def test_a_must_of_which_pytest_leaves_a_row_out_makes_the_run_partial(
    project: Project, times: int, left_out: str
) -> None:
    project.requires("KQ-QTA-01")
    (project.features / "rows.feature").write_text(OUTLINE, "utf-8")
    repeat = f"--qc-repeat={times}"
    project.run(repeat).stdout.fnmatch_lines(["conformant: *"])
    test = f"features/rows.feature::test_a_job_of_size[{left_out}]"
    result = project.run(repeat, f"--deselect={test}")
    result.assert_outcomes(passed=2 * times - 1, deselected=1)
    result.stdout.fnmatch_lines(["partial: KQ-QTA-01 ran only in part"])
    assert result.ret == 5


def test_a_known_failure_is_expected_and_may_be_accepted(project: Project) -> None:
    project.requires("KQ-QTA-01")
    project.baseline("KQ-QTA-01", reason="it counts in whole numbers")
    project.feature(then="the claim fails")
    result = project.run()
    result.stdout.fnmatch_lines(
        [
            "EXPECTED FAILURE KQ-QTA-01*it counts in whole numbers",
            "not conformant: KQ-QTA-01 failed, as the baseline says",
        ]
    )
    assert result.ret == 1
    assert project.run("--qc-accept-baseline").ret == 0


def test_a_known_failure_that_passes_fails_the_run(project: Project) -> None:
    project.requires("KQ-QTA-01")
    project.baseline("KQ-QTA-01", reason="it counts in whole numbers")
    project.feature()
    result = project.run("--qc-accept-baseline")
    result.stdout.fnmatch_lines(["STALE BASELINE *KQ-QTA-01*it passes, and the baseline has it*"])
    assert result.ret == 1


def test_the_run_that_stops_early_is_partial(project: Project) -> None:
    project.feature(id="KQ-QTA-03", level="should", then="the claim fails", file="a")
    project.feature(file="b")
    result = project.run("-x")
    result.stdout.fnmatch_lines(["partial: the run ended early*"])
    assert result.ret == 5


def test_a_run_that_is_interrupted_before_any_result_is_partial(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.feature(then="the user interrupts")
    result = project.run()
    result.stdout.fnmatch_lines(["partial: the run ended early (interrupted)*"])
    assert result.ret == 5


def test_an_interrupted_run_whose_clean_up_fails_still_has_its_verdict_and_report(
    project: Project,
) -> None:
    project.feature(file="one")
    project.feature(
        then="the user interrupts, and the clean-up will fail", id="KQ-QTA-02", file="two"
    )
    result = project.run("--qc-report", "report")
    left = "interrupted; not all was taken down: namespace qc-1: still there"
    result.stdout.fnmatch_lines([f"partial: the run ended early ({left})*", "report: *"])
    assert (project.pytester.path / "report" / "report.json").exists()
    assert result.ret == 5


def test_a_worker_tells_what_it_could_not_take_down(project: Project) -> None:
    project.feature(then="the user interrupts, and the clean-up will fail")
    project.run("-n", "1", "--qc-report", "report")
    report = json.loads((project.pytester.path / "report" / "report.json").read_text("utf-8"))
    assert "not all was taken down: namespace qc-1: still there" in report["run"]["endedEarly"]


SEVERAL = "2 things are left\nnamespace qc-1: 403 Forbidden\nnamespace qc-2: still there"


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_of_several_things_that_an_interrupted_run_leaves_each_has_a_line(
    project: Project, workers: tuple[str, ...]
) -> None:
    text = CONFTEST.replace('"namespace qc-1: still there"', repr(SEVERAL))
    (project.features / "conftest.py").write_text(text, encoding="utf-8")
    project.feature(then="the user interrupts, and the clean-up will fail")
    result = project.run(*workers, "--qc-report", "report")
    first, *things = SEVERAL.splitlines()
    assert [line for line in result.outlines if line in things] == things
    report = json.loads((project.pytester.path / "report" / "report.json").read_text("utf-8"))
    assert report["run"]["endedEarly"].endswith(f"not all was taken down: {first}")


def test_what_several_fixtures_leave_is_one_line_and_then_one_for_each_thing() -> None:
    errors = [CleanupError(SEVERAL), OSError("no space left"), CleanupError("the Queue stays")]
    first, *things = taking_down(BaseExceptionGroup("teardown", errors)).splitlines()
    assert first == (
        "not all was taken down: 2 things are left; not all was taken down: OSError: no space "
        "left; not all was taken down: the Queue stays"
    )
    assert things == SEVERAL.splitlines()[1:]


@pytest.mark.parametrize(
    "then",
    ["the controller is gone, and its log has a password", "a step is wrong, and says a password"],
)
def test_nothing_secret_is_shown_or_written_down(project: Project, then: str) -> None:
    project.feature(then=then)
    result = project.run("--junitxml=junit.xml", "--tb=line")
    assert "password=(masked)" in result.stdout.str()
    written = (project.pytester.path / "junit.xml").read_text("utf-8")
    assert "tellnobody" not in result.stdout.str() + written
