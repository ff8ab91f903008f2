"""Reports for tests of the views."""

from __future__ import annotations

from collections.abc import Sequence

from queuecheck.report import (
    NOT_RUN,
    Area,
    CatalogueFacts,
    ClusterFacts,
    ImplementationFacts,
    Judgement,
    Latency,
    Report,
    RequirementRow,
    RunFacts,
    ScenarioRun,
)

AREAS = (Area("SEQ", "The worked example"), Area("RCL", "Reclaiming"))


def requirement(
    name: str, runs: Sequence[ScenarioRun] = (), *, level: str = "must", text: str = ""
) -> RequirementRow:
    """A row with what the runs that name it came to, the last one that did not pass decides."""
    own = tuple(number for number, run in enumerate(runs) if name in run.requirements)
    bad = [runs[number] for number in own if runs[number].outcome != "passed"]
    return RequirementRow(
        id=name,
        level=level,
        area=name.split("-")[1],
        text=text or f"What {name} asks for",
        basis="the governing text (example)",
        outcome=bad[-1].outcome if bad else "passed" if own else NOT_RUN,
        reason=bad[-1].reason if bad else "",
        runs=len(own),
        passed=len(own) - len(bad),
        scenarios=own,
    )


def report(
    runs: Sequence[ScenarioRun] = (),
    *rows: RequirementRow,
    verdict: str = "conformant",
    headline: str = "conformant: 1 requirement passed",
    selection: bool = False,
    ended_early: str = "",
    failed_beside: tuple[str, ...] = (),
) -> Report:
    return Report(
        run=RunFacts(
            id="abcde",
            started="2026-11-30T10:00:00Z",
            ended="2026-11-30T10:02:00Z",
            reproduce="queuecheck run",
            selection=selection,
            ended_early=ended_early,
            failed_beside=failed_beside,
        ),
        judgement=Judgement(verdict, 0, headline),
        implementation=ImplementationFacts("reference", "0.1.0"),
        clusters=(ClusterFacts("local", "a control plane of our own", "", ("cross-kind-order",)),),
        versions={"queuecheck": "0.1.0", "python": "3.11.7", "platform": "Linux x86_64"},
        configuration={"cluster": "local"},
        catalogue=CatalogueFacts("koord-queue", "Koord-Queue v1.9", 2, "sha256:0", AREAS),
        requirements=rows or (requirement("KQ-SEQ-01", runs),),
        scenarios=tuple(runs),
        latencies=(Latency("submit to admit", 4, 12, 30),),
        digest="sha256:1",
    )
