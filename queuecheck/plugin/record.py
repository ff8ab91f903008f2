"""How a run of a scenario travels from where it runs to where all of them are judged.

pytest copies ``user_properties`` with every report, through pytest-xdist too, as long as they are
plain data; so a record goes as JSON. One report carries at most one, under our own key. What is
known to be secret has been masked before it leaves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from queuecheck.report import ClusterFacts, ScenarioRun, from_plain, to_plain
from queuecheck.secrecy import Secrets
from queuecheck.verdict import Outcome, worst

KEY = "queuecheck"
# Where a worker tells what it could not take down when its session ended.
LEFT = "queuecheck_left"
# And what a process that has no summary elsewhere tells: that it was broken off.
BROKEN_OFF = pytest.StashKey[str]()


@dataclass(frozen=True)
class Record:
    """What one phase of a scenario came to, and on which cluster."""

    run: ScenarioRun
    cluster: ClusterFacts


def attach(report: pytest.TestReport, record: Record, secrets: Secrets) -> None:
    """Puts the record on the report."""
    text = json.dumps(secrets.masked(to_plain(record), keys=False), ensure_ascii=False)
    report.user_properties.append((KEY, text))


def of(report: pytest.TestReport) -> Record | None:
    """The record on a report, or None if it has none."""
    for key, value in report.user_properties:
        if key == KEY:
            return from_plain(Record, json.loads(str(value)))
    return None


def joined(first: ScenarioRun | None, later: ScenarioRun) -> ScenarioRun:
    """One run of two phases: the fuller account of it, with the worse ending."""
    if first is None:
        return later
    fuller = later if len(later.steps) > len(first.steps) else first
    outcome = worst(Outcome(run.outcome) for run in (first, later))
    ending = first if first.outcome == outcome else later
    return replace(
        fuller,
        outcome=str(outcome),
        reason=ending.reason,
        failure="\n".join(run.failure for run in (first, later) if run.failure),
        evidence=first.evidence or later.evidence,
    )
