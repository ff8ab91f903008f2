"""The summary of ``--qc-must-fail``: which scenarios passed with a controller that does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from queuecheck.plugin.summary import Summary
from queuecheck.report.recount import result_of
from queuecheck.verdict import ExitCode, RequirementResult, RunVerdict, Verdict, vacuity
from queuecheck.verdict.run import OPEN

if TYPE_CHECKING:
    import pytest


class VacuitySummary(Summary):
    """Names what passed, and nothing of what failed, as it has to."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._spared = vacuity.read_spared(
            config.invocation_params.dir / str(config.option.qc_must_fail)
        )

    def _by_requirement(self) -> tuple[RequirementResult, ...]:
        return ()

    def _verdict(self) -> RunVerdict:
        found = vacuity.examine(
            map(result_of, self._runs.values()),
            self._spared,
            implementation=self._descriptor.name,
        )
        notes = (
            *(f"MAY PASS {each.scenario}: {each.reason}" for each in found.spared),
            *(f"VACUOUS  {run.place}: {run.name}" for run in found.vacuous),
            *(f"STALE    {each.feature}: {each.scenario}: it fails" for each in found.stale),
            *(f"LOST     {run.place}: {run.outcome}: {run.reason}" for run in found.lost[:1]),
        )
        return RunVerdict(*self._end(found), notes)

    def _publish(self, code: int) -> int:
        """Nothing is said of requirements, so there is no report."""
        return code

    def _end(self, found: vacuity.Vacuity) -> tuple[Verdict, ExitCode, str]:
        problems = ", ".join(_counted(found))
        if self._interrupted or found.lost:
            why = self._interrupted or f"{len(found.lost)} scenarios showed nothing"
            own = any(run.outcome in OPEN for run in found.lost)
            code = ExitCode.HARNESS if own else ExitCode.ENVIRONMENT
            return Verdict.NO_VERDICT, code, f"no verdict: {why}"
        if problems:
            return Verdict.NOT_CONFORMANT, ExitCode.NOT_CONFORMANT, problems
        told = f"nothing vacuous: {found.failed} fail with {self._descriptor.name}"
        return Verdict.CONFORMANT, ExitCode.CONFORMANT, told


def _counted(found: vacuity.Vacuity) -> Iterator[str]:
    if found.vacuous:
        yield f"{len(found.vacuous)} pass although nothing is done"
    if found.stale:
        yield f"{len(found.stale)} are in the list for nothing"
