"""How a result travels from where a scenario runs to where the run is judged.

pytest copies ``user_properties`` with every report, through pytest-xdist too, as long as they are
plain data; so a record goes as JSON. One report carries at most one result, under our own key.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import pytest

from queuecheck.verdict import Outcome, ScenarioResult

KEY = "queuecheck"


@dataclass(frozen=True)
class Record:
    """A result and where it comes from. ``stage`` says which cluster it was and why."""

    result: ScenarioResult
    stage: str
    implementation: str


def attach(report: pytest.TestReport, record: Record) -> None:
    """Puts the record on the report."""
    report.user_properties.append((KEY, json.dumps(asdict(record))))


def of(report: pytest.TestReport) -> Record | None:
    """The record on a report, or None if it has none."""
    for key, value in report.user_properties:
        if key == KEY:
            return _record(json.loads(str(value)))
    return None


def _record(value: dict[str, Any]) -> Record:
    result = value["result"]
    return Record(
        result=ScenarioResult(
            **{
                **result,
                "requirements": tuple(result["requirements"]),
                "outcome": Outcome(result["outcome"]),
            }
        ),
        stage=value["stage"],
        implementation=value["implementation"],
    )
