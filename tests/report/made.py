"""Reports made from outcomes alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from queuecheck.catalogue import Basis, Catalogue, KnownFailure, Level, Requirement
from queuecheck.catalogue.catalogue import Area
from queuecheck.report import (
    ClusterFacts,
    ImplementationFacts,
    Known,
    Report,
    RunFacts,
    ScenarioRun,
)
from queuecheck.report.build import build
from queuecheck.secrecy import Secrets
from queuecheck.verdict import Outcome, ScenarioResult, Scope, by_requirement, judge

MUST, ANOTHER, SHOULD = "KQ-AAA-01", "KQ-AAA-02", "KQ-BBB-01"


def _requirement(name: str, level: Level) -> Requirement:
    area = name.split("-")[1]
    text = f"what {name} asks | for"
    return Requirement(name, level, Basis.GOVERNING_TEXT, ("4",), area, text, (), "0.1")


CATALOGUE = Catalogue(
    {
        MUST: _requirement(MUST, Level.MUST),
        ANOTHER: _requirement(ANOTHER, Level.MUST),
        SHOULD: _requirement(SHOULD, Level.SHOULD),
    },
    {"AAA": Area("AAA", "The first area", "first"), "BBB": Area("BBB", "The second", "second")},
)
IDS = frozenset(CATALOGUE.requirements)
SCENARIO = ScenarioRun(
    requirements=(MUST,),
    name="It counts",
    feature="Quota",
    rule="What counts, counts",
    file="features/quota.feature",
    line=8,
    tags=(MUST, "must"),
    text="Scenario: It counts\n  Given a world",
    outcome="passed",
    ms=12,
    reproduce="queuecheck run features/quota.feature:8",
)


def scenario(name: str, outcome: Outcome, *, line: int = 8, repetition: int = 1) -> ScenarioRun:
    """A run of the scenario of a requirement."""
    fine = outcome is Outcome.PASSED
    return replace(
        SCENARIO,
        requirements=(name,),
        outcome=str(outcome),
        reason="" if fine else f"why {outcome}",
        failure="" if fine else f"all about {outcome}",
        line=line,
        repetition=repetition,
        reproduce=f"queuecheck run features/quota.feature:{line}",
    )


def report(
    *runs: ScenarioRun,
    baseline: Sequence[str] = (),
    selection: bool = False,
    interrupted: str = "",
    accept_baseline: bool = False,
    implementation: str = "reference",
    configuration: dict[str, str] | None = None,
    secrets: Secrets | None = None,
    catalogue: Catalogue = CATALOGUE,
    intermittent: bool = False,
    tests: Mapping[str, Mapping[str, int]] | None = None,
    failed_beside: Sequence[str] = (),
) -> Report:
    """The report of these runs."""
    results = [
        ScenarioResult(run.requirements, Outcome(run.outcome), run.ms, run.reason, place=run.place)
        for run in runs
    ]
    known = [
        KnownFailure(name, "as we know", "https://example.org", intermittent) for name in baseline
    ]
    rows = by_requirement(results, catalogue, baseline=known, tests=tests)
    ids = frozenset(row.id for row in catalogue.standing)
    scope = Scope(
        expected=ids,
        covered=ids,
        selection=selection,
        interrupted=interrupted,
        accept_baseline=accept_baseline,
    )
    return build(
        run=RunFacts(
            id="abcde",
            started="2026-01-02T03:04:05Z",
            ended="2026-01-02T03:04:06Z",
            reproduce="queuecheck run",
            ended_early=interrupted,
            selection=selection,
            failed_beside=tuple(failed_beside),
        ),
        verdict=judge(rows, scope),
        results=rows,
        runs=runs,
        implementation=ImplementationFacts(
            implementation,
            "1.0",
            baseline=tuple(Known(k.id, k.reason, k.link, k.intermittent) for k in known),
        ),
        clusters=[ClusterFacts("local", "cluster local", "v1.36.3")],
        versions={"queuecheck": "0.1.0"},
        configuration={
            "accept-baseline": "yes" if accept_baseline else "no",
            **(configuration or {}),
        },
        catalogue=catalogue,
        profile=("koord-queue", "Koord-Queue"),
        secrets=secrets or Secrets(),
    )


def everything(
    must: Outcome = Outcome.PASSED,
    another: Outcome = Outcome.PASSED,
    should: Outcome = Outcome.PASSED,
) -> list[ScenarioRun]:
    """One scenario for each requirement."""
    outcomes = {MUST: must, ANOTHER: another, SHOULD: should}
    return [
        scenario(name, outcome, line=line)
        for line, (name, outcome) in enumerate(outcomes.items(), start=8)
    ]
