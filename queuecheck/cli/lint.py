"""``queuecheck lint``: whether features, catalogue and steps are as they have to be."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from queuecheck import resources
from queuecheck.catalogue import CatalogueError, Vocabulary, load_catalogue
from queuecheck.cli.suite import PROFILE
from queuecheck.cluster.words import CAPABILITIES

FINDINGS = 1
EPILOG = """\b
Examples:
  queuecheck lint
  queuecheck lint --features mine/features --steps mine_steps

\b
What is examined:
  every requirement has a scenario; every scenario one ID, and its row's level
  every tag is known; every Feature carries the profile's
  names of scenarios are unique in their file, also across Rules
  every step, with each row of an outline, fits exactly one definition, and the words for
    states in it mean something
  no definition is unused, or a coroutine; no outline column has the name of a step's argument
  a Background has only Given and at most 4 steps, its Rule's and its Feature's together
    (a table or a docstring belongs to its step and does not count)
  a file has at most 150 lines
  no jsonpath, word of HTTP or sleep; no time, unless the line or the scenario is about protection
  no empty cell, no Examples without a row, no unused or missing column

\b
Exit codes:
  0 nothing found    1 findings, one a line    2 usage"""


@click.command(epilog=EPILOG)
@click.option(
    "--features",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The feature files (those of the suite).",
)
@click.option(
    "--steps",
    multiple=True,
    default=("steps",),
    metavar="PACKAGE",
    help="Where steps are defined; may be repeated (steps).",
)
def lint(features: Path | None, steps: tuple[str, ...]) -> None:
    """Find what is wrong with features and steps, without running any. Needs no cluster.

    Each finding is one line: FILE:LINE: what; what to do.
    """
    from queuecheck.lint import Suite, examine  # noqa: PLC0415 - only to lint
    from queuecheck.profiles import load_profile  # noqa: PLC0415 - only to lint

    file = resources.catalogue_file(PROFILE)
    root = (features or resources.features_root()).resolve()
    try:
        words = Vocabulary.of(load_catalogue(file), load_profile(PROFILE), CAPABILITIES)
        problems = examine(Suite(root, steps, file, words))
    except (CatalogueError, ImportError) as error:
        raise click.UsageError(str(error)) from error
    for problem in problems:
        click.echo(str(problem))
    if problems:
        click.echo(f"{len(problems)} findings", err=True)
        sys.exit(FINDINGS)
