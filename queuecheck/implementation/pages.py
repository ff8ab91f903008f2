"""What a process shows over HTTP on loopback."""

from __future__ import annotations

import socket
import urllib.request
from http.client import HTTPException
from urllib.error import URLError

from prometheus_client.parser import text_string_to_metric_families

from queuecheck.cluster.ports import LOOPBACK
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.verbs import Sample

ANSWER_SECONDS = 5.0
# Loopback is never reached through a proxy, whatever the environment says.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class NoPage(ImplementationError):
    """What is asked for is not there, or not what it should be."""


def answers(url: str) -> bool:
    """Whether there is a page, with status 200."""
    try:
        with OPENER.open(url, timeout=ANSWER_SECONDS) as page:
            return bool(page.status == 200)
    except (OSError, HTTPException):
        return False


def samples(url: str) -> list[Sample]:
    """What a page in the Prometheus text format has. Raises NoPage."""
    try:
        with OPENER.open(url, timeout=ANSWER_SECONDS) as page:
            return parsed(page.read().decode("utf-8", "replace"))
    except URLError as error:
        raise NoPage(str(error.reason)) from error
    except (OSError, HTTPException) as error:
        raise NoPage(" ".join(str(error).split()) or type(error).__name__) from error


def parsed(text: str) -> list[Sample]:
    """The samples of a page in the Prometheus text format, under the names that stand there.

    Raises NoPage where it is something else.
    """
    # Told that something is a counter, the parser adds the ending that OpenMetrics asks for.
    untyped = "\n".join(line for line in text.splitlines() if not line.startswith("#")) + "\n"
    try:
        return [
            Sample(sample.name, dict(sample.labels), float(sample.value))
            for family in text_string_to_metric_families(untyped)
            for sample in family.samples
        ]
    except ValueError as error:
        raise NoPage(f"not the Prometheus text format: {error}") from error


def is_taken(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as asking:
        asking.settimeout(ANSWER_SECONDS)
        return asking.connect_ex((LOOPBACK, port)) == 0
