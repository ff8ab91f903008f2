"""The verdict of a whole run, and the exit code that tells it to a shell.

A run is judged against the requirements that have a scenario in this version of the suite. Those
that have none yet are counted and stated, never silently taken as met. A run of a selection can
pass or fail, but says nothing about conformance.
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

    ``covered`` are the requirements that have a scenario, ``selection`` says that the user asked
    for fewer. ``missing`` are features that the profile requires and the implementation does not
    declare. ``interrupted`` is why the run ended early, or "". ``strict`` makes the exit code
    tell of a failed SHOULD or MAY too.
    """

    catalogue_size: int
    covered: frozenset[str]
    selection: bool = False
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    interrupted: str = ""
    strict: bool = False


@dataclass(frozen=True)
class RunVerdict:
    """The verdict, its exit code, and the sentences that explain it."""

    verdict: Verdict
    exit_code: ExitCode
    headline: str
    notes: tuple[str, ...]


BASELINED = frozenset({Outcome.FAILED, Outcome.EXPECTED_FAILURE})
OPEN = frozenset({Outcome.HARNESS_ERROR, Outcome.CLEANUP_ERROR})
NOT_RUN = frozenset({Outcome.SKIPPED})


def judge(results: Sequence[RequirementResult], scope: Scope) -> RunVerdict:
    """The verdict over the results of a run."""
    must = [result for result in results if result.requirement.level is Level.MUST]
    wanting = [result for result in results if result.requirement.level is not Level.MUST]
    failed = _ids(must, BASELINED)
    stale = _ids(results, {Outcome.STALE_BASELINE})
    tolerated = _ids(wanting, BASELINED)
    notes = list(_notes(results, scope))
    if tolerated:
        notes.append(f"failed, without consequence for the verdict: {', '.join(tolerated)}")
    if stale:
        notes.append(f"stale baseline, passes and is listed as a known failure: {', '.join(stale)}")

    if failed:
        return _verdict(
            Verdict.NOT_CONFORMANT, ExitCode.NOT_CONFORMANT, scope, notes, f"{_many(failed)} failed"
        )
    for outcomes, code in ((OPEN, ExitCode.HARNESS), ({Outcome.ENVIRONMENT}, ExitCode.ENVIRONMENT)):
        names = _ids(results, outcomes)
        if names:
            told = "the suite's own error" if code is ExitCode.HARNESS else "a broken environment"
            return _verdict(Verdict.NO_VERDICT, code, scope, notes, f"{told} in {_many(names)}")
    if not results and not scope.interrupted:
        return _verdict(Verdict.NO_VERDICT, ExitCode.USAGE, scope, notes, "nothing was run")
    reasons = list(_gaps(results, must, scope))
    if reasons:
        return _verdict(Verdict.PARTIAL, ExitCode.PARTIAL, scope, notes, "; ".join(reasons))
    exit_code = ExitCode.CONFORMANT
    if stale or (scope.strict and tolerated):
        exit_code = ExitCode.NOT_CONFORMANT
    return _verdict(Verdict.CONFORMANT, exit_code, scope, notes, _praise(results, scope))


def _verdict(
    verdict: Verdict, exit_code: ExitCode, scope: Scope, notes: list[str], reason: str
) -> RunVerdict:
    word = str(verdict)
    if scope.selection and verdict is Verdict.CONFORMANT:
        word = "selection passed"
    elif scope.selection and verdict is Verdict.NOT_CONFORMANT:
        word = "selection failed"
    return RunVerdict(verdict, exit_code, f"{word}: {reason}", tuple(notes))


def _gaps(
    results: Sequence[RequirementResult], must: Sequence[RequirementResult], scope: Scope
) -> Iterable[str]:
    if scope.interrupted:
        yield f"the run ended early ({scope.interrupted})"
    if not scope.selection:
        left = scope.covered - {result.requirement.id for result in results}
        if left:
            yield f"{_many(sorted(left))} did not run"
        if scope.missing:
            yield f"required and not declared: {', '.join(scope.missing)}"
    skipped = _ids(must, NOT_RUN)
    if skipped:
        yield f"{_many(skipped)} skipped"


def _notes(results: Sequence[RequirementResult], scope: Scope) -> Iterable[str]:
    if scope.selection:
        yield f"selection: {len(results)} of {scope.catalogue_size} requirements"
    elif len(scope.covered) < scope.catalogue_size:
        uncovered = scope.catalogue_size - len(scope.covered)
        yield (
            f"not judged: {uncovered} of the catalogue's {scope.catalogue_size} requirements"
            " have no scenario in this version of the suite"
        )
    unsupported = _ids(results, {Outcome.NOT_SUPPORTED})
    if unsupported:
        yield f"not supported: {', '.join(unsupported)}"


def _praise(results: Sequence[RequirementResult], scope: Scope) -> str:
    passed = _ids(results, {Outcome.PASSED})
    without = f", without {', '.join(scope.absent)}" if scope.absent else ""
    return f"{_many(passed)} passed{without}"


def _ids(results: Iterable[RequirementResult], outcomes: Iterable[Outcome]) -> list[str]:
    wanted = frozenset(outcomes)
    return [result.requirement.id for result in results if result.outcome in wanted]


def _many(names: Sequence[str]) -> str:
    """Names while they can be read at a glance, then their number."""
    return ", ".join(names) if len(names) <= 6 else f"{len(names)} requirements"
