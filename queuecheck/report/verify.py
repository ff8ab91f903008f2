"""Whether a report is whole, and says of its results what follows from them: pure.

The digest finds what was changed or lost by accident. It is no signature: whoever changes a report
can compute it anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from queuecheck.catalogue import Catalogue, KnownFailure
from queuecheck.report import schema
from queuecheck.report.document import ReportError, digest_of, to_report
from queuecheck.report.model import NOT_RUN, Report, RequirementRow
from queuecheck.verdict import (
    Outcome,
    RequirementResult,
    ScenarioResult,
    Scope,
    Verdict,
    by_requirement,
    judge,
)

YES = "yes"
# As many names as can be read at a glance.
FEW = 6


@dataclass(frozen=True)
class Verification:
    """``wrong`` is what makes the report unusable, ``open`` which MUST have no result."""

    report: Report | None
    wrong: tuple[str, ...]
    open: tuple[str, ...] = ()


def verify(document: Mapping[str, Any], catalogue: Catalogue | None) -> Verification:
    """``catalogue`` is that of the report's profile, or None where there is no such profile."""
    wrong = list(schema.problems(document))
    if wrong:
        return Verification(None, tuple(wrong))
    digest = digest_of(document)
    if digest != document["digest"]:
        wrong.append(
            "digest: something was changed since the report was written; it says "
            f"{document['digest']}, and the rest of it comes to {digest}"
        )
    try:
        report = to_report(document, name="the report")
    except ReportError as error:
        return Verification(None, (*wrong, str(error)))
    wrong += _against_catalogue(report, catalogue)
    if catalogue is not None:
        wrong += _against_results(report, catalogue)
    still_open = [
        row.id
        for row in report.requirements
        if row.level == "must" and row.outcome in {NOT_RUN, Outcome.SKIPPED}
    ]
    return Verification(report, tuple(wrong), tuple(still_open))


def _against_catalogue(report: Report, catalogue: Catalogue | None) -> Iterator[str]:
    profile = report.catalogue.profile
    if catalogue is None:
        yield f"catalogue: this version of the suite has no profile {profile}"
        return
    if report.catalogue.digest != catalogue.digest:
        version = report.versions.get("queuecheck", "another version")
        yield (
            f"catalogue: its digest is not that of {profile} in this version of the suite; "
            f"verify it with queuecheck {version}"
        )
    levels = {row.id: str(row.level) for row in catalogue.standing}
    found = [row.id for row in report.requirements]
    for name, level in levels.items():
        if name not in found:
            yield f"{name} ({level.upper()}) is missing"
    for row in report.requirements:
        if found.count(row.id) > 1:
            yield f"{row.id} is there {found.count(row.id)} times"
        elif row.id not in levels:
            yield f"{row.id} is not in the catalogue"
        elif row.level != levels[row.id]:
            yield f"{row.id} is {levels[row.id].upper()} in the catalogue, {row.level.upper()} here"


def _against_results(report: Report, catalogue: Catalogue) -> Iterator[str]:
    """What the results, counted again, say otherwise than the report does."""
    results = by_requirement(
        [_result(report, number) for number in range(len(report.scenarios))],
        catalogue,
        baseline=[
            KnownFailure(each.id, each.reason, each.link, each.intermittent)
            for each in report.implementation.baseline
        ],
        in_part=[row.id for row in report.requirements if not row.whole],
    )
    counted = {result.requirement.id: result for result in results}
    yield from _astray(report)
    for row in report.requirements:
        yield from _row(row, counted.get(row.id))
    stated = judge(results, _scope(report, catalogue))
    if report.judgement.verdict == Verdict.NO_VERDICT or stated.verdict is Verdict.NO_VERDICT:
        # Whose error it was may come from outside of the scenarios, as a crash of pytest's does.
        agree = report.judgement.exit_code != 0
    else:
        agree = report.judgement.verdict == stated.word
    if not agree:
        yield f"the verdict is {report.judgement.verdict}, its results say {stated.word}"
    elif report.judgement.exit_code == 0 != stated.exit_code:
        yield f"the exit code is 0, its results say {int(stated.exit_code)}"


def _astray(report: Report) -> Iterator[str]:
    """Scenarios are named by their place, so that one lost scenario moves all that follow."""
    astray = [
        row.id
        for row in report.requirements
        if row.scenarios
        != tuple(
            number for number, run in enumerate(report.scenarios) if row.id in run.requirements
        )
    ]
    if len(astray) <= FEW:
        yield from (f"{name}: its scenarios are not those that name it" for name in astray)
    else:
        yield (
            f"scenarios: {len(astray)} requirements, {astray[0]} first, point at others than those "
            "that name them, as where a scenario was taken out or put in"
        )


def _row(row: RequirementRow, counted: RequirementResult | None) -> Iterator[str]:
    said = (row.outcome, row.passed, row.runs)
    right: tuple[str, int, int] = (NOT_RUN, 0, 0)
    if counted is not None:
        right = (str(counted.outcome), counted.passed, counted.scenarios)
    if said != right:
        yield (
            f"{row.id} is {row.outcome}, {row.passed} of {row.runs} passed; its scenarios say "
            f"{right[0]}, {right[1]} of {right[2]}"
        )


def _result(report: Report, number: int) -> ScenarioResult:
    run = report.scenarios[number]
    return ScenarioResult(
        requirements=run.requirements,
        outcome=Outcome(run.outcome),
        milliseconds=run.ms,
        reason=run.reason,
        name=run.name,
        place=run.place,
    )


def _scope(report: Report, catalogue: Catalogue) -> Scope:
    ids = frozenset(row.id for row in catalogue.standing)
    return Scope(
        expected=ids,
        covered=ids,
        selection=report.run.selection,
        missing=report.implementation.missing,
        interrupted=report.run.ended_early,
        strict=report.configuration.get("strict") == YES,
        accept_baseline=report.configuration.get("accept-baseline") == YES,
    )


def told(verification: Verification) -> Sequence[str]:
    """What is wrong or open, a line each."""
    many = verification.open
    names = ", ".join(many) if len(many) <= FEW else f"{len(many)} MUST"
    return [*verification.wrong, *([f"without a result: {names}"] if many else [])]
