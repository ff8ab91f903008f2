"""Whether scenarios can fail: what counts as vacuous, and the list of what is spared."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck.verdict import Outcome, ScenarioResult
from queuecheck.verdict.vacuity import Spared, SparedError, examine, read_spared

SPARED = Spared("jobs.feature", "It gets no unit", ("nothing",), "nobody makes one")
# Outcomes of a requirement, not of a scenario.
KNOWN = {Outcome.EXPECTED_FAILURE, Outcome.STALE_BASELINE}
ENTRY = """
- feature: jobs.feature
  scenarios: [It gets no unit]
  with: [nothing]
  reason: nobody makes one
"""


def result(outcome: Outcome, name: str = "It gets no unit") -> ScenarioResult:
    place = "features/koord-queue/jobs.feature:12"
    return ScenarioResult(("KQ-JOB-17",), outcome, 1, name=name, place=place)


def test_what_fails_is_right() -> None:
    found = examine([result(Outcome.FAILED)], (), implementation="nothing")
    assert (found.failed, found.vacuous, found.stale, found.lost) == (1, (), (), ())


def test_what_passes_is_vacuous_unless_it_is_spared_with_that_controller() -> None:
    passed = result(Outcome.PASSED)
    assert examine([passed], (), implementation="nothing").vacuous == (passed,)
    assert examine([passed], (SPARED,), implementation="another").vacuous == (passed,)
    found = examine([passed], (SPARED,), implementation="nothing")
    assert (found.vacuous, found.spared) == ((), (SPARED,))


def test_what_is_spared_and_fails_is_stale_if_it_was_run_at_all() -> None:
    failed = result(Outcome.FAILED)
    assert examine([failed], (SPARED,), implementation="nothing").stale == (SPARED,)
    assert examine([result(Outcome.FAILED, "b")], (SPARED,), implementation="nothing").stale == ()


def test_of_an_outline_one_row_that_passes_is_enough() -> None:
    runs = [result(Outcome.FAILED), result(Outcome.PASSED)]
    assert examine(runs, (SPARED,), implementation="nothing").stale == ()


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - {Outcome.PASSED, Outcome.FAILED} - KNOWN))
def test_what_found_no_fault_says_nothing(outcome: Outcome) -> None:
    lost = result(outcome)
    found = examine([lost], (SPARED,), implementation="nothing")
    assert (found.lost, found.failed, found.vacuous, found.stale) == ((lost,), 0, (), ())


def test_the_list_is_read_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "spared.yaml"
    file.write_text(ENTRY, encoding="utf-8")
    assert read_spared(file) == (SPARED,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "has to be a list"),
        ("feature: jobs.feature", "has to be a list"),
        (ENTRY + "  since: 1\n", "entry 1 has to have exactly the keys feature, reason, scenarios"),
        (ENTRY.replace("nobody makes one", "''"), "entry 1 has to have exactly the keys"),
        (ENTRY.replace("[nothing]", "nothing"), "entry 1: with has to be a list"),
        ("- [", "spared.yaml:2: not usable YAML: "),
    ],
)
def test_a_list_that_cannot_be_used_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "spared.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SparedError, match=said):
        read_spared(file)


def test_a_list_that_is_not_there_is_named() -> None:
    with pytest.raises(SparedError, match=r"none\.yaml: No such file"):
        read_spared(Path("none.yaml"))
