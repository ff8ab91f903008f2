"""``junit.xml``: one case for each requirement, for the many tools that read such files.

A requirement is a failure where it failed, an error where nobody can tell, and skipped where it did
not run or is known to fail; the message says which of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree as ET

from queuecheck.report.model import NOT_RUN, Report, RequirementRow, ScenarioRun
from queuecheck.verdict import Outcome

ELEMENTS = {
    Outcome.FAILED: "failure",
    Outcome.STALE_BASELINE: "failure",
    Outcome.HARNESS_ERROR: "error",
    Outcome.CLEANUP_ERROR: "error",
    Outcome.ENVIRONMENT: "error",
    Outcome.EXPECTED_FAILURE: "skipped",
    Outcome.SKIPPED: "skipped",
    Outcome.NOT_SUPPORTED: "skipped",
    NOT_RUN: "skipped",
}
# What XML 1.0 cannot hold, not even as a reference.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """The file's text. Of a selection only what was run is in it."""
    rows = [row for row in report.requirements if row.runs or not report.run.selection]
    root = ET.Element("testsuites", _counts(rows), name="queuecheck")
    for area in report.catalogue.areas:
        own = [row for row in rows if row.area == area.code]
        if not own:
            continue
        stamp = report.run.started.removesuffix("Z").partition("+")[0]
        suite = ET.SubElement(
            root, "testsuite", _counts(own), name=f"{area.code}: {area.title}", timestamp=stamp
        )
        _properties(suite, _facts(report))
        for row in own:
            runs = [report.scenarios[number] for number in row.scenarios]
            _case(suite, row, runs, classname=f"{report.catalogue.profile}.{area.code}")
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(
    suite: ET.Element, row: RequirementRow, runs: Iterable[ScenarioRun], *, classname: str
) -> None:
    case = ET.SubElement(
        suite, "testcase", name=row.id, classname=classname, time=f"{row.ms / 1000:.3f}"
    )
    _properties(case, _told(row, runs))
    element = ELEMENTS.get(row.outcome)
    if element is None:
        return
    said = f"{row.outcome}: {row.reason}" if row.reason else row.outcome
    found = ET.SubElement(case, element, message=_clean(said))
    if element != "skipped":
        found.set("type", row.outcome)
        found.text = _clean("\n\n".join(run.failure for run in runs if run.failure))


def _told(row: RequirementRow, runs: Iterable[ScenarioRun]) -> Iterator[tuple[str, str]]:
    yield "level", row.level
    yield "text", row.text
    yield "basis", row.basis
    yield "outcome", row.outcome
    if row.runs:
        yield "passed", f"{row.passed} of {row.runs}"
    for run in runs:
        yield "scenario", f"{run.place} {run.name}: {run.outcome}"


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    yield "verdict", report.judgement.headline
    yield "implementation", report.implementation.title
    yield "run", report.run.id
    for cluster in report.clusters:
        yield "cluster", cluster.reason
    for name, version in report.versions.items():
        yield f"version.{name}", version


def _properties(parent: ET.Element, pairs: Iterable[tuple[str, str]]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in pairs:
        ET.SubElement(properties, "property", name=name, value=_clean(value))


def _counts(rows: Iterable[RequirementRow]) -> dict[str, str]:
    rows = list(rows)
    words = [ELEMENTS.get(row.outcome) for row in rows]
    return {
        "tests": str(len(rows)),
        "failures": str(words.count("failure")),
        "errors": str(words.count("error")),
        "skipped": str(words.count("skipped")),
        "time": f"{sum(row.ms for row in rows) / 1000:.3f}",
    }


def _clean(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
