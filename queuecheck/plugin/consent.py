"""Looking at an existing cluster, and asking before it is written to.

A terminal may be asked; anything else has to have said so beforehand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
import pytest

from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import Descriptor
from queuecheck.report.text import on_a_line
from queuecheck.verdict import ExitCode


def refused(
    config: pytest.Config, choice: ClusterChoice, descriptor: Descriptor
) -> ExitCode | None:
    """None when the cluster may be written to; otherwise why not has been said."""
    # The client library takes half a second to import, and most runs have no use for this.
    from queuecheck.kube import KubeconfigError  # noqa: PLC0415
    from queuecheck.world.examination import examine  # noqa: PLC0415

    try:
        findings = examine(choice, descriptor)
    except KubeconfigError as error:
        say(str(error))
        return ExitCode.USAGE
    if findings.problems:
        say(*findings.problems)
        return ExitCode.ENVIRONMENT
    say(f"cluster {findings.cluster}")
    with _standard_input(config):
        given = consent(
            *findings.cautions, question="Write to this cluster?", yes=config.option.qc_yes
        )
    return None if given else ExitCode.USAGE


def consent(*cautions: str, question: str, yes: bool) -> bool:
    """Whether there is nothing to decide, or it was decided to go on; what is refused is said."""
    say(*cautions)
    if not cautions or yes:
        return True
    if not sys.stdin.isatty():
        say("nothing was written: say --yes to go on all the same")
        return False
    try:
        if click.confirm(question, err=True):
            return True
    except click.Abort:  # Ctrl-C or Ctrl-D, which leave the cursor behind the question
        sys.stderr.write("\n")
    say("nothing was written")
    return False


def say(*lines: str) -> None:
    """One line each, on standard error."""
    for line in lines:
        sys.stderr.write(on_a_line(f"queuecheck: {line}") + "\n")


@contextmanager
def _standard_input(config: pytest.Config) -> Iterator[None]:
    """Pytest has taken standard input away by now, lest a test should read from it."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    try:
        yield
    finally:
        if capture is not None:
            capture.resume_global_capture()
            capture.suspend_global_capture()
