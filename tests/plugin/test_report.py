"""Reports of runs, whole and broken off, through the plugin."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from queuecheck.catalogue import load_catalogue
from queuecheck.report import Report
from queuecheck.report.document import read_report, to_document
from queuecheck.report.verify import verify
from tests.plugin.project import CONFTEST, Project
from tests.report.cucumber_messages import parsed, statuses

pytest_plugins = ["pytester"]
REPORT = "--qc-report=out"
WATCHED = """
from copy import deepcopy

from queuecheck.timeline import Budgets, Claims, Position, Step, Subject, Timeline, exists
from queuecheck.world import World as RealWorld


class World(RealWorld):
    tail = "abcde-kq-qta-01-a1"
    namespace = f"qc-{tail}"

    def __init__(self):
        self.timeline = Timeline()
        self.claims = Claims(self.timeline, budgets=Budgets(scale=0.001), cross_kind_order=True)

    def write(self, version, kind, verb, name, **content):
        metadata = {"name": name, "namespace": self.namespace, "uid": name,
                    "resourceVersion": str(version)}
        self.timeline.observe(kind, verb, {"metadata": metadata, **deepcopy(content)})

    def hindrance(self):
        return None

    def take_evidence(self, *, failure, error):
        return Evidence(Path.cwd() / "out" / "evidence" / "abcde")


@pytest.fixture
def world():
    return World()


@then("low is marked and given back")
def low(world):
    unit = {"status": {"admissions": [{"name": "main", "replicas": 2}]}}
    world.write(1, "QueueUnit", "ADDED", "low", **unit)
    unit["status"]["admissions"][0]["reclaimState"] = {"replicas": 1}
    world.write(3, "QueueUnit", "MODIFIED", "low", **unit)
    world.write(2, "Job", "ADDED", "high")
    world.claims.in_order(
        [Step(exists(Subject("QueueUnit", world.namespace, name))) for name in ("low", "high")],
        within="mark",
        since=Position(0, 0, 0.0),
    )
"""

BESIDE = """
import pytest


@pytest.fixture
def broken():
    raise OSError


def test_fails():
    raise AssertionError


def test_is_broken(broken):
    pass


def test_passes():
    pass
"""


def report_of(project: Project, *arguments: str) -> Report:
    project.run(REPORT, *arguments)
    return read_report(project.pytester.path / "out")


def files(project: Project) -> list[str]:
    return sorted(file.name for file in (project.pytester.path / "out").iterdir())


def test_every_view_is_written_and_nothing_else(project: Project) -> None:
    project.feature()
    result = project.run(REPORT)
    assert files(project) == [
        "junit.xml",
        "messages.ndjson",
        "report.html",
        "report.json",
        "summary.md",
    ]
    result.stdout.fnmatch_lines([f"report: {project.pytester.path}/out"])


def test_a_report_tells_of_every_requirement_and_scenario(project: Project) -> None:
    project.requires("KQ-QTA-01", "KQ-QTA-02", "KQ-QTA-03")
    project.feature(then="the claim fails", file="one")
    project.feature(id="KQ-QTA-03", level="should", tags="@needs:block", file="two")
    report = report_of(project)
    assert [(row.id, row.outcome, row.runs) for row in report.requirements] == [
        ("KQ-QTA-01", "failed", 1),
        ("KQ-QTA-02", "not-run", 0),
        ("KQ-QTA-03", "not-supported", 1),
    ]
    assert report.judgement.headline == "not conformant: KQ-QTA-01 failed"
    assert report.judgement.exit_code == 1
    failed, unsupported = report.scenarios
    assert [(step.keyword, step.text, step.outcome) for step in failed.steps] == [
        ("Given", "a world", "passed"),
        ("Then", "the claim fails", "failed"),
    ]
    assert failed.failure.startswith("low is marked: not seen")
    assert failed.reproduce.startswith("queuecheck run features/one.feature:8")
    assert unsupported.reason == "reference has no block"
    assert report.requirements[2].scenarios == (1,)


@pytest.mark.parametrize("then", ["all is well", "the claim fails", "the user interrupts"])
def test_a_test_beside_the_scenarios_that_fails_is_named_and_makes_the_exit_code_1(
    project: Project, then: str
) -> None:
    """Of an interruption pytest makes 2, which would say that no scenario has run."""
    project.requires("KQ-QTA-01", "KQ-QTA-02")
    project.feature(file="one")
    project.feature(id="KQ-QTA-02", file="two", then=then)
    (project.features / "test_beside.py").write_text(BESIDE, "utf-8")
    result = project.run(REPORT)
    report = read_report(project.pytester.path / "out")
    assert report.run.failed_beside == tuple(
        f"features/test_beside.py::test_{name}" for name in ("fails", "is_broken")
    )
    assert result.ret == report.judgement.exit_code == 1
    catalogue = load_catalogue(project.pytester.path / "catalogue.yaml")
    assert verify(to_document(report), catalogue).wrong == ()


def test_workers_send_all_that_a_report_tells(project: Project) -> None:
    names = {"KQ-QTA-01": "the claim fails", "KQ-QTA-02": "nobody can tell"}
    for number, (name, then) in enumerate(names.items()):
        project.feature(id=name, then=then, file=f"f{number}")
    report = report_of(project, "-n", "2")
    assert [run.outcome for run in report.scenarios] == ["failed", "harness-error"]
    assert all(len(run.steps) == 2 and run.worker for run in report.scenarios)
    assert report.configuration["workers"] == "2"


def test_a_picture_has_what_was_seen_and_what_was_claimed(project: Project) -> None:
    (project.features / "conftest.py").write_text(CONFTEST + WATCHED, encoding="utf-8")
    project.feature(then="low is marked and given back")
    (run,) = report_of(project, "-n", "1").scenarios
    assert run.picture is not None
    unit = next(lane for lane in run.picture.lanes if lane.kind == "QueueUnit")
    assert [(moment.version, moment.shown) for moment in unit.moments] == [
        (1, {"holds": "2"}),
        (3, {"holds": "2", "marked": "1"}),
    ]
    (claim,) = run.claims
    assert (claim.step, claim.claim, claim.outcome) == (1, "in order", "failed")
    assert [(mark.role, mark.number, mark.version) for mark in claim.marks] == [
        ("state", 1, 1),
        ("missing", 2, 0),
    ]
    assert run.latencies.keys() == {"submit to mark"}
    assert run.evidence == "evidence/abcde"
    assert run.outcome == "failed"


def test_a_scenario_without_steps_is_told_as_it_is(project: Project) -> None:
    (project.features / "conftest.py").write_text(CONFTEST + WATCHED, encoding="utf-8")
    path = project.feature()
    text = path.read_text("utf-8")
    path.write_text(text[: text.index("      Given")], encoding="utf-8")
    (run,) = report_of(project).scenarios
    assert (run.outcome, run.steps, run.claims) == ("passed", (), ())


def test_an_interrupted_run_leaves_a_report_that_says_so(project: Project) -> None:
    project.feature(file="a")
    project.feature(id="KQ-QTA-02", then="the user interrupts", file="b")
    report = report_of(project)
    assert report.run.ended_early == "interrupted"
    assert [run.outcome for run in report.scenarios] == ["passed"]
    assert report.judgement.verdict == "partial"
    assert report.judgement.exit_code == 5
    text = (project.pytester.path / "out" / "summary.md").read_text("utf-8")
    assert "**This report is partial: interrupted.**" in text


AT_REPORT = """
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    if call.when == "call" and "b.feature" in item.nodeid:
        raise KeyboardInterrupt
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_a_run_that_is_interrupted_while_a_result_is_put_in_words_says_so(
    project: Project, workers: tuple[str, ...]
) -> None:
    """Which takes time for a failure. pytest-bdd lets it through in a way that pluggy warns of."""
    (project.features / "conftest.py").write_text(CONFTEST + AT_REPORT, encoding="utf-8")
    project.feature(file="a")
    project.feature(id="KQ-QTA-02", then="the claim fails", file="b")
    result = project.run(*workers, REPORT)
    assert "INTERNALERROR" not in result.stdout.str()
    report = read_report(project.pytester.path / "out")
    assert report.run.ended_early == "interrupted"
    assert next(run.outcome for run in report.scenarios) == "passed"


def test_a_known_failure_that_does_not_always_fail_is_told_as_such(project: Project) -> None:
    project.baseline("KQ-QTA-01", reason="a race", intermittent=True)
    project.feature()
    report = report_of(project)
    assert [known.intermittent for known in report.implementation.baseline] == [True]


def test_a_worker_that_dies_is_in_the_report(project: Project) -> None:
    project.feature(file="a")
    project.feature(id="KQ-QTA-02", then="the worker dies", file="b")
    report = report_of(project, "-n", "1")
    assert [run.outcome for run in report.scenarios] == ["passed", "harness-error"]
    assert "crashed" in report.scenarios[1].reason
    assert report.judgement.exit_code == 4


def test_a_clean_up_that_fails_is_one_run_with_all_its_steps(project: Project) -> None:
    project.feature(then="the clean-up will fail")
    (run,) = report_of(project).scenarios
    assert (run.outcome, run.reason) == ("cleanup-error", "namespace qc-1: still there")
    assert [step.outcome for step in run.steps] == ["passed", "passed"]


def test_repetitions_give_a_pass_rate(project: Project) -> None:
    project.feature()
    report = report_of(project, "--qc-repeat=3")
    row = next(row for row in report.requirements if row.id == "KQ-QTA-01")
    assert (row.passed, row.runs) == (3, 3)
    assert [run.repetition for run in report.scenarios] == [1, 2, 3]


def test_the_rows_of_an_outline_are_told_apart(project: Project) -> None:
    path = project.feature()
    text = path.read_text("utf-8").replace("Scenario:", "Scenario Outline:")
    text = text.replace("all is well", "<what> is well")
    text += "\n      Examples:\n        | what |\n        | all  |\n        | none |\n"
    path.write_text(text, encoding="utf-8")
    runs = report_of(project).scenarios
    assert {run.example["what"]: run.outcome for run in runs} == {
        "all": "passed",
        "none": "harness-error",
    }
    assert [run.steps[1].text for run in runs] == ["all is well", "none is well"]


def test_only_what_did_not_pass_runs_again(project: Project) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-02", then="the claim fails", file="two")
    project.feature(id="KQ-QTA-03", level="should", tags="@needs:block", file="three")
    project.run(REPORT)
    result = project.run(REPORT, "--qc-rerun-failed=out")
    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(["selection: 1 of 174 requirements"])


def test_the_workers_know_too_what_runs_again(project: Project) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-02", then="the claim fails", file="two")
    project.run(REPORT)
    project.run(REPORT, "-n", "2", "--qc-rerun-failed=out/report.json").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("", "--rerun-failed {at}/out/report.json: No such file or directory"),
        ("{", "--rerun-failed {at}/out/report.json: not JSON: *"),
        (
            "{}",
            "--rerun-failed {at}/out/report.json: not a report of apiVersion queuecheck.dev/v1*",
        ),
    ],
)
def test_a_report_that_is_none_is_refused(
    project: Project,
    capfd: pytest.CaptureFixture[str],
    made: str,
    said: str,
) -> None:
    project.feature()
    out = project.pytester.mkdir("out")
    if made:
        (out / "report.json").write_text(made, encoding="utf-8")
    (told,) = project.refused(capfd, "--qc-rerun-failed=out")
    pytest.LineMatcher([told]).fnmatch_lines(
        [f"queuecheck: {said.format(at=project.pytester.path)}"]
    )


def test_nothing_to_run_again_is_said(
    project: Project,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project.feature(tags="@needs:block")
    project.run(REPORT)
    capfd.readouterr()
    assert project.refused(capfd, "--qc-rerun-failed=out") == [
        "queuecheck: --rerun-failed out: nothing failed in it"
    ]


def test_a_report_that_cannot_be_written_is_refused_before_anything_runs(
    project: Project,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project.feature()
    (project.pytester.path / "out").write_text("a file", encoding="utf-8")
    assert project.refused(capfd, REPORT) == ["queuecheck: --report out: File exists"]


def test_a_report_that_could_not_be_written_in_the_end_is_told(
    project: Project,
) -> None:
    project.requires("KQ-QTA-01")
    project.feature(then="the directory goes")
    text = CONFTEST + (
        '\n\n@then("the directory goes")\ndef goes():\n'
        "    Path.cwd().joinpath('out').rmdir()\n    Path.cwd().joinpath('out').touch()\n"
    )
    (project.features / "conftest.py").write_text(text, encoding="utf-8")
    result = project.run(REPORT)
    result.stdout.fnmatch_lines(["no report: *out: File exists"])
    assert result.ret == 3


SECRETS = {
    "environment": "planted-in-the-environment",
    "flag": "planted-after-a-flag",
    "assigned": "planted-in-an-assignment",
    "bearer": "plantedbearer0123456789",
    "password": "planted-by-name-alone",
    "cluster": "planted-in-a-kubeconfig",
}
# What the fixture of a real stage does, when it is open.
MEETS = """

from queuecheck.plugin.collection import SUITE
from queuecheck.secrecy import known, of_kubeconfig


@pytest.fixture(autouse=True)
def meets(pytestconfig):
    users = {"users": [{"name": "admin", "user": {"token": "planted-in-a-kubeconfig"}}]}
    pytestconfig.stash[SUITE].meet(SimpleNamespace(
        reason="a cluster", server_version="v1", capabilities=(),
        secrets=known([*pytestconfig.stash[SUITE].secrets.values, *of_kubeconfig(users)]),
    ))
"""


def test_nothing_secret_gets_into_any_file(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REGISTRY_TOKEN", SECRETS["environment"])
    path = project.pytester.path / "limited.yaml"
    body = yaml.safe_load(path.read_text("utf-8"))
    body["processes"][0]["command"] += [
        "--token",
        SECRETS["flag"],
        f"--password={SECRETS['assigned']}",
    ]
    path.write_text(yaml.safe_dump(body), "utf-8")
    said = (
        f"a log: {SECRETS['environment']} {SECRETS['flag']} {SECRETS['assigned']} "
        f"{SECRETS['cluster']} "
        f"Authorization: Bearer {SECRETS['bearer']} password={SECRETS['password']}"
    )
    text = CONFTEST.replace("low is marked", said).replace("the watch of pods has a gap", said)
    text += "\n\nfrom types import SimpleNamespace" + MEETS
    (project.features / "conftest.py").write_text(text, encoding="utf-8")
    project.feature(then="the claim fails", file="one")
    project.feature(id="KQ-QTA-02", then="nobody can tell", file="two")
    project.run(REPORT, "-n", "2")
    for file in (project.pytester.path / "out").iterdir():
        content = file.read_text("utf-8")
        assert "a log" in content
        assert [name for name, secret in SECRETS.items() if secret in content] == []


def test_every_file_opens_whatever_a_failure_says(project: Project) -> None:
    odd = r"\x00\x1b[31m ]]> <&> | ` \udce9 \U0001f600 \ufffe"
    text = CONFTEST.replace('sentence="low is marked"', f'sentence="{odd}"')
    (project.features / "conftest.py").write_text(text, encoding="utf-8")
    project.requires("KQ-QTA-01")
    project.feature(then="the claim fails")
    (run,) = report_of(project).scenarios
    assert "]]> <&>" in run.reason
    tree = ET.parse(project.pytester.path / "out" / "junit.xml")  # noqa: S314 - our own
    case = next(tree.iter("testcase"))
    assert case.get("name") == "KQ-QTA-01"
    assert "]]> <&>" in case.find("failure").get("message")  # type: ignore[union-attr,operator]


def test_plain_pytest_writes_no_report_unasked(project: Project) -> None:
    project.feature()
    project.run()
    assert not Path(project.pytester.path / "reports").exists()


OUTLINE = """
Feature: More of it
  Rule: Each row is a scenario
    @KQ-QTA-03 @should
    Scenario Outline: A Job of <size>
      Given a world
      Then <what>

      Examples:
        | size  | what            |
        | one   | all is well     |
        | three | the claim fails |
"""


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one process", "two workers"])
def test_messages_of_every_outcome_are_valid(
    project: Project,
    workers: list[str],
) -> None:
    project.feature(file="a", name="It passes")
    project.feature(id="KQ-QTA-02", then="the claim fails", file="b", name="It fails")
    skipped = {"tags": "@needs:block", "name": "It is skipped"}
    project.feature(id="KQ-QTA-04", level="should", file="c", **skipped)
    undefined = {"then": "nobody defines this", "name": "It is undefined"}
    project.feature(id="KQ-QTA-05", level="should", file="d", **undefined)
    (project.features / "e.feature").write_text(OUTLINE, encoding="utf-8")
    project.run(REPORT, *workers)
    text = (project.pytester.path / "out" / "messages.ndjson").read_text("utf-8")
    assert statuses(parsed(text)) == {
        "It passes": ["PASSED", "PASSED"],
        "It fails": ["PASSED", "FAILED"],
        "It is skipped": ["SKIPPED", "SKIPPED", "SKIPPED"],
        "It is undefined": ["PASSED", "UNDEFINED"],
        "A Job of one": ["PASSED", "PASSED"],
        "A Job of three": ["PASSED", "FAILED"],
    }
