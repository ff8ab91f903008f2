"""``queuecheck verify``, ``compare`` and ``matrix``: what reports say, without running anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from queuecheck import resources
from queuecheck.catalogue import Catalogue, load_catalogue
from queuecheck.profiles import profile_names
from queuecheck.report import Report
from queuecheck.report.document import ReportError, read_document, read_report
from queuecheck.report.text import on_a_line

REFUSED = 1
PARTIAL = 5
DIGEST = "by its digest, which is no signature"
REPORT = click.Path(path_type=Path)


@click.command(
    epilog="""\b
Examples:
  queuecheck verify reports
  queuecheck verify reports/report.json

\b
Exit codes:
  0 whole and unchanged, whatever its verdict   1 something in it is wrong or was changed
  2 no report                                   5 unchanged, but a MUST has no result,
                                                  or ran only in part"""
)
@click.argument("report", type=REPORT)
def verify(report: Path) -> int:
    """Say whether a report is whole, unchanged, and right about its own results.

    It is held against its schema, its digest and the catalogue, and its verdict is derived anew.
    The digest is no signature: it finds accidents, and nobody who means to deceive.
    """
    from queuecheck.report.verify import told, verify  # noqa: PLC0415 - only to verify

    document = _document(report)
    found = verify(document, _catalogue(document))
    for line in told(found):
        click.echo(on_a_line(line))
    if found.wrong:
        click.secho(f"refused: {report}", bold=True, fg="red")
        return REFUSED
    assert found.report is not None
    title, headline = found.report.implementation.title, found.report.judgement.headline
    click.echo(on_a_line(f"{title}: {headline}"))
    if found.incomplete:
        click.secho(f"unchanged, but incomplete: {report} ({DIGEST})", bold=True, fg="yellow")
        return PARTIAL
    click.secho(f"whole and unchanged: {report} ({DIGEST})", bold=True, fg="green")
    return 0


@click.command(
    epilog="""\b
Example:
  queuecheck compare before/report.json reports

\b
Exit codes:
  0 nothing became worse   1 something did   2 no report"""
)
@click.argument("before", type=REPORT)
@click.argument("after", type=REPORT)
def compare(before: Path, after: Path) -> int:
    """Say what became better or worse from one report to another."""
    from queuecheck.report import comparison  # noqa: PLC0415 - only here

    old, new = _report(before), _report(after)
    for line in (*comparison.sides(old, new), *comparison.differences(old, new)):
        click.echo(on_a_line(line))
    found = comparison.changes(old, new)
    for kind, words, colour in (
        ("worse", "worse", "red"),
        ("better", "better", "green"),
        ("changed", "changed, neither worse nor better", "yellow"),
    ):
        some = [change for change in found if change.kind == kind]
        if some:
            click.secho(f"{words} ({len(some)}):", bold=True, fg=colour)
        for line in comparison.told(some):
            click.echo(on_a_line(line))
    if not found:
        click.echo(f"no outcome differs, of {len(new.requirements)} requirements")
    return REFUSED if any(change.kind == "worse" for change in found) else 0


@click.command(
    epilog="""\b
Examples:
  queuecheck matrix reports upstream/report.json
  queuecheck matrix --by area --format text reports upstream/report.json"""
)
@click.argument("reports", type=REPORT, nargs=-1, required=True, metavar="REPORT...")
@click.option(
    "--by",
    type=click.Choice(("requirement", "area")),
    default="requirement",
    show_default=True,
    help="What a row is.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(("markdown", "text")),
    default="markdown",
    show_default=True,
    help="What the table is written as.",
)
def matrix(reports: tuple[Path, ...], by: str, layout: str) -> None:
    """Put reports side by side, a column each."""
    from queuecheck.report import matrix as table  # noqa: PLC0415 - only here

    found = [_report(file) for file in reports]
    for line in table.unlike(
        [(str(file), report) for file, report in zip(reports, found, strict=True)]
    ):
        click.echo(f"queuecheck: {line}", err=True)
    cells = table.rows(found, by=by)
    click.echo((table.as_markdown if layout == "markdown" else table.as_text)(cells), nl=False)


def _report(file: Path) -> Report:
    try:
        return read_report(file)
    except ReportError as error:
        raise click.UsageError(str(error)) from error


def _document(file: Path) -> dict[str, Any]:
    try:
        return read_document(file)
    except ReportError as error:
        raise click.UsageError(str(error)) from error


def _catalogue(document: dict[str, Any]) -> Catalogue | None:
    """The catalogue of the report's profile; None where this version has no such profile."""
    stated = document.get("catalogue")
    profile = stated.get("profile") if isinstance(stated, dict) else None
    if profile not in profile_names():
        return None
    return load_catalogue(resources.catalogue_file(str(profile)))
