"""``queuecheck lint``: a small suite is clean, and each thing wrong with it is found by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from queuecheck.catalogue import Vocabulary
from queuecheck.catalogue.catalogue import parse_catalogue
from queuecheck.cli import cli
from queuecheck.lint import Suite, examine

PACKAGE = "steps_of_the_lint_tests"
ROWS = [
    {"id": f"KQ-QTA-0{number}", "level": level, "basis": "D", "text": "It is so"}
    for number, level in enumerate(("must", "should"), start=1)
]
CATALOGUE = "requirements:\n  - id: KQ-QTA-01\n    level: must\n  - id: KQ-QTA-02\n"
FEATURE = """\
@koord-queue
Feature: Quota
  Background:
    Given a quota of 2 cpu

  Rule: What is held counts

    @KQ-QTA-01 @must
    Scenario: A reservation counts
      Given these Jobs:
        | job | cpu |
        | low | 2   |
      When a Job asks for 2 cpu
      Then it waits
      And the protection time is 5 s
      And it waits 5 s

    @KQ-QTA-02 @should
    Scenario Outline: A Job of <cpu> cpu waits
      When a Job asks for <cpu> cpu
      Then it waits

      Examples:
        | cpu |
        | 1   |
        | 3   |
"""
STEPS = """\
from pytest_bdd import given, parsers, then, when


@given(parsers.re(r"a quota of (?P<size>\\d+) cpu"))
def quota(size):
    pass


@given("these Jobs:")
def jobs(datatable):
    pass


@when(parsers.re(r"a Job asks for (?P<wanted>\\d+) cpu"))
def asks(wanted):
    pass


@then("it waits")
@then("it waits 5 s")
def waits():
    pass


@given("the protection time is 5 s")
@then("the protection time is 5 s")
def protection():
    pass
"""

Lint = Callable[..., list[str]]


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lint]:
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        monkeypatch.delitem(sys.modules, name)

    def run(feature: str = FEATURE, steps: str = STEPS) -> list[str]:
        features, package = tmp_path / "features", tmp_path / PACKAGE
        features.mkdir()
        package.mkdir()
        (features / "quota.feature").write_text(feature, encoding="utf-8")
        (package / "__init__.py").touch()
        (package / "quotas.py").write_text(steps, encoding="utf-8")
        catalogue = tmp_path / "catalogue.yaml"
        catalogue.write_text(CATALOGUE, encoding="utf-8")
        areas = {"QTA": {"title": "Quota", "tag": "quota"}}
        words = Vocabulary(
            "koord-queue",
            parse_catalogue({"areas": areas, "requirements": ROWS}),
            needs=frozenset({"restart"}),
            slow_needs=frozenset({"restart"}),
        )
        suite = Suite(features, (PACKAGE,), catalogue, words)
        return [str(problem) for problem in examine(suite)]

    yield run
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


def test_a_suite_with_nothing_wrong_is_clean(lint: Lint) -> None:
    assert lint() == []


F = "features/quota.feature"
S = f"{PACKAGE}/quotas.py"
WRONG_FEATURES = {
    "slow without saying so": (
        ("@KQ-QTA-02 @should", "@KQ-QTA-02 @should @needs:restart"),
        f"{F}:19: scenario 'A Job of <cpu> cpu waits' is @needs:restart, so it takes seconds, and",
    ),
    "no scenario": (
        ("@KQ-QTA-02 @should", "@KQ-QTA-01 @must"),
        "catalogue.yaml:4: KQ-QTA-02 has no scenario; write one, tagged with the ID and the level,",
    ),
    "two IDs": (
        ("@KQ-QTA-01 @must", "@KQ-QTA-01 @KQ-QTA-02 @must"),
        f"{F}:9: scenario 'A reservation counts' has 2 IDs; keep the one it shows, and give",
    ),
    "no ID": (
        ("@KQ-QTA-02 @should", "@should"),
        f"{F}:19: scenario 'A Job of <cpu> cpu waits' has no requirement's ID among its tags",
    ),
    "another level": (
        ("@KQ-QTA-01 @must", "@KQ-QTA-01 @may"),
        f"{F}:9: KQ-QTA-01 is @must, but the scenario has @may",
    ),
    "unknown tag": (
        ("@KQ-QTA-01 @must", "@KQ-QTA-01 @must @slwo"),
        f"{F}:8: unknown tag @slwo; did you mean slow?",
    ),
    "no profile": (
        ("@koord-queue\n", "\n"),
        f"{F}:2: the Feature is not tagged @koord-queue; add the tag in the line above",
    ),
    "one name twice": (
        ("A Job of <cpu> cpu waits", "A reservation counts"),
        f"{F}:19: scenario 'A reservation counts' has the name of the one in line 9; give it",
    ),
    "undefined step": (
        ("Then it waits\n      And", "Then it wiats\n      And"),
        f"{F}:14: Then 'it wiats' has no definition; correct its words or define it in",
    ),
    "undefined in one row": (
        ("| 3   |", "| few |"),
        f"{F}:20: When 'a Job asks for few cpu' has no definition; correct its words or",
    ),
    "another keyword": (
        ("Given these Jobs:", "Given it waits\n      And these Jobs:"),
        f"{F}:10: Given 'it waits' has no definition; it is one as Then ({S}:19): change the",
    ),
    "Given alone": (
        ("Given a quota of 2 cpu", "When a Job asks for 1 cpu"),
        f"{F}:4: a When in a Background is run like a Given; move it into the scenarios",
    ),
    "a long Background": (
        ("    Given a quota of 2 cpu\n", "    Given a quota of 2 cpu\n" * 5),
        f"{F}:3: 5 steps of Background before a scenario, more than 4; move some into the",
    ),
    "a long file": (
        ("  Rule:", "\n" * 130 + "  Rule:"),
        f"{F}:151: the file has 156 lines, more than 150; split it by topic",
    ),
    "a jsonpath": (
        ("What is held", "What {.status.phase} says"),
        f"{F}:6: a jsonpath, '{{.s'; name the field or the state in words",
    ),
    "a verb of HTTP": (
        ("What is held", "A PATCH"),
        f"{F}:6: a word of HTTP, 'PATCH'; say what is done to which object",
    ),
    "a sleep": (
        ("What is held", "What sleeps"),
        f"{F}:6: a sleep, 'sleeps'; name the state that is waited for",
    ),
    "a time": (
        ("What is held", "After 1.5 s it"),
        f"{F}:6: a time, '1.5 s'; leave the time to the class of the wait; only a protection",
    ),
    "some seconds": (
        ("What is held", "Within seconds it"),
        f"{F}:6: a time, 'seconds'; leave the time to the class of the wait; only a protection",
    ),
    "an empty cell": (
        ("| low | 2   |", "| low |     |"),
        f'{F}:12: cell 2 of the row is empty; write what it means, such as "none"',
    ),
    "a crooked table": (
        ("| low | 2   |", "| low | 2 |"),
        f"{F}:12: the bars of the row are not below those of the row above; align the columns",
    ),
    "no row": (
        ("        | 1   |\n        | 3   |\n", ""),
        f"{F}:23: Examples without a row: 'A Job of <cpu> cpu waits' is not run; add a row or",
    ),
    "no column": (
        ("        | cpu |\n        | 1", "        | cpus |\n        | 1"),
        f"{F}:24: the Examples have no column for <cpu>; add the column cpu or correct the name",
    ),
    "an argument's name": (
        ("of <cpu> cpu waits\n      When a Job asks for <cpu> cpu\n", "of <size> cpu\n"),
        f"{F}:4: <size> is also what {S}:4 calls an argument; name the outline's column",
    ),
    "no Gherkin": (
        ("  Rule:", "  nonsense\n  Rule:"),
        f"{F}:6: expected: #EOF,",
    ),
}


@pytest.mark.parametrize(("change", "finding"), WRONG_FEATURES.values(), ids=list(WRONG_FEATURES))
def test_something_wrong_in_a_feature_is_found(
    change: tuple[str, str], finding: str, lint: Lint
) -> None:
    old, new = change
    assert old in FEATURE
    feature = FEATURE.replace(old, new, 1)
    if "<size>" in new:
        feature = feature.replace("        | cpu |\n        | 1", "        | size |\n        | 1")
    found = lint(feature)
    assert [line for line in found if line.startswith(finding)], found


WRONG_STEPS = {
    "ambiguous": (
        '\n\n@when(parsers.re("a Job asks for 2 .*"))\ndef asks_two():\n    pass\n',
        f"{F}:13: When 'a Job asks for 2 cpu' fits 2 definitions: {S}:14 and {S}:31; narrow",
    ),
    "unused": (
        '\n\n@then("it is gone")\ndef gone():\n    pass\n',
        f"{S}:31: no feature uses the step gone; use it or remove it",
    ),
    "coroutine": (
        '\n\n@then("it is gone")\nasync def gone():\n    pass\n',
        f"{S}:31: the step gone is a coroutine, which nobody awaits; make it a plain function",
    ),
}


@pytest.mark.parametrize(("added", "finding"), WRONG_STEPS.values(), ids=list(WRONG_STEPS))
def test_something_wrong_in_a_step_is_found(added: str, finding: str, lint: Lint) -> None:
    found = lint(steps=STEPS + added)
    assert [line for line in found if line.startswith(finding)], found


JUDGED = """

from queuecheck.lint import judged_by


def judge(arguments):
    states = [arguments["state"], *(row[0] for row in arguments["datatable"])]
    return next((f"nothing is {state}" for state in states if state != "idle"), "")


@then(parsers.re(r"it is (?P<state>.+)"))
@judged_by(judge)
def state(state):
    pass
"""


@pytest.mark.parametrize(
    ("step", "line"), [("it is idel", 17), ("it is idle\n      | idle |\n      | idel |", 17)]
)
def test_a_step_judges_its_own_words(step: str, line: int, lint: Lint) -> None:
    feature = FEATURE.replace("And it waits 5 s\n", f"And it waits 5 s\n      And {step}\n", 1)
    (found,) = lint(feature, STEPS + JUDGED)
    assert found.startswith(f"{F}:{line}: nothing is idel; correct its words or add them")


def lint_of_the_suite(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["lint", *words])
    return result.exit_code, result.output


def test_the_suite_itself_is_clean() -> None:
    assert lint_of_the_suite() == (0, "")


def test_findings_are_lines_and_exit_code_1(tmp_path: Path) -> None:
    code, told = lint_of_the_suite("--features", str(tmp_path))
    assert code == 1
    assert "KQ-SEQ-01 has no scenario; write one" in told
    assert told.endswith(" findings\n")


def test_a_package_that_is_not_there_is_wrong_usage() -> None:
    code, told = lint_of_the_suite("--steps", "no_such_steps")
    assert code == 2
    assert "No module named 'no_such_steps'" in told
