"""``queuecheck explain``: one requirement, from its sentence to its scenarios."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from queuecheck.catalogue import CatalogueError, Level
from queuecheck.cli.configured import report_of
from queuecheck.cli.suite import read_suite
from queuecheck.report import NOT_RUN
from queuecheck.report.document import ReportError, read_document
from queuecheck.report.text import on_a_line

WIDTH = 100
EPILOG = """\b
Examples:
  queuecheck explain KQ-RCL-02
  queuecheck explain KQ-RCL-02 --report upstream/report.json"""


@click.command(epilog=EPILOG)
@click.argument("requirement", metavar="ID")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="Whose result is shown (that of the last run, where there is one).",
)
@click.pass_context
def explain(ctx: click.Context, /, requirement: str, **_: object) -> None:
    """Show what a requirement says, its basis, the scenarios that show it and its last result."""
    suite = read_suite()
    try:
        row = suite.catalogue.get(requirement)
    except CatalogueError as error:
        raise click.UsageError(str(error)) from error
    # Before the first word: where the report is none, half an answer is no answer.
    result = [] if row.level is Level.WITHDRAWN else list(_result(row.id, *report_of(ctx)))
    area = suite.catalogue.areas[row.area]
    click.secho(f"{row.id}  {row.level.upper()}  {area.title}", bold=True)
    click.echo()
    if row.level is Level.WITHDRAWN:
        click.echo(f"Withdrawn: {row.text}. The ID is not used again.")
        return
    click.echo(textwrap.fill(row.text, WIDTH, break_on_hyphens=False))
    click.echo()
    click.echo(f"Basis: {row.origin}")
    if row.needs:
        click.echo(f"Needs: {', '.join(row.needs)}")
    click.echo(f"Since: {row.since}")
    for line in result:
        click.echo(line)
    scenarios = [each for each in suite.scenarios if row.id in each.requirements]
    if not scenarios:
        click.echo()
        click.echo("No scenario shows it in this version of the suite.")
    for scenario in scenarios:
        click.echo()
        click.secho(scenario.place, fg="cyan")
        if scenario.rule is not None:
            click.echo(f"Rule: {scenario.rule}")
        click.echo()
        click.echo(textwrap.indent(scenario.text, "  "))


def _result(name: str, file: Path, named: bool) -> Iterator[str]:
    """The line of the result in a report. Only one that was named has to be there, and usable."""
    try:
        document = read_document(file)
        row = next(row for row in document["requirements"] if row["id"] == name)
        run = document["run"]["id"], document["run"]["started"]
        who = document["implementation"]["name"], document["implementation"]["version"]
    except (ReportError, LookupError, TypeError, StopIteration) as error:
        if not named:
            return
        reason = str(error) if isinstance(error, ReportError) else f"{file}: no result of {name}"
        raise click.UsageError(reason) from error
    outcome = row.get("outcome", NOT_RUN)
    said = f": {row['reason']}" if row.get("reason") else ""
    passed = f", {row.get('passed', 0)} of {row['runs']} passed" if "runs" in row else ""
    title = " ".join(map(str, who))
    yield on_a_line(f"Last result: {outcome}{said}{passed} ({title}, run {run[0]} of {run[1]})")
