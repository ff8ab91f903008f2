"""All pages of the site, as texts by file name.

The index has the matrix of requirements and implementations; the page of words what the features
mean by theirs; an area's page its requirements in full; a requirement's page what it says, where it
comes from, the scenarios that show it, what came of it for each implementation, and what was seen
in a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from queuecheck.catalogue import Area, Catalogue, Requirement, Scenario
from queuecheck.report import NOT_RUN, Report, RequirementRow
from queuecheck.report.html.lanes import Looks
from queuecheck.report.html.outcomes import Shown, outcome, verdict
from queuecheck.report.html.templates import render
from queuecheck.report.matrix import titles
from queuecheck.site.shows import Source, show

INDEX = "index.html"
STYLE = "style.css"
WORDS = "words.html"


@dataclass(frozen=True)
class Judged:
    """What came of a requirement for one implementation, by the name of its column."""

    name: str
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

    @property
    def fault(self) -> bool:
        """Whether something is wrong with it for somebody."""
        return any(map(_is_fault, self.judged))


@dataclass(frozen=True)
class Chapter:
    """An area with its page and its requirements."""

    area: Area
    page: str
    rows: tuple[Row, ...]

    @property
    def anchor(self) -> str:
        """Its place in the index."""
        return self.page.removesuffix(".html")

    @property
    def faults(self) -> int:
        """With how many of its requirements something is wrong for somebody."""
        return sum(row.fault for row in self.rows)


def site(
    catalogue: Catalogue,
    scenarios: Sequence[Scenario],
    sources: Mapping[str, Source],
    reports: Sequence[Report],
    looks: Looks,
    *,
    title: str,
    words: str,
) -> dict[str, str]:
    """``sources`` are the feature files by the name that scenarios give them, ``looks`` by kind.

    ``words`` is Markdown of ours: what the words of the features mean.

    The first report is the one whose runs are shown.
    """
    names = _names(reports)
    columns = list(zip(names, reports, strict=True))
    rows = {row.id: _row(row, scenarios, columns) for row in catalogue.standing}
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
        "names": names,
        "titles": tuple(titles(reports)),
        "places": {name: row.page for name, row in rows.items()},
        "unnamed": [
            _unnamed(report, [row for row in rows.values() if _is_fault(row.judged[number])])
            for number, report in enumerate(reports)
        ],
        "verdicts": [verdict(each.judgement.verdict) for each in reports],
    }
    pages = {
        INDEX: render("site/index.html", **shared, total=len(rows)),
        STYLE: render("site/style.css"),
        WORDS: render("site/words.html", **shared, words=_from_markdown(words)),
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


def _from_markdown(text: str) -> Markup:
    return Markup(MarkdownIt("commonmark", {"html": False}).render(text))  # noqa: S704 - no HTML


def _names(reports: Sequence[Report]) -> tuple[str, ...]:
    """Headings of columns, short where that tells them apart."""
    short = tuple(report.implementation.name for report in reports)
    return short if len(set(short)) == len(short) else tuple(titles(reports))


def _unnamed(report: Report, faults: Sequence[Row]) -> Sequence[Row]:
    """What is wrong, where the headline does not name all of it."""
    named = report.judgement.headline
    return faults if any(row.requirement.id not in named for row in faults) else ()


def _is_fault(judged: Judged) -> bool:
    return judged.shown.mood == "bad"


def _row(
    row: Requirement, scenarios: Sequence[Scenario], columns: Sequence[tuple[str, Report]]
) -> Row:
    return Row(
        requirement=row,
        page=f"{row.id.lower()}.html",
        judged=tuple(_judged(name, report, row.id) for name, report in columns),
        scenarios=tuple(each for each in scenarios if row.id in each.requirements),
    )


def _judged(name: str, report: Report, requirement: str) -> Judged:
    found: RequirementRow | None = next(
        (each for each in report.requirements if each.id == requirement), None
    )
    return Judged(
        name=name,
        report=report,
        shown=outcome(NOT_RUN if found is None else found.outcome),
        reason="" if found is None else found.reason,
    )
