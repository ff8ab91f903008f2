"""``queuecheck explain``: one requirement, from its sentence to its scenarios."""

from __future__ import annotations

import textwrap

import click

from queuecheck.catalogue import CatalogueError, Level
from queuecheck.cli.suite import read_suite

WIDTH = 100
EPILOG = """\b
Example:
  queuecheck explain KQ-RCL-02"""


@click.command(epilog=EPILOG)
@click.argument("requirement", metavar="ID")
def explain(requirement: str) -> None:
    """Show what a requirement says, where it comes from and which scenarios show it."""
    suite = read_suite()
    try:
        row = suite.catalogue.get(requirement)
    except CatalogueError as error:
        raise click.UsageError(str(error)) from error
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
