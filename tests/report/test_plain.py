"""The model goes into JSON and comes back as it was."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queuecheck.report import Lane, Moment, NotPlain, Report, ScenarioRun, from_plain, to_plain
from queuecheck.report.plain import LONGEST_SHOWN


@settings(max_examples=25)
@given(st.from_type(Report))
def test_every_report_survives_json(report: Report) -> None:
    assert from_plain(Report, json.loads(json.dumps(to_plain(report)))) == report


def test_what_is_as_usual_is_left_out() -> None:
    lane = Lane("Job", "qc", "low-1", "low", moments=(Moment(3, 7, "added"),))
    assert to_plain(lane) == {
        "kind": "Job",
        "namespace": "qc",
        "name": "low-1",
        "alias": "low",
        "moments": [{"ms": 3, "version": 7, "verb": "added"}],
    }


RUN = ScenarioRun(("KQ-QTA-01",), "It counts", "Quota", "", "q.feature", 1, (), "", "passed")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": 3}, "name: not of type str: 3"),
        ({"line": True}, "line: not of type int: True"),
        ({"steps": {}}, "steps: not a list: {}"),
        ({"steps": [{}]}, "steps[0]: missing key keyword"),
        ({"example": []}, "example: not a mapping: []"),
        ({"latencies": {"a": [1, 2.5]}}, "latencies.a[1]: not of type int: 2.5"),
        ({"picture": {}}, "picture: missing key ended"),
        ({"picture": 7}, "picture: not a mapping: 7"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(change: dict[str, object], said: str) -> None:
    with pytest.raises(NotPlain, match=re.escape(said) + "$"):
        from_plain(ScenarioRun, {**to_plain(RUN), **change})


@pytest.mark.parametrize(
    "huge", ["x" * 10**6, ["x" * 99] * 10**4, {str(number): [{}] for number in range(10**4)}]
)
def test_of_what_is_huge_the_beginning_is_told(huge: object) -> None:
    with pytest.raises(NotPlain) as caught:
        from_plain(ScenarioRun, {**to_plain(RUN), "line": huge})
    assert len(str(caught.value)) <= len("line: not of type int: ") + LONGEST_SHOWN


def test_what_a_later_version_has_added_is_passed_over() -> None:
    assert from_plain(ScenarioRun, {**to_plain(RUN), "weather": "fine"}) == RUN


def test_only_a_mapping_is_read() -> None:
    with pytest.raises(NotPlain, match="not a mapping: \\[\\]"):
        from_plain(ScenarioRun, [])
