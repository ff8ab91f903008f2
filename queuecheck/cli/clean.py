"""``queuecheck clean``: takes away what runs have left on a cluster that goes on without them."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from queuecheck.cli.suite import PROFILE
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.profiles import Profile, load_profile

if TYPE_CHECKING:
    from queuecheck.kube import Api
    from queuecheck.world.remains import Remnant

USAGE = 2
ENVIRONMENT = 3


@click.command(
    epilog="""\b
Examples:
  queuecheck clean --kubeconfig kc.yaml --context staging
  queuecheck clean --kubeconfig kc.yaml --context staging --run x7k2p --yes

\b
Exit codes:
  0 nothing is left    2 usage, or not agreed to    3 something is left, and why"""
)
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="How the cluster is reached; never taken from the environment.",
)
@click.option(
    "--context",
    required=True,
    metavar="NAME",
    help="The context in that file; never its current one.",
)
@click.option("--run", metavar="ID", help="Only what this run has made.  [default: every run]")
@click.option("--yes", is_flag=True, help="Do not ask.")
def clean(*, kubeconfig: Path, context: str, run: str | None, yes: bool) -> None:
    """Take away what killed runs have left on an existing cluster.

    Shows it first, and asks. Goes by the run's label: what does not carry it, and is in no
    namespace that does, stays, but for Queues that the implementation has made for the run's
    quotas. Deployments that a run has changed become as they were.
    """
    from queuecheck.kube import ApiError, KubeconfigError  # noqa: PLC0415 - takes half a second
    from queuecheck.world.examination import connect  # noqa: PLC0415

    choice = ClusterChoice("existing", kubeconfig, context)
    profile = load_profile(PROFILE)
    try:
        api = connect(choice, user_agent="queuecheck-clean")
    except KubeconfigError as error:
        raise click.UsageError(str(error)) from error
    try:
        left = _clean(api, profile, context=context, run=run, yes=yes)
    except ApiError as error:
        left = [f"cluster {context} at {api.server}: {error}"]
    finally:
        api.close()
    for line in left:
        click.echo(f"queuecheck: {line}", err=True)
    if left:
        sys.exit(ENVIRONMENT)


def _clean(api: Api, profile: Profile, *, context: str, run: str | None, yes: bool) -> list[str]:
    from queuecheck.implementation.changes import find_changes, put_back  # noqa: PLC0415
    from queuecheck.plugin.consent import consent  # noqa: PLC0415
    from queuecheck.world.remains import find_remains, homes, remove_remains  # noqa: PLC0415

    remains = find_remains(api, profile, run=run)
    changes = [change for home in homes(api, profile) for change in find_changes(api, home)]
    # What a controller in the cluster was changed to says nothing of the run that changed it.
    if run is not None and changes:
        click.echo(
            "queuecheck: a run has changed the controller: clean without --run puts it back",
            err=True,
        )
        changes = []
    click.echo(f"cluster {context} at {api.server}")
    if not remains and not changes:
        click.echo(f"nothing of {f'run {run}' if run else 'any run'} is there")
        return []
    for line in (*described(remains), *map(str, changes)):
        click.echo(line)
    what = f"{len(remains)} things of {_runs(remains)} would go"
    if changes:
        what += f", and {len(changes)} of the controller be put back"
    if not consent(what, question="Take them away?", yes=yes):
        sys.exit(USAGE)
    put_back(api, changes)
    left = remove_remains(api, profile, remains)
    if not left:
        click.echo("all of it is gone")
    return left


def described(remains: tuple[Remnant, ...]) -> list[str]:
    """A line for each thing, under a line for each run, which says when it began."""
    lines = []
    for run, items in itertools.groupby(sorted(remains, key=lambda it: it.run), lambda it: it.run):
        things = list(items)
        began = next((f", begun {each.started}" for each in things if each.started), "")
        lines.append(f"run {run or '(by name)'}{began}")
        lines += [f"  {each}" for each in things]
    return lines


def _runs(remains: tuple[Remnant, ...]) -> str:
    runs = sorted({each.run for each in remains if each.run})
    return f"run {runs[0]}" if len(runs) == 1 else f"{len(runs)} runs"
