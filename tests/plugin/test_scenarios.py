"""Scenarios through the plugin, in a project of their own with a fake world."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

# Imported once here, not again in every inner run: pytester takes away what those import.
from queuecheck import resources
from queuecheck.plugin import fixtures, summary
from queuecheck.report.document import read_report

pytest_plugins = ["pytester"]
KEPT = (fixtures, summary)
REFERENCE = resources.implementations_root() / "reference.yaml"

INI = """
[pytest]
queuecheck_features = features
queuecheck_steps =
addopts =
  --strict-markers --import-mode=importlib -p no:cacheprovider
  -p no:hypothesispytest -p no:timeout -p no:pytest-kind
filterwarnings = error
"""
CONFTEST = """
import os
from pathlib import Path

import pytest
from pytest_bdd import given, parsers, then

from queuecheck.implementation import ImplementationError
from queuecheck.timeline import ClaimFailed, Evidence, Failure, HarnessError
from queuecheck.world import CleanupError, EnvironmentBroken

DONE = Path(__file__).parent.parent / "done.txt"


def note(text):
    with DONE.open("a") as file:
        file.write(text + "\\n")


class World:
    cleanup_fails = False
    hindered = None

    def hindrance(self):
        return self.hindered

    def take_evidence(self, *, failure, error):
        note("evidence")
        return Evidence(Path("/evidence"))


@pytest.fixture(scope="session")
def ground():
    if "BROKEN" in os.environ:
        raise EnvironmentBroken("the canary was not admitted\\nits log")


@pytest.fixture
def world(ground):
    world = World()
    yield world
    note("clean-up")
    if world.cleanup_fails:
        raise CleanupError("namespace qc-1: still there")


@given("a world")
def a_world(world):
    note("step")


@then("all is well")
def all_is_well():
    pass


@then("the claim fails")
def the_claim_fails():
    raise ClaimFailed(Failure(claim="eventually", sentence="low is marked", reason="not seen"))


@then("the claim fails, for an image is missing")
def hindered(world):
    world.hindered = EnvironmentBroken("a pod does not start on node b: ErrImageNeverPull")
    the_claim_fails()


@then("the step asserts in vain")
def asserts():
    assert False, "low has 2 replicas"


@then("nobody can tell")
def nobody_can_tell():
    raise HarnessError("the watch of pods has a gap")


@then("a step is wrong")
def wrong():
    {}["nothing"]


@then("the controller is gone")
def gone():
    raise ImplementationError("reference: queue ended with exit code 1")


@then("the clean-up will fail")
def cleanup_will_fail(world):
    world.cleanup_fails = True


@then("the user interrupts")
def interrupts():
    raise KeyboardInterrupt


@then("the worker dies")
def dies():
    os._exit(7)
"""
FEATURE = """
@koord-queue
Feature: Quota

  Rule: What counts, counts

    @{id} @{level} {tags}
    Scenario: {name}
      Given a world
      Then {then}
"""


class Project:
    """A directory with feature files, and pytest to run on it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini(INI)
        self.features = pytester.mkdir("features")
        # What some of these tests are about is what it does not declare.
        body = yaml.safe_load(REFERENCE.read_text("utf-8"))
        body["features"] = ["intelligent", "protection", "reconfigure", "metrics"]
        self.pytester.path.joinpath("limited.yaml").write_text(yaml.safe_dump(body), "utf-8")
        # Beside the features, not above: only there does it come before the plugin's fixtures.
        self.features.joinpath("conftest.py").write_text(CONFTEST, encoding="utf-8")

    def requires(self, *names: str) -> None:
        """The catalogue has only these requirements."""
        data = yaml.safe_load(resources.catalogue_file("koord-queue").read_text("utf-8"))
        data["requirements"] = [row for row in data["requirements"] if row["id"] in names]
        self.pytester.path.joinpath("catalogue.yaml").write_text(yaml.safe_dump(data), "utf-8")
        self.pytester.makeini(INI + "queuecheck_catalogue = catalogue.yaml\n")

    def baseline(self, name: str, *, reason: str) -> None:
        """The implementation is known to fail this."""
        path = self.pytester.path.joinpath("limited.yaml")
        body = yaml.safe_load(path.read_text("utf-8"))
        body["baseline"] = [{"id": name, "reason": reason, "link": "https://example.org/1"}]
        path.write_text(yaml.safe_dump(body), "utf-8")

    def feature(
        self,
        *,
        then: str = "all is well",
        id: str = "KQ-QTA-01",  # noqa: A002
        level: str = "must",
        tags: str = "",
        name: str = "It counts",
        file: str = "quota",
    ) -> Path:
        text = FEATURE.format(then=then, id=id, level=level, tags=tags, name=name)
        path = self.features / f"{file}.feature"
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: str) -> pytest.RunResult:
        arguments = ("--qc-implementation=limited.yaml", *arguments)
        if "-n" in arguments:
            return self.pytester.runpytest_subprocess("features", *arguments, timeout=120)
        return self.pytester.runpytest_inprocess("features", *arguments)

    def refused(self, capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
        """The lines on standard error of a run that is refused before it begins."""
        assert pytest.main(["features", *arguments]) == 2
        assert self.done == []
        return capfd.readouterr().err.splitlines()

    @property
    def done(self) -> list[str]:
        file = self.pytester.path / "done.txt"
        return file.read_text("utf-8").split() if file.exists() else []


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    return Project(pytester)


OUTCOMES = {
    "all is well": ("PASS", 0, "selection passed"),
    "the claim fails": ("FAIL", 1, "selection failed"),
    "the step asserts in vain": ("FAIL", 1, "selection failed"),
    "nobody can tell": ("HARNESS ERROR", 4, "no verdict"),
    "a step is wrong": ("HARNESS ERROR", 4, "no verdict"),
    "no such step": ("HARNESS ERROR", 4, "no verdict"),
    "the claim fails, for an image is missing": ("ENVIRONMENT", 3, "no verdict"),
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


def test_a_tag_expression_chooses_scenarios(project: Project) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-03", level="should", file="two", name="It limits")
    result = project.run("--qc-select", "must and not slow")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["PASS *KQ-QTA-01*", "selection: 1 of *"])


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("musst", "--select 'musst': no tag is called musst; did you mean must?"),
        ("may", "--select 'may': no scenario has such tags"),
    ],
)
def test_an_expression_that_chooses_nothing_is_refused(
    project: Project, capfd: pytest.CaptureFixture[str], expression: str, said: str
) -> None:
    project.feature()
    assert project.refused(capfd, "--qc-select", expression) == [f"queuecheck: {said}"]


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

    def close(self, *, keep, failed):
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


LEVELS = {1: "must", 2: "must", 3: "should"}


def test_the_seed_of_a_random_order_is_printed_and_repeats_it(project: Project) -> None:
    for number in (1, 2, 3):
        project.feature(id=f"KQ-QTA-0{number}", level=LEVELS[number], file=f"f{number}")
    first = project.run("-v", "--qc-random-order")
    header = next(line for line in first.outlines if "seed" in line)
    seed = header.rsplit(" ", 1)[1]
    second = project.run("-v", "--qc-random-order", seed)
    order = [
        [line.split(" ")[0] for line in result.outlines if "PASSED" in line]
        for result in (first, second)
    ]
    assert order[0] == order[1]
    assert len(order[0]) == 3


def test_two_workers_agree_on_a_random_order(project: Project) -> None:
    project.requires("KQ-QTA-01", "KQ-QTA-02", "KQ-QTA-03")
    for number in (1, 2, 3):
        project.feature(id=f"KQ-QTA-0{number}", level=LEVELS[number], file=f"f{number}")
    assert project.run("-n", "2", "--qc-random-order").ret == 0


def test_each_scenario_is_repeated(project: Project) -> None:
    project.feature()
    result = project.run("--qc-repeat", "3")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["PASS *KQ-QTA-01*3 of 3 passed"])


def test_a_selection_by_id_says_that_it_is_one(project: Project) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-02", then="the claim fails", file="two")
    result = project.run("--qc-id", "kq-qta-01")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(
        ["selection: 1 of 174 requirements", "selection passed: KQ-QTA-01 passed"]
    )
    assert result.ret == 0


def test_a_scenario_is_selected_by_the_place_where_it_stands(project: Project) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-02", file="two")
    result = project.run("--qc-at", "features/two.feature:8")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["PASS *KQ-QTA-02*"])


def test_tags_are_markers(project: Project) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-03", level="should", file="two")
    result = project.run("-m", "must and KQ-QTA-01")
    result.assert_outcomes(passed=1, deselected=1)


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


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("KQ-QTA-91", "there is no requirement KQ-QTA-91; did you mean KQ-QTA-*"),
        ("KQ-RCL-15", "KQ-RCL-15 was withdrawn: it cannot be staged*"),
    ],
)
def test_a_known_failure_of_no_requirement_is_refused(
    project: Project, capfd: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    project.baseline(name, reason="why not")
    project.feature()
    (told,) = project.refused(capfd, "--qc-implementation=limited.yaml")
    assert fnmatch(told, f"queuecheck: implementation reference: baseline: {said}")


def test_the_run_that_stops_early_is_partial(project: Project) -> None:
    project.feature(id="KQ-QTA-03", level="should", then="the claim fails", file="a")
    project.feature(file="b")
    result = project.run("-x")
    result.stdout.fnmatch_lines(["partial: the run ended early*"])
    assert result.ret == 5


def test_the_rows_of_an_outline_are_tests_of_one_requirement(project: Project) -> None:
    path = project.feature()
    text = path.read_text("utf-8").replace("Scenario:", "Scenario Outline:")
    text = text.replace("all is well", "<what> is well")
    text += "\n      Examples:\n        | what |\n        | all  |\n        | none |\n"
    path.write_text(text, encoding="utf-8")
    result = project.run()
    result.stdout.fnmatch_lines(["HARNESS ERROR *KQ-QTA-01*1 of 2 passed*"])


def test_node_ids_name_the_file_and_the_scenario(project: Project) -> None:
    project.feature()
    result = project.run("--collect-only", "-q")
    result.stdout.fnmatch_lines(["features/quota.feature::test_it_counts"])


REFUSED = {
    "unknown tag": (
        {"tags": "@srial"},
        "features/quota.feature:7: unknown tag @srial; did you mean serial?",
    ),
    "unknown need": (
        {"tags": "@needs:blok"},
        "features/quota.feature:7: unknown tag @needs:blok; did you mean needs:block?",
    ),
    "unknown ID": (
        {"id": "KQ-QTA-99"},
        "features/quota.feature:7: unknown tag @KQ-QTA-99; did you mean KQ-QTA-09?",
    ),
    "wrong level": (
        {"level": "may"},
        "features/quota.feature:8: KQ-QTA-01 is @must, but the scenario has @may",
    ),
    "no ID": (
        {"id": "slow"},
        "features/quota.feature:8: scenario 'It counts' has no requirement's ID among its tags",
    ),
    "withdrawn": (
        {"id": "KQ-RCL-15"},
        "features/quota.feature:8: KQ-RCL-15 was withdrawn: it cannot be staged: *",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_unusable_feature_is_refused_in_one_line(
    project: Project, capfd: pytest.CaptureFixture[str], case: str
) -> None:
    settings, line = REFUSED[case]
    project.feature(**settings)
    (told,) = project.refused(capfd)
    assert fnmatch(told, f"queuecheck: {line}")


def test_two_scenarios_of_one_name_are_refused(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    path = project.feature()
    text = path.read_text("utf-8")
    path.write_text(text + text[text.index("    @KQ") :], encoding="utf-8")
    (told,) = project.refused(capfd)
    assert told.endswith("scenario 'It counts' has the name of the one in line 8; give it another")


def test_a_feature_that_does_not_parse_is_refused_with_its_line(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    path = project.feature()
    path.write_text(path.read_text("utf-8").replace("Then ", "So "), encoding="utf-8")
    (told,) = project.refused(capfd)
    assert told.startswith("queuecheck: features/quota.feature:10:")


BAD_OPTIONS = {
    ("--qc-id", "KQ-QTA-1"): "--id: there is no requirement KQ-QTA-1; did you mean KQ-QTA-*",
    ("--qc-id", "KQ-ROB-01"): "--id KQ-ROB-01: no scenario shows it in this version of the suite",
    ("--qc-at", "features/quota.feature:99"): "no scenario stands at features/quota.feature:99*",
    ("--qc-timeout-scale", "0"): "--timeout-scale 0: it has to be a number, and more than 0",
    ("--qc-timeout-scale", "nan"): "--timeout-scale nan: it has to be a number, and more than 0",
    ("--qc-timeout-scale", "inf"): "--timeout-scale inf: it has to be a number, and more than 0",
    ("--qc-repeat", "0"): "--repeat 0: it has to be at least 1",
    ("--qc-implementation", "x.yaml"): "implementation *x.yaml: No such file or directory",
}


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=" ".join)
def test_a_bad_option_is_refused_in_one_line(
    project: Project, capfd: pytest.CaptureFixture[str], options: tuple[str, str]
) -> None:
    project.feature()
    (told,) = project.refused(capfd, *options)
    assert fnmatch(told, f"queuecheck: {BAD_OPTIONS[options]}")


def test_options_that_together_leave_nothing_are_refused(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-02", file="two")
    (told,) = project.refused(capfd, "--qc-at", "features/one.feature", "--qc-id", "kq-qta-02")
    assert told == "queuecheck: no scenario at features/one.feature is about KQ-QTA-02"


def test_a_directory_without_features_is_refused(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    (told,) = project.refused(capfd)
    assert told == f"queuecheck: no scenario in any feature file below {project.features}"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "there is no Feature in it"), (b"Feature: \xff", "it is not UTF-8 text")],
)
def test_a_file_that_is_no_feature_is_refused(
    project: Project, capfd: pytest.CaptureFixture[str], content: bytes, said: str
) -> None:
    project.feature().with_name("odd.feature").write_bytes(content)
    (told,) = project.refused(capfd)
    assert told == f"queuecheck: features/odd.feature: {said}"


def test_an_undefined_step_is_told_in_one_line(project: Project) -> None:
    project.feature(then="no such step")
    result = project.run()
    result.stdout.fnmatch_lines(
        [
            'harness error: no step definition fits: Then "no such step" (line 10)',
            "HARNESS ERROR *KQ-QTA-01*no step definition fits: *",
        ]
    )
    assert "full-trace" not in result.stdout.str()


def test_a_run_that_is_interrupted_before_any_result_is_partial(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.feature(then="the user interrupts")
    result = project.run()
    result.stdout.fnmatch_lines(["partial: the run ended early (interrupted)*"])
    assert result.ret == 5


def test_the_command_that_repeats_a_failure_is_quoted_for_a_shell(project: Project) -> None:
    project.pytester.path.joinpath("limited.yaml").rename(project.pytester.path / "my lies.yaml")
    project.feature(then="the claim fails")
    result = project.run("--qc-implementation=my lies.yaml", "--qc-report=out")
    assert result.ret == 1
    (run,) = read_report(project.pytester.path / "out").scenarios
    told = "queuecheck run features/quota.feature:8 --implementation 'my lies.yaml'"
    assert run.reproduce == told


def test_a_foreign_project_is_left_alone(pytester: pytest.Pytester) -> None:
    """Its features are not ours, and nothing heavy is imported for it."""
    pytester.mkdir("features").joinpath("theirs.feature").write_text(
        "Feature: Theirs\n  @any\n  Scenario: One\n    Given a thing\n", encoding="utf-8"
    )
    pytester.makepyfile(
        """
        import sys

        def test_one():
            heavy = {"kubernetes", "gherkin", "yaml", "jsonschema", "queuecheck.world"}
            assert not heavy & set(sys.modules)
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:pytest-bdd", "-p", "no:pytest-kind")
    result.assert_outcomes(passed=1)
    told = [line for line in result.outlines if not line.startswith("plugins:")]
    assert "queuecheck" not in "".join(told)
