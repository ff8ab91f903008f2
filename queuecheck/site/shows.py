"""What shows a requirement: its scenarios with their Background, and a run of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from queuecheck.catalogue import Scenario
from queuecheck.report import Report, ScenarioRun
from queuecheck.report.html.lanes import Looks
from queuecheck.report.html.page import comparable
from queuecheck.report.html.scenes import Scene, scene
from queuecheck.site.gherkin import Link, highlight

BACKGROUND = "background"


@dataclass(frozen=True)
class Source:
    """The text of a feature file and its Feature, as Cucumber's parser gives it."""

    text: str
    feature: Mapping[str, Any]


@dataclass(frozen=True)
class Show:
    """A scenario as it is written, and as it was played: None where no report has it."""

    scenario: Scenario
    background: Markup
    text: Markup
    scene: Scene | None
    report: Report | None


def show(
    scenario: Scenario,
    source: Source | None,
    reports: Sequence[Report],
    looks: Looks,
    *,
    key: str,
    link: Link,
) -> Show:
    """Of several reports the first that has a picture of the scenario is shown."""
    found = next(iter(_runs(scenario, reports)), None)
    report, run = found or (None, None)
    played = None
    if run is not None and report is not None:
        played = scene(run, looks, key=key, ordered=comparable(report))
    background = "" if source is None else "\n\n".join(_backgrounds(source, scenario.line))
    return Show(
        scenario=scenario,
        background=highlight(background, link),
        text=highlight(scenario.text, link),
        scene=played,
        report=report,
    )


def _runs(scenario: Scenario, reports: Sequence[Report]) -> Iterator[tuple[Report, ScenarioRun]]:
    """Those with a picture; where the scenario stands may have changed since, its name has not."""
    for report in reports:
        for run in report.scenarios:
            same = (run.file, run.name) == (scenario.file, scenario.name)
            if same and run.picture is not None:
                yield report, run


def _backgrounds(source: Source, line: int) -> Iterator[str]:
    """Those that hold for the scenario of that line: its Feature's and its Rule's."""
    lines = source.text.splitlines()
    for node in _around(source.feature, line):
        for child in node["children"]:
            if BACKGROUND in child:
                first = int(child[BACKGROUND]["location"]["line"])
                yield _dedented(lines[first - 1 : _end(node, first, lines)])


def _around(feature: Mapping[str, Any], line: int) -> Iterator[Mapping[str, Any]]:
    yield feature
    rules = [child["rule"] for child in feature["children"] if "rule" in child]
    before = [rule for rule in rules if int(rule["location"]["line"]) < line]
    yield from before[-1:]


def _end(node: Mapping[str, Any], first: int, lines: Sequence[str]) -> int:
    """The line before the next child, with its tags."""
    starts = []
    for child in node["children"]:
        (found,) = child.values()
        places = [found["location"], *(tag["location"] for tag in found.get("tags") or ())]
        starts.append(min(int(place["line"]) for place in places))
    return min((start - 1 for start in starts if start > first), default=len(lines))


def _dedented(lines: Sequence[str]) -> str:
    kept = [line.rstrip() for line in lines]
    while kept and (not kept[-1] or kept[-1].lstrip().startswith("#")):
        kept.pop()
    margin = min((len(line) - len(line.lstrip()) for line in kept if line), default=0)
    return "\n".join(line[margin:] for line in kept)
