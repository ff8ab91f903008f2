"""``queuecheck docs``: the requirements, their scenarios and reports as a static site."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from queuecheck import resources
from queuecheck.catalogue import FeatureError, read_tree
from queuecheck.cli.suite import PROFILE, read_suite

EPILOG = """\b
Examples:
  queuecheck run && queuecheck docs reports
  queuecheck docs reports theirs/report.json --output public"""

ANOTHER = "of another catalogue than the pages are; an ID may mean other things in it"


@click.command(epilog=EPILOG)
@click.argument("reports", nargs=-1, type=click.Path(path_type=Path), metavar="[REPORT]...")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("build/site"),
    show_default=True,
    metavar="DIR",
    help="The site's folder; an earlier site in it is replaced.",
)
def docs(reports: tuple[Path, ...], output: Path) -> int:
    """Make the documentation as web pages, with what reports say of each requirement.

    The pictures are of the first report's scenarios.
    """
    from queuecheck.profiles import load_profile  # noqa: PLC0415 - what --help does not need
    from queuecheck.report.document import ReportError, read_report  # noqa: PLC0415
    from queuecheck.site import SiteError, site, write  # noqa: PLC0415
    from queuecheck.site.shows import Source  # noqa: PLC0415

    suite = read_suite()
    profile = load_profile(PROFILE)
    home = resources.features_root().parent
    files = dict.fromkeys(each.file for each in suite.scenarios)
    try:
        found = [read_report(file) for file in reports]
        for file, report in zip(reports, found, strict=True):
            if report.catalogue.profile != PROFILE:
                raise ReportError(
                    f"{file}: of profile {report.catalogue.profile[:60]}; the pages are {PROFILE}'s"
                )
            if report.catalogue.digest != suite.catalogue.digest:
                click.echo(f"queuecheck: {file}: {ANOTHER}", err=True)
        pages = site(
            suite.catalogue,
            suite.scenarios,
            {file: Source(*read_tree(home / file, place=file)) for file in files},
            found,
            profile.looks,
            title=profile.title,
            words=(resources.features_root() / PROFILE / "README.md").read_text("utf-8"),
        )
        write(pages, output)
    except (ReportError, FeatureError) as error:
        raise click.UsageError(str(error)) from error
    except SiteError as error:
        click.echo(f"queuecheck: {error}", err=True)
        sys.exit(2)
    click.echo(f"{len(pages)} files: {output / 'index.html'}")
    return 0
