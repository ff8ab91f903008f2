"""What follows from the scenarios of a report, counted and judged again: pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from queuecheck.catalogue import Catalogue, KnownFailure
from queuecheck.report.model import Report, ScenarioRun
from queuecheck.verdict import (
    Outcome,
    RequirementResult,
    RunVerdict,
    ScenarioResult,
    Scope,
    by_requirement,
    judge,
)

YES = "yes"


def result_of(run: ScenarioRun) -> ScenarioResult:
    """What the verdict wants to know of a run of a scenario."""
    return ScenarioResult(
        requirements=run.requirements,
        outcome=Outcome(run.outcome),
        milliseconds=run.ms,
        reason=run.reason,
        name=run.name,
        place=run.place,
    )


def results_of(report: Report, catalogue: Catalogue) -> tuple[RequirementResult, ...]:
    """What came of each requirement that any scenario names, by the catalogue."""
    return by_requirement(
        map(result_of, report.scenarios),
        catalogue,
        baseline=[
            KnownFailure(each.id, each.reason, each.link, each.intermittent)
            for each in report.implementation.baseline
        ],
        in_part=[row.id for row in report.requirements if not row.whole],
    )


def verdict_of(
    report: Report, results: Sequence[RequirementResult], catalogue: Catalogue
) -> RunVerdict:
    """The verdict over these results, under the settings that the report has."""
    ids = frozenset(row.id for row in catalogue.standing)
    left = sorted(ids - {result.requirement.id for result in results})
    scope = Scope(
        expected=ids,
        covered=ids - _without_scenario(report, left),
        selection=report.run.selection,
        missing=report.implementation.missing,
        absent=report.implementation.absent,
        interrupted=report.run.ended_early,
        strict=report.configuration.get("strict") == YES,
        accept_baseline=report.configuration.get("accept-baseline") == YES,
    )
    return judge(results, scope)


def _without_scenario(report: Report, left: Sequence[str]) -> frozenset[str]:
    """Those without a result, ``left``, that are said to have no scenario.

    Nothing but the headline tells them from those whose scenarios did not run.
    """
    early = f"the run ended early ({report.run.ended_early})"
    headline = report.judgement.headline.replace(early, "")
    names = _said(headline, "has no scenario", "have no scenario")
    if not names:
        return frozenset()
    if named := names.intersection(left):
        return frozenset(named)
    # Of many only the number is told, so that it does not matter which they are.
    others = sorted(set(left) - _said(headline, "did not run"))
    number = re.match(r"\d{1,9}", min(names))
    return frozenset(others[: int(number[0])] if number else others)


def _said(headline: str, *what: str) -> set[str]:
    """Of which names, or of how many, a headline says something."""
    for reason in re.split("[:;]", headline):
        for words in what:
            names, found, _ = reason.rpartition(f" {words}")
            if found and names:
                return set(names.strip().split(", "))
    return set()
