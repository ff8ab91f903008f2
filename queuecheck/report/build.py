"""From what a run has gathered to its report: pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from queuecheck.catalogue import Catalogue, Requirement
from queuecheck.report import latency
from queuecheck.report.document import digest_of, to_document
from queuecheck.report.model import (
    Area,
    CatalogueFacts,
    ClusterFacts,
    ImplementationFacts,
    Judgement,
    Report,
    RequirementRow,
    RunFacts,
    ScenarioRun,
)
from queuecheck.report.plain import from_plain, to_plain
from queuecheck.secrecy import Secrets
from queuecheck.verdict import RequirementResult, RunVerdict


def build(
    *,
    run: RunFacts,
    verdict: RunVerdict,
    results: Iterable[RequirementResult],
    runs: Sequence[ScenarioRun],
    implementation: ImplementationFacts,
    clusters: Iterable[ClusterFacts],
    versions: Mapping[str, str],
    configuration: Mapping[str, str],
    catalogue: Catalogue,
    profile: tuple[str, str],
    secrets: Secrets,
) -> Report:
    """The report with its digest, and without secrets. ``profile`` is its name and title."""
    by_id = {result.requirement.id: result for result in results}
    scenarios = sorted(runs, key=lambda each: (each.file, each.line, each.repetition))
    report = Report(
        run=run,
        judgement=Judgement(
            verdict=verdict.word,
            exit_code=int(verdict.exit_code),
            headline=verdict.headline,
            notes=verdict.notes,
        ),
        implementation=implementation,
        clusters=tuple(clusters),
        versions=dict(versions),
        configuration=dict(configuration),
        catalogue=CatalogueFacts(
            profile=profile[0],
            title=profile[1],
            size=len(catalogue.standing),
            digest=catalogue.digest,
            areas=tuple(Area(area.code, area.title) for area in catalogue.areas.values()),
        ),
        requirements=tuple(_row(row, by_id.get(row.id), scenarios) for row in catalogue.standing),
        scenarios=tuple(scenarios),
        latencies=latency.summarise(each.latencies for each in scenarios),
    )
    safe = from_plain(Report, _whole_text(secrets.masked(to_plain(report), keys=False)))
    return replace(safe, digest=digest_of(to_document(safe)))


def _whole_text(value: Any) -> Any:
    """Without halves of characters, which a log may have and no file can hold."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _row(
    row: Requirement, result: RequirementResult | None, scenarios: Sequence[ScenarioRun]
) -> RequirementRow:
    plain = RequirementRow(
        id=row.id,
        level=str(row.level),
        area=row.area,
        text=row.text,
        basis=row.origin,
        needs=row.needs,
    )
    if result is None:
        return replace(plain, whole=False)
    return replace(
        plain,
        outcome=str(result.outcome),
        reason=result.reason,
        ms=result.milliseconds,
        runs=result.scenarios,
        passed=result.passed,
        whole=result.whole,
        scenarios=tuple(
            number for number, each in enumerate(scenarios) if row.id in each.requirements
        ),
    )
