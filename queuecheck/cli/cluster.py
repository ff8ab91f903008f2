"""``queuecheck cluster``: a control plane to play with, running until it is told to end."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import NoReturn

import click

from queuecheck.cluster.errors import ClusterError

ENVIRONMENT = 3


def _is_name(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    from queuecheck.cli.playground import NAME_PATTERN, NAME_RULE  # noqa: PLC0415

    if not NAME_PATTERN.fullmatch(value):
        raise click.BadParameter(f"{value!r} is no name: {NAME_RULE}")
    return value


NAME = click.option(
    "--name",
    default="play",
    callback=_is_name,
    show_default=True,
    metavar="NAME",
    help="Which one, where there are several.",
)


@click.group(
    epilog="""\b
Examples:
  queuecheck cluster up
  kubectl --kubeconfig "$(queuecheck cluster kubeconfig)" get queueunits -A
  queuecheck cluster down
"""
)
def cluster() -> None:
    """A real control plane on this machine, with the CRDs and the controller."""


@cluster.command(
    epilog="""\b
Example:
  queuecheck cluster up
  queuecheck cluster up --name second --no-controller"""
)
@NAME
@click.option(
    "--controller/--no-controller",
    default=True,
    help="Whether the reference controller runs on it.  [default: it does]",
)
def up(name: str, *, controller: bool) -> None:
    """Starts a control plane that runs until `down`.

    Pods find no room and stay unbound, as units that wait to be preempted must; those with the
    node selector `queuecheck.dev/slot: play` are bound and run.
    """
    from queuecheck.cli.playground import Playground  # noqa: PLC0415
    from queuecheck.cluster.programs import present  # noqa: PLC0415
    from queuecheck.cluster.provision import provide  # noqa: PLC0415

    try:
        provide()
        kubeconfig = Playground(name).up(controller=controller)
    except ClusterError as error:
        _refuse(error)
    kubectl = shlex.quote(str(present().get("kubectl", Path("kubectl"))))
    click.echo(f"cluster {name} is running" + (", with the controller" if controller else ""))
    click.echo(f"  {kubectl} --kubeconfig {shlex.quote(str(kubeconfig))} get queueunits -A")
    click.echo(f"  end it with: queuecheck cluster down{_naming(name)}")


@cluster.command(
    epilog="""\b
Example:
  queuecheck cluster down
  queuecheck cluster down --name second"""
)
@NAME
def down(name: str) -> None:
    """Ends it, and removes everything of it."""
    from queuecheck.cli.playground import Playground  # noqa: PLC0415

    try:
        ended = Playground(name).down()
    except ClusterError as error:
        _refuse(error)
    click.echo(f"cluster {name} has ended" if ended else f"cluster {name} is not running")


@cluster.command(
    epilog="""\b
Example:
  kubectl --kubeconfig "$(queuecheck cluster kubeconfig)" get jobs -A"""
)
@NAME
def kubeconfig(name: str) -> None:
    """Prints the path of the administrator's kubeconfig."""
    from queuecheck.cli.playground import Playground  # noqa: PLC0415

    try:
        click.echo(Playground(name).kubeconfig())
    except ClusterError as error:
        _refuse(error)


@cluster.command(
    short_help="Gets the programs of the control plane.",
    epilog="""\b
Example:
  queuecheck cluster prepare""",
)
def prepare() -> None:
    """Gets the programs of the control plane if they are not there: downloads or builds them."""
    from queuecheck.cluster.provision import provide  # noqa: PLC0415

    try:
        provide()
    except ClusterError as error:
        _refuse(error)


def _naming(name: str) -> str:
    return "" if name == "play" else f" --name {name}"


def _refuse(error: ClusterError) -> NoReturn:
    click.echo(f"queuecheck: {error}", err=True)
    sys.exit(ENVIRONMENT)
