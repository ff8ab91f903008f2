"""Which scenarios are played, in which order, and what they are called."""

from __future__ import annotations

import pytest

from queuecheck.report.document import read_report
from tests.plugin.project import LEVELS, Project

pytest_plugins = ["pytester"]


def test_a_tag_expression_chooses_scenarios(project: Project) -> None:
    project.feature(file="one")
    project.feature(id="KQ-QTA-03", level="should", file="two", name="It limits")
    result = project.run("--qc-select", "must and not slow")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["PASS *KQ-QTA-01*", "selection: 1 of *"])


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
