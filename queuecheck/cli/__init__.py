"""The command line. Commands are imported when they are called, so that each answers at once."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

import click

from queuecheck.cli import streams
from queuecheck.cli.lazy import Entry, LazyGroup, Refused

ENVIRONMENT = 3
WORDS = (
    (r"a valid integer( range)?\b", "a whole number"),
    (r"a valid float( range)?\b", "a number"),
    (r"is not in the range x>=(\S+?)$", r"is less than \1"),
    (r"is not in the range x>(\S+?)$", r"is not more than \1"),
)
EPILOG = """\b
Examples:
  queuecheck run                          every scenario, on a control plane of our own
  queuecheck run --id KQ-SEQ-01           the worked example alone
  queuecheck explain KQ-RCL-02            what a requirement says and how it is shown
  queuecheck verify reports               whether the report of a run is whole
  queuecheck cluster up                   a control plane with the controller, to play with
  queuecheck doctor                       what is there, what is missing, what to do

\b
Settings of a run may stand in queuecheck.toml: see queuecheck run --help.

\b
Exit codes:
  0 conformant    1 not conformant    2 usage
  3 environment   4 the suite's own error    5 partial"""


@click.group(
    cls=LazyGroup,
    entries={
        "run": Entry("queuecheck.cli.run:run", "Run scenarios and give a verdict.", "Judge"),
        "in-cluster": Entry(
            "queuecheck.cli.incluster:in_cluster",
            "Run from a pod, and hand the results over.",
            "Judge",
        ),
        "list": Entry(
            "queuecheck.cli.listing:list_scenarios", "Say what would run and why not.", "Read"
        ),
        "explain": Entry(
            "queuecheck.cli.explain:explain", "Show a requirement and its scenarios.", "Read"
        ),
        "lint": Entry(
            "queuecheck.cli.lint:lint", "Find what is wrong with features and steps.", "Read"
        ),
        "verify": Entry(
            "queuecheck.cli.reports:verify", "Say whether a report is whole.", "Reports"
        ),
        "compare": Entry(
            "queuecheck.cli.reports:compare", "Say what became better or worse.", "Reports"
        ),
        "matrix": Entry("queuecheck.cli.reports:matrix", "Put reports side by side.", "Reports"),
        "picture": Entry(
            "queuecheck.cli.picture:picture", "Draw what was seen in a scenario.", "Reports"
        ),
        "docs": Entry(
            "queuecheck.cli.docs:docs", "Make the documentation as web pages.", "Reports"
        ),
        "clean": Entry(
            "queuecheck.cli.clean:clean", "Take away what killed runs have left.", "Clusters"
        ),
        "cluster": Entry(
            "queuecheck.cli.cluster:cluster", "Have a control plane to play with.", "Clusters"
        ),
        "workload": Entry(
            "queuecheck.cli.workload:workload", "Write the images that pods run.", "Clusters"
        ),
        "doctor": Entry(
            "queuecheck.cli.doctor:doctor", "Say what is there and what is missing.", "Clusters"
        ),
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(package_name="queuecheck")
def cli() -> None:
    """Conformance suite for queue-level preemption in Kubernetes batch queues."""
    if os.environ.get("NO_COLOR"):  # click itself does not look
        click.get_current_context().color = False


def main() -> None:
    """The console script: every error is one line, and its exit code is documented."""
    streams.open_closed()
    try:
        code = cli.main(prog_name="queuecheck", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        click.echo(f"queuecheck: {one_line(error)}{where_to_read(error)}", err=True)
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("queuecheck: stopped", err=True)
        sys.exit(130)
    except OSError as error:  # what is refused more precisely elsewhere never gets here
        with suppress(OSError):  # it still holds what could not be written
            sys.stdout.close()
        place = error.filename or "output"
        click.echo(f"queuecheck: {place}: {error.strerror or error}", err=True)
        sys.exit(ENVIRONMENT)
    sys.exit(code if isinstance(code, int) else 0)


def one_line(error: click.ClickException) -> str:
    """The message of an error without line breaks, and without the names of click's types."""
    text = " ".join(error.format_message().split()).rstrip(".")
    for clicks, ours in WORDS:
        text = re.sub(clicks, ours, text)
    return text


def where_to_read(error: click.ClickException) -> str:
    """Which ``--help`` tells more; nothing where the error is our own, which says all."""
    ours = isinstance(error, Refused) or error.__cause__ is not None
    context = None if ours else getattr(error, "ctx", None)
    return f" (see {context.command_path} --help)" if context is not None else ""
