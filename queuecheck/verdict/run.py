"""The verdict of a whole run, and the exit code that tells it to a shell.

A run is judged against the whole catalogue: a requirement without a result makes it partial, and so
does a MUST of which a scenario did not run. A run of a selection can pass or fail, but says nothing
about conformance. A known failure is still a failure; accepting the baseline makes only the exit
code 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from queuecheck.catalogue import Level
from queuecheck.verdict.outcome import Outcome
from queuecheck.verdict.requirement import RequirementResult


class Verdict(StrEnum):
    """What a run shows about an implementation."""

    CONFORMANT = "conformant"
    PARTIAL = "partial"
    NOT_CONFORMANT = "not conformant"
    NO_VERDICT = "no verdict"


class ExitCode(IntEnum):
    """The process's answer. ``NOT_CONFORMANT`` is also that of a selection that failed."""

    CONFORMANT = 0
    NOT_CONFORMANT = 1
    USAGE = 2
    ENVIRONMENT = 3
    HARNESS = 4
    PARTIAL = 5


@dataclass(frozen=True)
class Scope:
    """What a run was meant to show.

    ``expected`` are the requirements that stand in the catalogue, ``covered`` those of them that
    have a scenario. ``selection`` says that the user asked for fewer. ``missing`` are features that
    the profile requires and the implementation does not declare, ``absent`` those that it may do
    without. ``interrupted`` is why the run ended early, or "". ``strict`` makes the exit code tell
    of a failed SHOULD or MAY too; ``accept_baseline`` makes it 0 where only known failures failed.
    """

    expected: frozenset[str]
    covered: frozenset[str]
    selection: bool = False
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    interrupted: str = ""
    strict: bool = False
    accept_baseline: bool = False


@dataclass(frozen=True)
class RunVerdict:
    """The verdict, its exit code, and the sentences that explain it."""

    verdict: Verdict
    exit_code: ExitCode
    headline: str
    notes: tuple[str, ...]

    @property
    def word(self) -> str:
        """The verdict, or for a selection only whether it passed: it says nothing more."""
        return self.headline.partition(":")[0]


FAILING = frozenset({Outcome.FAILED, Outcome.EXPECTED_FAILURE})
OPEN = frozenset({Outcome.HARNESS_ERROR, Outcome.CLEANUP_ERROR})
LOST = frozenset({Outcome.ENVIRONMENT})


def judge(results: Sequence[RequirementResult], scope: Scope) -> RunVerdict:
    """The verdict over the results of a run."""
    must = [result for result in results if result.requirement.level is Level.MUST]
    failed = _ids(must, FAILING)
    code, reason = _otherwise(results, scope)
    if failed:
        known = _ids(must, {Outcome.EXPECTED_FAILURE}) == failed
        if not (known and scope.accept_baseline):
            code = ExitCode.NOT_CONFORMANT
        word = "failed, as the baseline says" if known else "failed"
        verdict, reason = Verdict.NOT_CONFORMANT, f"{_many(failed)} {word}"
    elif code in {ExitCode.HARNESS, ExitCode.ENVIRONMENT, ExitCode.USAGE}:
        verdict = Verdict.NO_VERDICT
    elif code is ExitCode.PARTIAL:
        verdict = Verdict.PARTIAL
    else:
        verdict = Verdict.CONFORMANT
    return RunVerdict(
        verdict, code, f"{_word(verdict, scope)}: {reason}", tuple(_notes(results, scope))
    )


def _otherwise(results: Sequence[RequirementResult], scope: Scope) -> tuple[ExitCode, str]:
    """The exit code, and why, of a run in which no MUST has failed."""
    if names := _ids(results, OPEN):
        return ExitCode.HARNESS, f"the suite's own error in {_many(names)}"
    if names := _ids(results, LOST):
        return ExitCode.ENVIRONMENT, f"a broken environment in {_many(names)}"
    if not results and not scope.interrupted:
        return ExitCode.USAGE, "nothing was run"
    if reasons := list(_gaps(results, scope)):
        return ExitCode.PARTIAL, "; ".join(reasons)
    failed = [_praise(results, scope)]
    if stale := _ids(results, {Outcome.STALE_BASELINE}):
        failed.append(f"but the baseline is stale, it lists {_many(stale)}")
    counted = {Outcome.FAILED} if scope.accept_baseline else FAILING
    if scope.strict and (tolerated := _ids(results, counted)):
        failed.append(f"but {_many(tolerated)} failed")
    code = ExitCode.NOT_CONFORMANT if len(failed) > 1 else ExitCode.CONFORMANT
    return code, "; ".join(failed)


def _word(verdict: Verdict, scope: Scope) -> str:
    if scope.selection and verdict is Verdict.CONFORMANT:
        return "selection passed"
    if scope.selection and verdict is Verdict.NOT_CONFORMANT:
        return "selection failed"
    return str(verdict)


def _gaps(results: Sequence[RequirementResult], scope: Scope) -> Iterable[str]:
    if scope.interrupted:
        yield f"the run ended early ({scope.interrupted})"
    if not scope.selection:
        ran = {result.requirement.id for result in results}
        if left := sorted((scope.expected & scope.covered) - ran):
            yield f"{_many(left)} did not run"
        if uncovered := sorted(scope.expected - scope.covered - ran):
            plural = "have" if len(uncovered) > 1 else "has"
            yield f"{_many(uncovered)} {plural} no scenario"
        if scope.missing:
            yield f"required and not declared: {', '.join(scope.missing)}"
    must = [result for result in results if result.requirement.level is Level.MUST]
    if not scope.selection and (part := [each.requirement.id for each in must if not each.whole]):
        yield f"{_many(part)} ran only in part"
    if skipped := _ids(must, {Outcome.SKIPPED}):
        yield f"{_many(skipped)} skipped"


def _notes(results: Sequence[RequirementResult], scope: Scope) -> Iterable[str]:
    if scope.selection:
        yield f"selection: {len(results)} of {len(scope.expected)} requirements"
    if unsupported := _ids(results, {Outcome.NOT_SUPPORTED}):
        yield f"not supported: {', '.join(unsupported)}"
    lesser = [result for result in results if result.requirement.level is not Level.MUST]
    if tolerated := _ids(lesser, FAILING):
        yield f"failed, without consequence for the verdict: {', '.join(tolerated)}"
    if stale := _ids(results, {Outcome.STALE_BASELINE}):
        yield f"stale baseline, passes and is listed as a known failure: {', '.join(stale)}"


def _praise(results: Sequence[RequirementResult], scope: Scope) -> str:
    passed = _ids(results, {Outcome.PASSED})
    without = f", without {', '.join(scope.absent)}" if scope.absent else ""
    return f"{_many(passed) or '0 requirements'} passed{without}"


def _ids(results: Iterable[RequirementResult], outcomes: Iterable[Outcome]) -> list[str]:
    wanted = frozenset(outcomes)
    return [result.requirement.id for result in results if result.outcome in wanted]


def _many(names: Sequence[str]) -> str:
    """Names while they can be read at a glance, then their number."""
    return ", ".join(names) if len(names) <= 6 else f"{len(names)} requirements"
