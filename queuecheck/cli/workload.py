"""``queuecheck workload``: what scenarios' pods run, as an archive that nodes load."""

from __future__ import annotations

import re
from pathlib import Path

import click

from queuecheck.cluster import programs
from queuecheck.cluster.workload import MACHINES, OURS, archive

# As a registry takes it: a name in small letters, perhaps after a host with a port; no tag.
REPOSITORY = re.compile(
    r"[a-z0-9]+([._-]+[a-z0-9]+)*(:[0-9]+(?=/))?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
)


def _is_repository(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not REPOSITORY.fullmatch(value):
        raise click.BadParameter(f"{value!r} is no repository: host/path in small letters, no tag")
    return value


@click.command(
    epilog="""\b
Examples:
  queuecheck workload --output workload.tar
  kind load image-archive workload.tar

\b
  queuecheck workload --output workload.tar --repository registry.example/team/workload
  docker load -i workload.tar
  docker push --all-tags registry.example/team/workload
  queuecheck run --workload-image registry.example/team/workload ..."""
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="Where the archive goes.",
)
@click.option(
    "--repository",
    default=OURS,
    show_default=True,
    callback=_is_repository,
    metavar="NAME",
    help="What the images are called; the same as --workload-image, where nodes pull them.",
)
@click.option(
    "--machine",
    type=click.Choice(tuple(MACHINES)),
    default=programs.machine,
    help="Which machine the nodes are.  [default: as this one]",
)
def workload(*, output: Path, repository: str, machine: str) -> None:
    """Write the images that scenarios' pods run on nodes with a kubelet.

    Three images of a tiny program each, made here, for an existing cluster: a kind cluster of the
    suite's own gets them by itself.
    """
    content = archive(machine, repository=repository)
    output.write_bytes(content)
    click.echo(f"{output}: {repository} for {machine}, {len(content)} bytes")
