"""What can become of one scenario."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How one scenario ended. Only FAILED is a fault of the implementation."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_SUPPORTED = "not-supported"
    SKIPPED = "skipped"
    EXPECTED_FAILURE = "expected-failure"
    STALE_BASELINE = "stale-baseline"
    ENVIRONMENT = "environment"
    HARNESS_ERROR = "harness-error"
    CLEANUP_ERROR = "cleanup-error"

    @property
    def word(self) -> str:
        """What a summary shows."""
        return {
            Outcome.PASSED: "PASS",
            Outcome.FAILED: "FAIL",
            Outcome.NOT_SUPPORTED: "NOT SUPPORTED",
            Outcome.SKIPPED: "SKIPPED",
            Outcome.EXPECTED_FAILURE: "EXPECTED FAILURE",
            Outcome.STALE_BASELINE: "STALE BASELINE",
            Outcome.ENVIRONMENT: "ENVIRONMENT",
            Outcome.HARNESS_ERROR: "HARNESS ERROR",
            Outcome.CLEANUP_ERROR: "CLEAN-UP ERROR",
        }[self]


# A failure is a fact that no trouble elsewhere takes back; then comes what leaves the result
# open; what did not run at all says least.
WORST_FIRST = (
    Outcome.FAILED,
    Outcome.STALE_BASELINE,
    Outcome.HARNESS_ERROR,
    Outcome.ENVIRONMENT,
    Outcome.CLEANUP_ERROR,
    Outcome.EXPECTED_FAILURE,
    Outcome.SKIPPED,
    Outcome.NOT_SUPPORTED,
    Outcome.PASSED,
)


@dataclass(frozen=True)
class ScenarioResult:
    """One run of one scenario. ``reason`` is one line, "" where there is nothing to say."""

    requirements: tuple[str, ...]
    outcome: Outcome
    milliseconds: int
    reason: str = ""
    name: str = ""
    place: str = ""


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The one that decides. At least one has to be given."""
    return min(outcomes, key=WORST_FIRST.index)
