"""The model goes into JSON and comes back as it was."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queuecheck.report import Lane, Moment, NotPlain, Report, ScenarioRun, from_plain, to_plain


@settings(max_examples=25, deadline=None)
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
        ({"nmae": "x"}, "ScenarioRun: unknown key nmae"),
        ({"name": 3}, "not of type str: 3"),
        ({"line": True}, "not of type int: True"),
        ({"steps": {}}, "not a list: {}"),
        ({"example": []}, "not a mapping: []"),
        ({"picture": {}}, "Picture: missing key ended"),
    ],
)
def test_what_does_not_fit_is_told(change: dict[str, object], said: str) -> None:
    with pytest.raises(NotPlain, match=re.escape(said)):
        from_plain(ScenarioRun, {**to_plain(RUN), **change})


def test_only_a_mapping_is_read() -> None:
    with pytest.raises(NotPlain, match="ScenarioRun: not a mapping"):
        from_plain(ScenarioRun, [])
