"""What is refused before anything is started."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

from tests.plugin.project import Project

pytest_plugins = ["pytester"]


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


@pytest.mark.parametrize("run", ["..", "a/b", "Run1", "", "x" * 21])
def test_a_run_that_cannot_be_a_part_of_names_is_refused(
    project: Project, capfd: pytest.CaptureFixture[str], run: str
) -> None:
    project.feature()
    said = f"queuecheck: --qc-run {run!r}: it has to be 1 to 20 small letters and digits"
    assert project.refused(capfd, f"--qc-run={run}") == [said]


def test_as_many_workers_as_there_are_processors_are_too_many_for_an_existing_cluster(
    project: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "3")
    project.feature()
    # Where pytest-xdist is loaded first, it has not made a number of the word yet.
    words = ["-p", "xdist", "--qc-cluster=existing", "--qc-kubeconfig=k", "--qc-context=c"]
    said = "queuecheck: -j 3: all scenarios on an existing cluster share one implementation"
    assert any(line.startswith(said) for line in project.refused(capfd, *words, "-n", "auto"))
