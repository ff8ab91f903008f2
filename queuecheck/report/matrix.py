"""Several reports side by side, a column each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from queuecheck.report.markdown import WORDS, table
from queuecheck.report.model import NOT_RUN, Report
from queuecheck.report.text import on_a_line
from queuecheck.verdict import Outcome

LEVELS = ("must", "should", "may")


def rows(reports: Sequence[Report], *, by: str) -> list[list[str]]:
    """A heading; verdict and what passed; then a row for each requirement or ``by`` area."""
    body = [
        ["requirement" if by == "requirement" else "area", *titles(reports)],
        ["verdict", *(report.judgement.verdict for report in reports)],
        *(
            [f"{level.upper()} passed", *(_met(each, level=level) for each in reports)]
            for level in LEVELS
        ),
    ]
    body += _by_area(reports) if by == "area" else _by_requirement(reports)
    return [[on_a_line(cell) for cell in row] for row in body]


def unlike(named: Sequence[tuple[str, Report]]) -> Iterator[str]:
    """Which reports, by name, are held against something else than the first; a line each."""
    (first, one), *others = named
    for name, other in others:
        profile = other.catalogue.profile
        if profile != one.catalogue.profile:
            yield on_a_line(f"{name}: of profile {profile}, not {one.catalogue.profile} as {first}")
        elif _meaning(other) != _meaning(one):
            yield on_a_line(
                f"{name}: of another catalogue than {first}; an ID may mean other things"
            )


def as_markdown(cells: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(table(cells[0], cells[1:])).rstrip() + "\n"


def as_text(cells: Sequence[Sequence[str]]) -> str:
    """Columns of equal width."""
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join(lines) + "\n"


def titles(reports: Sequence[Report]) -> Iterator[str]:
    """Who was judged, and of which run it is where that alone does not tell them apart."""
    titles = Counter(report.implementation.title for report in reports)
    for report in reports:
        title = report.implementation.title
        yield title if titles[title] == 1 else f"{title}, run {report.run.id}"


def _meaning(report: Report) -> tuple[str, Mapping[str, str]]:
    return report.catalogue.digest, {row.id: row.level for row in report.requirements}


def _met(report: Report, *, level: str = "", area: str = "") -> str:
    asked = [
        row
        for row in report.requirements
        if (not level or row.level == level) and (not area or row.area == area)
    ]
    passed = sum(row.outcome in {Outcome.PASSED, Outcome.STALE_BASELINE} for row in asked)
    left = sum(row.outcome == NOT_RUN for row in asked)
    if asked and left == len(asked):
        return WORDS[NOT_RUN]
    return f"{passed} of {len(asked)}" + (f", {left} {WORDS[NOT_RUN]}" if left else "")


def _by_area(reports: Sequence[Report]) -> Iterator[list[str]]:
    titles = {area.code: area.title for each in reports for area in each.catalogue.areas}
    for code, title in titles.items():
        yield [title, *(_met(report, area=code) for report in reports)]


def _by_requirement(reports: Sequence[Report]) -> Iterator[list[str]]:
    found = [{row.id: row.outcome for row in report.requirements} for report in reports]
    levels = {row.id: row.level for report in reports for row in report.requirements}
    for name, level in levels.items():
        # Another version of the suite may know outcomes that this one does not.
        told = [
            WORDS.get(outcome, outcome) for outcome in (each.get(name, NOT_RUN) for each in found)
        ]
        yield [f"{name} ({level.upper()})", *told]
