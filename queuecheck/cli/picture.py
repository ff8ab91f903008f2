"""``queuecheck picture``: what was seen in a scenario, as a picture of its own."""

from __future__ import annotations

from pathlib import Path

import click

from queuecheck.cli.lazy import Refused

EPILOG = """\b
Example:
  queuecheck run --id KQ-SEQ-01
  queuecheck picture KQ-SEQ-01 --report reports > worked-example.svg"""


@click.command(epilog=EPILOG)
@click.argument("requirement", metavar="ID")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The report, or its directory (that of the last run).",
)
@click.pass_context
def picture(ctx: click.Context, /, requirement: str, **_: object) -> int:
    """Draw what was seen of a requirement's first scenario, as SVG."""
    from queuecheck import resources  # noqa: PLC0415 - what --help does not need
    from queuecheck.catalogue import CatalogueError, load_catalogue  # noqa: PLC0415
    from queuecheck.cli.configured import report_of  # noqa: PLC0415
    from queuecheck.profiles import ProfileError, load_profile  # noqa: PLC0415
    from queuecheck.report.document import ReportError, read_report  # noqa: PLC0415
    from queuecheck.report.html.draw import draw  # noqa: PLC0415
    from queuecheck.report.html.page import comparable  # noqa: PLC0415
    from queuecheck.report.html.reading import read  # noqa: PLC0415

    report, _named = report_of(ctx)
    try:
        found = read_report(report)
        looks = load_profile(found.catalogue.profile).looks
    except (ReportError, ProfileError) as error:
        raise click.UsageError(str(error)) from error
    name = requirement.upper()
    for run in found.scenarios:
        reading = read(run, looks, ordered=comparable(found))
        if name in run.requirements and reading is not None:
            click.echo(draw(reading.chart, key="picture", standalone=True))
            return 0
    try:  # after the report, which may be of a version that has others
        load_catalogue(resources.catalogue_file(found.catalogue.profile)).get(requirement)
    except CatalogueError as error:
        raise click.UsageError(str(error)) from error
    raise Refused(f"{report} has no scenario of {name} in which something was seen")
