"""What the results of its scenarios mean for a requirement, and what a baseline makes of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from queuecheck.catalogue import Catalogue, KnownFailure, Requirement
from queuecheck.verdict.outcome import Outcome, ScenarioResult, worst


@dataclass(frozen=True)
class RequirementResult:
    """A requirement with the worst outcome of its scenarios, and that one's reason.

    ``scenarios`` is how many runs of scenarios there were, ``passed`` how many of them passed.
    ``milliseconds`` is the longest. ``known`` is its entry in the baseline, if that decided.
    ``whole``: each of its scenarios was run.
    """

    requirement: Requirement
    outcome: Outcome
    reason: str
    scenarios: int
    milliseconds: int
    passed: int = 0
    known: KnownFailure | None = None
    whole: bool = True


def by_requirement(
    results: Iterable[ScenarioResult],
    catalogue: Catalogue,
    *,
    baseline: Iterable[KnownFailure] = (),
    tests: Mapping[str, Mapping[str, int]] | None = None,
    in_part: Collection[str] = (),
) -> tuple[RequirementResult, ...]:
    """One result per requirement that has any, in the catalogue's order.

    Every requirement that a scenario names shares its outcome. One that fails and is in the
    baseline is an expected failure; one that passes and is there makes the baseline stale, unless
    it is known to fail in some runs only, and only if all its scenarios were run: ``tests`` has, by
    ID, how many results are due from each of their places. ``in_part`` are the IDs of which it is
    known already that they were not.
    """
    grouped: dict[str, list[ScenarioResult]] = {}
    for result in results:
        for name in result.requirements:
            grouped.setdefault(name, []).append(result)
    known = {entry.id: entry for entry in baseline}
    return tuple(
        _against(
            _one(
                row,
                grouped[row.id],
                whole=row.id not in in_part
                and Counter((tests or {}).get(row.id, {}))
                <= Counter(result.place for result in grouped[row.id]),
            ),
            known.get(row.id),
        )
        for row in catalogue
        if row.id in grouped
    )


def _one(
    requirement: Requirement, results: list[ScenarioResult], *, whole: bool
) -> RequirementResult:
    outcome = worst(result.outcome for result in results)
    decisive = next(result for result in results if result.outcome is outcome)
    return RequirementResult(
        requirement=requirement,
        outcome=outcome,
        reason=decisive.reason,
        scenarios=len(results),
        milliseconds=max(result.milliseconds for result in results),
        passed=sum(result.outcome is Outcome.PASSED for result in results),
        whole=whole,
    )


def _against(result: RequirementResult, known: KnownFailure | None) -> RequirementResult:
    if known is None:
        return result
    if result.outcome is Outcome.FAILED:
        return replace(result, outcome=Outcome.EXPECTED_FAILURE, reason=known.reason, known=known)
    if result.outcome is Outcome.PASSED and result.whole and not known.intermittent:
        reason = f"it passes, and the baseline has it: {known.reason}"
        return replace(result, outcome=Outcome.STALE_BASELINE, reason=reason, known=known)
    return result
