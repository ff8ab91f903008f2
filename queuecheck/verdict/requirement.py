"""What the results of its scenarios mean for a requirement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from queuecheck.catalogue import Catalogue, Requirement
from queuecheck.verdict.outcome import Outcome, ScenarioResult, worst


@dataclass(frozen=True)
class RequirementResult:
    """A requirement with the worst outcome of its scenarios, and that one's reason.

    ``milliseconds`` is the longest of its scenarios.
    """

    requirement: Requirement
    outcome: Outcome
    reason: str
    scenarios: int
    milliseconds: int


def by_requirement(
    results: Iterable[ScenarioResult], catalogue: Catalogue
) -> tuple[RequirementResult, ...]:
    """One result per requirement that has any, in the catalogue's order.

    Every requirement that a scenario names shares its outcome.
    """
    grouped: dict[str, list[ScenarioResult]] = {}
    for result in results:
        for name in result.requirements:
            grouped.setdefault(name, []).append(result)
    return tuple(_one(row, grouped[row.id]) for row in catalogue if row.id in grouped)


def _one(requirement: Requirement, results: list[ScenarioResult]) -> RequirementResult:
    outcome = worst(result.outcome for result in results)
    decisive = next(result for result in results if result.outcome is outcome)
    return RequirementResult(
        requirement=requirement,
        outcome=outcome,
        reason=decisive.reason,
        scenarios=len(results),
        milliseconds=max(result.milliseconds for result in results),
    )
