"""``queuecheck list``: what would run against an implementation, and what would not and why."""

from __future__ import annotations

from pathlib import Path

import click

from queuecheck.catalogue import Scenario, wrong_entries
from queuecheck.cli.configured import settle
from queuecheck.cli.lazy import Refused
from queuecheck.cli.run import run
from queuecheck.cli.suite import needs_of, read_descriptor, read_suite
from queuecheck.cluster.words import CAPABILITIES
from queuecheck.implementation import Descriptor

EPILOG = """\b
Examples:
  queuecheck list
  queuecheck list --implementation mine.yaml
  queuecheck list --uncovered"""


@click.command("list", epilog=EPILOG)
@click.option(
    "--implementation",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Descriptor of the implementation (what the settings of run say, else the reference "
    "controller).",
)
@click.option("--uncovered", is_flag=True, help="Name the requirements that have no scenario yet.")
@click.pass_context
def list_scenarios(ctx: click.Context, /, *, uncovered: bool, **_: object) -> None:
    """Say what would run and why not. Needs no cluster."""
    suite = read_suite()
    file = settle(ctx, of=run)["implementation"].value
    descriptor = read_descriptor(file if isinstance(file, Path) else None)
    if wrong := "; ".join(wrong_entries(descriptor.baseline, suite.catalogue)):
        raise Refused(f"implementation {descriptor.name}: {wrong}")
    if uncovered:
        for row in suite.catalogue.standing:
            if row.id not in suite.covered:
                click.echo(f"{row.id:<11} {row.level.upper():<6} {row.text}")
        return
    order = {name: number for number, name in enumerate(suite.catalogue.requirements)}
    scenarios = sorted(
        suite.scenarios, key=lambda each: [order.get(name, -1) for name in each.requirements]
    )
    refused = 0
    for scenario in scenarios:
        _write(scenario, descriptor)
        refused += _why_not(scenario, descriptor) is not None
    click.echo()
    size = len(suite.catalogue.standing)
    click.echo(f"{len(scenarios)} scenarios for {len(suite.covered)} of {size} requirements")
    click.echo(f"{len(scenarios) - refused} run against {descriptor.title}, {refused} do not")


def _write(scenario: Scenario, descriptor: Descriptor) -> None:
    level = next((word for word in ("must", "should", "may") if word in scenario.words), "")
    ids = ", ".join(scenario.requirements)
    click.echo(f"{ids:<11} {level.upper():<6} {scenario.name}")
    needs = needs_of(scenario)
    details = [f"needs {', '.join(needs)}"] if needs else []
    reason = _why_not(scenario, descriptor)
    if reason is not None:
        details.append(f"does not run: {reason}")
    click.echo(f"{'':<18} {'; '.join([scenario.place, *details])}")


def _why_not(scenario: Scenario, descriptor: Descriptor) -> str | None:
    for need in needs_of(scenario):
        if need not in descriptor.features and need not in CAPABILITIES:
            return f"{descriptor.name} has no {need}"
    return None
