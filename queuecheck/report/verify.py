"""Whether a report is whole, and says of its results what follows from them: pure.

The digest finds what was changed or lost by accident. It is no signature: whoever changes a report
can compute it anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from queuecheck import __version__
from queuecheck.catalogue import Catalogue, Requirement
from queuecheck.report import latency, recount, schema
from queuecheck.report.document import ReportError, digest_of, to_report
from queuecheck.report.model import INTERNAL_ERROR, NOT_RUN, Report, RequirementRow
from queuecheck.secrecy import MASK
from queuecheck.verdict import ExitCode, Outcome, RequirementResult, RunVerdict

# As many names as can be read at a glance.
FEW = 6


@dataclass(frozen=True)
class Verification:
    """``wrong`` is what makes the report unusable, ``noted`` what is to be known of it besides.

    ``open`` are the MUST that have no result, ``in_part`` those of which a scenario did not run.
    """

    report: Report | None
    wrong: tuple[str, ...]
    open: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()

    @property
    def incomplete(self) -> bool:
        """Whether more of a MUST could have been shown."""
        return bool(self.open or self.in_part)


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
    noted: list[str] = []
    if catalogue is not None:
        results = recount.results_of(report, catalogue)
        right = recount.verdict_of(report, results, catalogue)
        wrong += [*_against_results(report, results), *_against_verdict(report, right)]
        noted += _beside(report, right)
    must = [row for row in report.requirements if row.level == "must"]
    still_open = [row.id for row in must if row.outcome in {NOT_RUN, Outcome.SKIPPED}]
    return Verification(
        report,
        tuple(wrong),
        open=tuple(still_open),
        in_part=tuple(row.id for row in must if not row.whole and row.id not in still_open),
        noted=tuple(noted),
    )


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
    else:
        yield from _other_words(report, catalogue)
    levels = {row.id: str(row.level) for row in catalogue.standing}
    found = Counter(row.id for row in report.requirements)
    missing = {
        name: [f"{name} ({level.upper()}) is missing"]
        for name, level in levels.items()
        if name not in found
    }
    strangers = {name: [f"{name} is not in the catalogue"] for name in found if name not in levels}
    others = {row.id: list(_otherwise(row, found, levels)) for row in report.requirements}
    yield from _bundled(missing, "are missing")
    yield from _bundled(strangers, "are not in the catalogue")
    yield from _bundled(others, "are there several times, or of another level")


def _otherwise(
    row: RequirementRow, found: Mapping[str, int], levels: Mapping[str, str]
) -> Iterator[str]:
    """What of its place among all is wrong; what the catalogue has not is told elsewhere."""
    if found[row.id] > 1:
        yield f"{row.id} is there {found[row.id]} times"
    elif row.id in levels and row.level != levels[row.id]:
        yield f"{row.id} is {levels[row.id].upper()} in the catalogue, {row.level.upper()} here"


def _bundled(told: Mapping[str, Sequence[str]], of_many: str) -> Iterator[str]:
    """The lines of each of a few requirements, by their names, and one line for all of many."""
    names = [name for name, lines in told.items() if lines]
    if len(names) <= FEW:
        yield from (line for name in names for line in told[name])
    else:
        yield f"{len(names)} requirements, {names[0]} first, {of_many}"


def _other_words(report: Report, catalogue: Catalogue) -> Iterator[str]:
    """Where the report quotes its catalogue otherwise than it is."""
    size = len(catalogue.standing)
    if report.catalogue.size != size:
        yield f"catalogue: it has {size} requirements, not {report.catalogue.size}"
    areas = [(area.code, area.title) for area in catalogue.areas.values()]
    if not _all_alike(
        [word for area in report.catalogue.areas for word in (area.code, area.title)],
        [word for area in areas for word in area],
    ):
        yield "catalogue: its areas are not those of the report"
    known = catalogue.requirements
    found = {
        row.id: [f"{row.id}: not what the catalogue says: {', '.join(others)}"]
        for row in report.requirements
        if row.id in known and (others := list(_others(row, known[row.id])))
    }
    yield from _bundled(found, "are not as in the catalogue")


def _others(row: RequirementRow, right: Requirement) -> Iterator[str]:
    """Which of its words are others in the catalogue. The level is looked at by itself."""
    pairs = {
        "area": (row.area, right.area),
        "text": (row.text, right.text),
        "basis": (row.basis, right.origin),
        "needs": (", ".join(row.needs), ", ".join(right.needs)),
    }
    for name, (said, due) in pairs.items():
        if not _alike(said, due):
            yield name


def _against_results(report: Report, results: Sequence[RequirementResult]) -> Iterator[str]:
    """What the results, counted again, say of a requirement otherwise than the report does."""
    counted = {result.requirement.id: result for result in results}
    reasons = {
        (name, run.outcome, run.reason) for run in report.scenarios for name in run.requirements
    }
    yield from _astray(report)
    rows = {row.id: list(_row(row, counted.get(row.id), reasons)) for row in report.requirements}
    yield from _bundled(rows, "are not what their scenarios say")
    if report.latencies != latency.summarise(run.latencies for run in report.scenarios):
        yield "latencies: they are not those of the scenarios"


def _against_verdict(report: Report, right: RunVerdict) -> Iterator[str]:
    """What the results, judged again, say of the run otherwise than the report does."""
    said = report.judgement
    writer = report.versions.get("queuecheck", "another version")
    # Its sentences may have been others.
    advice = "" if writer == __version__ else f"; verify it with queuecheck {writer}"
    if said.verdict != right.word:
        yield f"the verdict is {said.verdict}, its results say {right.word}"
        return
    if not _alike(said.headline, right.headline):
        yield f"the headline is not what its results say: {right.headline}{advice}"
    if not _all_alike(said.notes, right.notes):
        notes = "; ".join(right.notes) or "nothing"
        yield f"the notes are not what its results say: {notes}{advice}"
    first, *others = _possible(report, right)
    if said.exit_code not in {first, *others}:
        yield f"judgement.exitCode: it is {said.exit_code}, what the run came to makes it {first}"


def _possible(report: Report, right: RunVerdict) -> tuple[int, ...]:
    """The exit codes that such a run can have ended with, first that of its results if it can be.

    As in the summary of the plugin, which makes them.
    """
    if report.run.ended_early == INTERNAL_ERROR:
        return (ExitCode.HARNESS,)
    if report.run.failed_beside:
        return (ExitCode.NOT_CONFORMANT,)
    if report.run.ended_early and not report.scenarios:
        # Nothing was there to run, or it could not be collected.
        return (right.exit_code, ExitCode.USAGE, ExitCode.HARNESS)
    return (right.exit_code,)


def _beside(report: Report, right: RunVerdict) -> Iterator[str]:
    """What came from outside of the scenarios, and no result of them can show."""
    code = report.judgement.exit_code
    if code != right.exit_code and code in _possible(report, right):
        failed = _few(report.run.failed_beside, "tests")
        yield (
            f"the exit code is {code}, its results alone would make it {int(right.exit_code)}: "
            f"the run failed at something else than a scenario{f', {failed}' if failed else ''}"
        )


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


def _row(
    row: RequirementRow,
    counted: RequirementResult | None,
    reasons: Collection[tuple[str, str, str]],
) -> Iterator[str]:
    """``reasons`` are those of all scenarios, with requirement and outcome."""
    said = (row.outcome, row.passed, row.runs)
    right: tuple[str, int, int] = (NOT_RUN, 0, 0)
    if counted is not None:
        right = (str(counted.outcome), counted.passed, counted.scenarios)
    if said != right:
        yield (
            f"{row.id} is {row.outcome}, {row.passed} of {row.runs} passed; its scenarios say "
            f"{right[0]}, {right[1]} of {right[2]}"
        )
        return
    if row.ms != (counted.milliseconds if counted is not None else 0):
        yield f"{row.id}: its time is not that of its scenarios"
    # Of several scenarios that ended alike, the one that ended first told the reason.
    if (row.id, row.outcome, row.reason) not in reasons and not _alike(
        row.reason, counted.reason if counted is not None else ""
    ):
        yield f"{row.id}: its reason is not that of its scenarios"


def _all_alike(said: Sequence[str], right: Sequence[str]) -> bool:
    return len(said) == len(right) and all(map(_alike, said, right))


def _alike(said: str, right: str) -> bool:
    """Whether a text is the right one, but for what was masked in it."""
    if said == right or MASK not in said:
        return said == right
    first, *others, last = said.split(MASK)
    if not (right.startswith(first) and right.endswith(last)):
        return False
    at = len(first)
    for part in others:
        found = right.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at <= len(right) - len(last)


def told(verification: Verification) -> Sequence[str]:
    """What is wrong, open or to be known, a line each."""
    return [
        *verification.wrong,
        *verification.noted,
        *_listed("without a result", verification.open),
        *_listed("ran only in part", verification.in_part),
    ]


def _listed(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"{what}: {_few(names, 'MUST')}"


def _few(names: Sequence[str], kind: str) -> str:
    return ", ".join(names) if len(names) <= FEW else f"{len(names)} {kind}"
