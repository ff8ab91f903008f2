"""``queuecheck clean``: takes away what runs have left on a cluster that goes on without them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from queuecheck.cli.suite import PROFILE
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.profiles import Profile, load_profile
from queuecheck.report.text import on_a_line

if TYPE_CHECKING:
    from queuecheck.implementation.changes import Change, Look
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
    quotas. Deployments that a run has changed become as they were, but not with --run: which run it
    was, they do not say.
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
        click.echo(on_a_line(f"queuecheck: {line}"), err=True)
    if left:
        sys.exit(ENVIRONMENT)


def _clean(api: Api, profile: Profile, *, context: str, run: str | None, yes: bool) -> list[str]:
    from queuecheck.implementation.changes import look, put_back  # noqa: PLC0415
    from queuecheck.plugin.consent import consent  # noqa: PLC0415
    from queuecheck.world.remains import find_remains, homes, remove_remains  # noqa: PLC0415

    found = find_remains(api, profile, run=run)
    seen = {home: look(api, home) for home in homes(api, profile)}
    stay = _staying(api, found, seen, run)
    remains = tuple(each for each in found if each not in stay)
    changes = [change for each in seen.values() for change in each.changes]
    # What a controller in the cluster was changed to says nothing of the run that changed it.
    if run is not None:
        if changes and not stay:
            click.echo(
                "queuecheck: a run has changed the controller: clean without --run puts it back",
                err=True,
            )
        changes = []
    click.echo(f"cluster {context} at {api.server}")
    if not remains and not changes:
        if not stay:
            click.echo(f"nothing of {f'run {run}' if run else 'any run'} is there")
        return list(stay.values())
    for line in (*described(remains), *map(str, changes)):
        click.echo(on_a_line(line))
    if not consent(would(remains, len(changes)), question="Take them away?", yes=yes):
        sys.exit(USAGE)
    kept = put_back(api, changes)
    stay |= _homes_of(kept, remains)
    remains = tuple(each for each in remains if each not in stay)
    left = [f"{change}: {why}" for change, why in kept.items()]
    left += [*remove_remains(api, profile, remains), *stay.values()]
    if not left:
        click.echo("all of it is gone")
    return left


def _staying(
    api: Api, remains: tuple[Remnant, ...], seen: Mapping[str, Look], run: str | None
) -> dict[Remnant, str]:
    """The runs' own namespaces that have to stay, each with the reason.

    They alone say where a run may have changed Deployments, and somebody has yet to put those back.
    """
    stay = {}
    for each in remains:
        pairs = [(home, seen[home]) for home in each.deployed if home in seen]
        if why := list(filter(None, (_unfinished(api, *pair, run) for pair in pairs))):
            stay[each] = f"{each} stays: {'; '.join(why)}"
    return stay


def _homes_of(kept: Iterable[Change], remains: Iterable[Remnant]) -> dict[Remnant, str]:
    """The runs' own namespaces that say where something is yet to be put back."""
    places = {change.namespace for change in kept}
    return {
        each: f"{each} stays: it says where the controller is not as it was"
        for each in remains
        if places.intersection(each.deployed)
    }


def _unfinished(api: Api, home: str, there: Look, run: str | None) -> str:
    """What has yet to be looked at or put back in the namespace, or ""."""
    if there.hidden and _exists(api, home):
        kinds = ", ".join(there.hidden)
        return f"the run may have changed something in {home}, where this user may not list {kinds}"
    if there.changes and run is not None:
        changed = "; ".join(map(str, there.changes))
        return f"a run has changed the controller ({changed}): clean without --run puts it back"
    return ""


def _exists(api: Api, namespace: str) -> bool:
    from queuecheck.kube import NotFound  # noqa: PLC0415
    from queuecheck.kube.resource import NAMESPACES  # noqa: PLC0415

    try:
        api.get(NAMESPACES, namespace)
    except NotFound:  # and its roles with it
        return False
    return True


def would(remains: tuple[Remnant, ...], changes: int) -> str:
    """What is asked about, in a sentence; there is something of either."""
    parts = []
    if remains:
        runs = sorted({each.run for each in remains if each.run})
        # Where there is none, it is known by its name.
        whose = f" of {f'run {runs[0]}' if len(runs) == 1 else f'{len(runs)} runs'}" if runs else ""
        parts.append(f"{_counted(len(remains))}{whose} would go")
    if changes:
        parts.append(f"{_counted(changes)} of the controller would be put back")
    return ", and ".join(parts)


def _counted(things: int) -> str:
    return "1 thing" if things == 1 else f"{things} things"


def described(remains: tuple[Remnant, ...]) -> list[str]:
    """A line for each thing, under a line for each run, which says when it began."""
    lines = []
    for run, items in itertools.groupby(sorted(remains, key=lambda it: it.run), lambda it: it.run):
        things = list(items)
        began = next((f", begun {each.started}" for each in things if each.started), "")
        lines.append(f"run {run or '(by name)'}{began}")
        lines += [f"  {each}" for each in things]
    return lines
