"""What is measured from pictures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuecheck.profiles import load_profile
from queuecheck.report import Lane, Latency, Moment, Picture
from queuecheck.report.latency import (
    MARK_RECLAIMED,
    SUBMIT_ADMIT,
    SUBMIT_MARK,
    measure,
    percentile,
    summarise,
)

TIMING = load_profile("koord-queue").timing


def job(name: str, ms: int) -> Lane:
    return Lane("Job", "qc", name, name, moments=(Moment(ms, ms, "added"),))


def unit(name: str, *moments: tuple[int, dict[str, str]], owner: str = "") -> Lane:
    seen = tuple(Moment(ms, ms, "modified", shown) for ms, shown in moments)
    return Lane("QueueUnit", "qc", name, name, owner=owner, moments=seen)


def measured(*lanes: Lane) -> dict[str, tuple[int, ...]]:
    return measure(Picture(ended=9999, lanes=lanes), TIMING)


def test_from_submission_to_the_first_admission() -> None:
    low = unit("low", (110, {"phase": "Enqueued"}), (150, {"holds": "0, 2"}), (190, {"holds": "2"}))
    assert measured(job("low", 100), low) == {SUBMIT_ADMIT: (50,)}


def test_a_unit_is_known_by_its_owner_too() -> None:
    assert measured(job("low", 100), unit("low-qu", (150, {"holds": "1"}), owner="Job/low")) == {
        SUBMIT_ADMIT: (50,)
    }


def test_what_was_refused_once_waits_for_others() -> None:
    low = unit("low", (110, {"message": "no room"}), (900, {"holds": "2"}))
    assert measured(job("low", 100), low) == {}


def test_from_the_last_submission_to_the_mark_and_on_to_its_end() -> None:
    low = unit("low", (300, {"holds": "2", "marked": "1"}), (340, {"holds": "1"}))
    assert measured(job("low", 10), job("urgent", 250), low) == {
        SUBMIT_ADMIT: (290,),
        SUBMIT_MARK: (50,),
        MARK_RECLAIMED: (40,),
    }


def test_a_mark_that_never_ends_has_no_length() -> None:
    low = unit("low", (300, {"marked": "1"}))
    assert measured(job("urgent", 250), low) == {SUBMIT_MARK: (50,)}


def test_what_was_there_before_the_scenario_was_not_submitted() -> None:
    old = Lane("Job", "qc", "low", "low", moments=(Moment(0, 1, "listed"),))
    assert measured(old, unit("low", (150, {"holds": "1"}))) == {}


def test_a_summary_is_over_all_scenarios() -> None:
    runs: list[dict[str, tuple[int, ...]]] = [
        {SUBMIT_MARK: (10, 30)},
        {SUBMIT_MARK: (20,)},
        {},
    ]
    assert summarise(runs) == (Latency(SUBMIT_MARK, 3, 20, 30),)


@given(st.lists(st.integers(), min_size=1), st.integers(1, 100))
def test_every_percentile_is_a_value_that_so_many_do_not_exceed(
    values: list[int], percent: int
) -> None:
    found = percentile(values, percent)
    assert found in values
    assert sum(value <= found for value in values) * 100 >= percent * len(values)
    assert sum(value < found for value in values) * 100 < percent * len(values)


@pytest.mark.parametrize(("percent", "value"), [(50, 5), (95, 10), (100, 10)])
def test_percentiles_of_ten(percent: int, value: int) -> None:
    assert percentile(range(1, 11), percent) == value
