"""``junit.xml``: one case for each requirement, for the many tools that read such files.

A requirement is a failure where it failed, an error where nobody can tell, and skipped where it did
not run or is known to fail; the message says which of these. Where the exit code is not 0 and
nothing of this is a failure or an error, a case for the verdict is one, so that nobody sees green.
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
WRONG = frozenset({"failure", "error"})
VERDICT = "verdict"
# What XML 1.0 cannot hold, not even as a reference.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """The file's text. Of a selection only what was run is in it."""
    rows = [row for row in report.requirements if row.runs or not report.run.selection]
    root = ET.Element("testsuites", name="queuecheck")
    for area in report.catalogue.areas:
        own = [row for row in rows if row.area == area.code]
        if not own:
            continue
        suite = _suite(root, report, name=f"{area.code}: {area.title}")
        for row in own:
            runs = [report.scenarios[number] for number in row.scenarios]
            _case(suite, row, runs, classname=f"{report.catalogue.profile}.{area.code}")
    if report.judgement.exit_code and not {case.tag for case in root.iterfind("*/*/*")} & WRONG:
        _verdict(_suite(root, report, name=VERDICT), report)
    for suite in (*root, root):
        _count(suite)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(root: ET.Element, report: Report, *, name: str) -> ET.Element:
    stamp = report.run.started.removesuffix("Z").partition("+")[0]
    suite = ET.SubElement(root, "testsuite", name=name, timestamp=stamp)
    _properties(suite, _facts(report))
    return suite


def _verdict(suite: ET.Element, report: Report) -> None:
    said = report.judgement
    case = ET.SubElement(
        suite, "testcase", name=VERDICT, classname=report.catalogue.profile, time="0.000"
    )
    found = ET.SubElement(case, "error", type=said.verdict, message=_clean(said.headline))
    beside = [f"{name} failed beside the scenarios" for name in report.run.failed_beside]
    found.text = _clean("\n".join([*said.notes, *beside, f"exit code {said.exit_code}"]))


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


def _count(suite: ET.Element) -> None:
    """How many cases are in it, or in its suites, and how many of them are what."""
    cases = list(suite.iter("testcase"))
    kinds = [child.tag for case in cases for child in case]
    suite.set("tests", str(len(cases)))
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(kinds.count(kind)))
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")


def _clean(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
