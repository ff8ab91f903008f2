"""How an outcome is shown: a word, a sign that reads without colour, and how loud it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from queuecheck.report.model import NOT_RUN
from queuecheck.verdict import Outcome


@dataclass(frozen=True)
class Shown:
    """``mood`` is good, bad, odd (nobody can tell) or quiet."""

    word: str
    sign: str
    mood: str


OUTCOMES: Mapping[str, Shown] = {
    str(Outcome.PASSED): Shown("passed", "✓", "good"),
    str(Outcome.FAILED): Shown("failed", "✕", "bad"),
    str(Outcome.STALE_BASELINE): Shown("stale baseline", "✕", "bad"),
    str(Outcome.EXPECTED_FAILURE): Shown("failed, as is known", "✕", "bad"),
    str(Outcome.HARNESS_ERROR): Shown("harness error", "!", "odd"),
    str(Outcome.ENVIRONMENT): Shown("environment", "!", "odd"),
    str(Outcome.CLEANUP_ERROR): Shown("clean-up error", "!", "odd"),
    str(Outcome.SKIPPED): Shown("skipped", "–", "quiet"),
    str(Outcome.NOT_SUPPORTED): Shown("not supported", "–", "quiet"),
    NOT_RUN: Shown("not run", "–", "quiet"),
    "undefined": Shown("undefined", "!", "odd"),
}
VERDICTS: Mapping[str, Shown] = {
    "conformant": Shown("Conformant", "✓", "good"),
    "selection passed": Shown("Selection passed", "✓", "good"),
    "not conformant": Shown("Not conformant", "✕", "bad"),
    "selection failed": Shown("Selection failed", "✕", "bad"),
    "partial": Shown("Partial", "–", "odd"),
    "no verdict": Shown("No verdict", "!", "odd"),
}


def outcome(word: str) -> Shown:
    """How an outcome of a report is shown; one of a later version as it is called there."""
    return OUTCOMES.get(word, Shown(word.replace("-", " "), "?", "odd"))


def verdict(word: str) -> Shown:
    """How the verdict of a run is shown."""
    return VERDICTS.get(word, Shown(word.capitalize(), "?", "odd"))
