"""All pages of the site, as texts by file name.

The index has the matrix of requirements and implementations; an area's page its requirements in
full; a requirement's page what it says, where it comes from, the scenarios that show it, what came
of it for each implementation, and what was seen in a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from queuecheck.catalogue import Area, Catalogue, Requirement, Scenario
from queuecheck.report import NOT_RUN, Report, RequirementRow
from queuecheck.report.html.lanes import Looks
from queuecheck.report.html.outcomes import Shown, outcome, verdict
from queuecheck.report.html.templates import render
from queuecheck.site.shows import Source, show

INDEX = "index.html"
STYLE = "style.css"


@dataclass(frozen=True)
class Judged:
    """What came of a requirement for one implementation."""

    report: Report
    shown: Shown
    reason: str


@dataclass(frozen=True)
class Row:
    """A requirement with its page, and what came of it, an entry for each report."""

    requirement: Requirement
    page: str
    judged: tuple[Judged, ...]
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True)
class Chapter:
    """An area with its page and its requirements."""

    area: Area
    page: str
    rows: tuple[Row, ...]


def site(
    catalogue: Catalogue,
    scenarios: Sequence[Scenario],
    sources: Mapping[str, Source],
    reports: Sequence[Report],
    looks: Looks,
    *,
    title: str,
) -> dict[str, str]:
    """``sources`` are the feature files by the name that scenarios give them, ``looks`` by kind.

    The first report is the one whose runs are shown.
    """
    rows = {row.id: _row(row, scenarios, reports) for row in catalogue.standing}
    chapters = tuple(
        Chapter(
            area,
            f"area-{code.lower()}.html",
            tuple(row for row in rows.values() if row.requirement.area == code),
        )
        for code, area in catalogue.areas.items()
    )
    shared: dict[str, Any] = {
        "title": title,
        "chapters": chapters,
        "reports": reports,
        "verdicts": [verdict(each.judgement.verdict) for each in reports],
    }
    pages = {
        INDEX: render("site/index.html", **shared, total=len(rows)),
        STYLE: render("site/style.css"),
    }

    def link(tag: str) -> str | None:
        return rows[tag].page if tag in rows else None

    for chapter in chapters:
        pages[chapter.page] = render("site/area.html", **shared, chapter=chapter)
        neighbours = [None, *chapter.rows, None]
        for before, row, after in zip(neighbours, chapter.rows, neighbours[2:], strict=False):
            shows = [
                show(each, sources.get(each.file), reports, looks, key=f"p{number}", link=link)
                for number, each in enumerate(row.scenarios)
            ]
            pages[row.page] = render(
                "site/requirement.html", **shared, chapter=chapter, row=row, shows=shows,
                before=before, after=after,
            )  # fmt: skip
    return pages


def _row(row: Requirement, scenarios: Sequence[Scenario], reports: Sequence[Report]) -> Row:
    return Row(
        requirement=row,
        page=f"{row.id.lower()}.html",
        judged=tuple(_judged(report, row.id) for report in reports),
        scenarios=tuple(each for each in scenarios if row.id in each.requirements),
    )


def _judged(report: Report, name: str) -> Judged:
    found: RequirementRow | None = next(
        (each for each in report.requirements if each.id == name), None
    )
    return Judged(
        report=report,
        shown=outcome(NOT_RUN if found is None else found.outcome),
        reason="" if found is None else found.reason,
    )
