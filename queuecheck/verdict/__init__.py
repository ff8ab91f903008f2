"""From outcomes to a verdict: pure functions, from scenario to requirement to run to exit code."""

from queuecheck.verdict.outcome import Outcome, ScenarioResult, worst
from queuecheck.verdict.requirement import RequirementResult, by_requirement
from queuecheck.verdict.run import ExitCode, RunVerdict, Scope, Verdict, judge

__all__ = [
    "ExitCode",
    "Outcome",
    "RequirementResult",
    "RunVerdict",
    "ScenarioResult",
    "Scope",
    "Verdict",
    "by_requirement",
    "judge",
    "worst",
]
