"""``report.html``: a whole run in one file that asks nobody for anything.

The verdict comes first, then what is wrong: the broken rule in the catalogue's words, the moment,
what was expected and what was seen. Then every requirement with its scenarios. A small script
filters; without it everything is there all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from queuecheck.report.html.lanes import Looks
from queuecheck.report.html.outcomes import Shown, outcome, verdict
from queuecheck.report.html.scenes import Scene, scene
from queuecheck.report.html.templates import digest, raw, render
from queuecheck.report.model import NOT_RUN, Report, RequirementRow
from queuecheck.verdict import Outcome

COMPARABLE = "cross-kind-order"
LEVELS = ("must", "should", "may")
# Which outcomes come first among what is wrong; those not named here are not wrong.
WRONG = (
    Outcome.FAILED,
    Outcome.STALE_BASELINE,
    Outcome.HARNESS_ERROR,
    Outcome.ENVIRONMENT,
    Outcome.CLEANUP_ERROR,
    Outcome.EXPECTED_FAILURE,
)
# Faults with one and the same reason are one trouble, such as a server that was lost.
SHARED = frozenset({Outcome.HARNESS_ERROR, Outcome.ENVIRONMENT, Outcome.CLEANUP_ERROR})


@dataclass(frozen=True)
class Requirement:
    """A requirement, the scenarios that are shown with it, and those shown elsewhere."""

    row: RequirementRow
    shown: Shown
    scenes: tuple[Scene, ...]
    elsewhere: tuple[Scene, ...]


@dataclass(frozen=True)
class Area:
    """A chapter of the catalogue with its requirements."""

    code: str
    title: str
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True)
class Fault:
    """A requirement that is not met, the scenario that shows it, and who else has the reason."""

    requirement: Requirement
    scene: Scene | None
    others: tuple[str, ...]


@dataclass(frozen=True)
class Tally:
    """How many requirements of a level came to each outcome, in the order of the outcomes."""

    level: str
    total: int
    counts: tuple[tuple[Shown, int], ...]


def page(report: Report, looks: Looks) -> str:
    """The text of the file. ``looks`` are the profile's, by kind."""
    areas = tuple(_areas(report, looks))
    requirements = [each for area in areas for each in area.requirements]
    script = raw("filter.js")
    return render(
        "report.html",
        script=script,
        script_digest=digest(script),
        shown_of=outcome,
        report=report,
        verdict=verdict(report.judgement.verdict),
        areas=areas,
        places={each.row.id: f"#{each.row.id}" for each in requirements},
        faults=tuple(_faults(requirements)),
        tallies=tuple(_tallies(requirements)),
        outcomes=_present(requirements),
        levels=LEVELS,
    )


def comparable(report: Report) -> bool:
    """Whether versions of different kinds can be put in order."""
    return all(COMPARABLE in cluster.capabilities for cluster in report.clusters)


def _areas(report: Report, looks: Looks) -> Iterator[Area]:
    ordered = comparable(report)
    scenes = [
        scene(run, looks, key=f"s{number}", ordered=ordered)
        for number, run in enumerate(report.scenarios)
    ]
    # A selection shows what was selected, and says so.
    rows = [row for row in report.requirements if row.runs or not report.run.selection]
    home: dict[int, str] = {}
    for row in rows:
        for number in row.scenarios:
            home.setdefault(number, row.id)
    for area in report.catalogue.areas:
        own = tuple(_requirement(row, scenes, home) for row in rows if row.area == area.code)
        if own:
            yield Area(area.code, area.title, own)


def _requirement(
    row: RequirementRow, scenes: Sequence[Scene], home: Mapping[int, str]
) -> Requirement:
    return Requirement(
        row=row,
        shown=outcome(row.outcome),
        scenes=tuple(scenes[number] for number in row.scenarios if home[number] == row.id),
        elsewhere=tuple(scenes[number] for number in row.scenarios if home[number] != row.id),
    )


def _faults(requirements: Sequence[Requirement]) -> Iterator[Fault]:
    """The worst first, MUST before SHOULD before MAY; troubles that are one only once.

    Of those that are equally bad the first ones caught a write that must not be; of a requirement's
    scenarios such a one is shown.
    """
    wrong = [each for each in requirements if each.row.outcome in WRONG]
    wrong.sort(key=_urgency)
    told: set[tuple[str, str]] = set()
    for each in wrong:
        same = (each.row.outcome, each.row.reason)
        if same in told:
            continue
        others: tuple[str, ...] = ()
        if each.row.outcome in SHARED:
            told.add(same)
            others = tuple(
                other.row.id
                for other in wrong
                if other is not each and (other.row.outcome, other.row.reason) == same
            )
        yield Fault(each, _telling(each), others)


def _telling(requirement: Requirement) -> Scene | None:
    """Of its scenarios with its outcome the one that tells most."""
    found = [
        each
        for each in (*requirement.scenes, *requirement.elsewhere)
        if each.run.outcome == requirement.row.outcome
    ]
    return min(found, key=lambda each: not _caught(each), default=None)


def _caught(scene: Scene | None) -> bool:
    return scene is not None and scene.broken is not None and scene.broken.caught


def _urgency(requirement: Requirement) -> tuple[bool, int, int, bool]:
    row = requirement.row
    worst = WRONG.index(Outcome(row.outcome))
    level = LEVELS.index(row.level) if row.level in LEVELS else len(LEVELS)
    return (
        row.outcome == Outcome.FAILED and row.level != "must",
        worst,
        level,
        not _caught(_telling(requirement)),
    )


def _tallies(requirements: Sequence[Requirement]) -> Iterator[Tally]:
    present = _present(requirements)
    for level in LEVELS:
        counts = Counter(each.row.outcome for each in requirements if each.row.level == level)
        if counts:
            found = tuple((outcome(word), counts[word]) for word in present)
            yield Tally(level, sum(counts.values()), found)


def _present(requirements: Sequence[Requirement]) -> tuple[str, ...]:
    """The outcomes that there are, what passed first."""
    order = [Outcome.PASSED, *WRONG, Outcome.NOT_SUPPORTED, Outcome.SKIPPED, NOT_RUN]
    found = {each.row.outcome for each in requirements}
    return tuple(str(word) for word in order if word in found)
