"""Whether scenarios can fail: a controller that does nothing has to fail them all.

A scenario that passes with such a controller is *vacuous*, unless a list names it with the reason
why doing nothing is right there. What the list names and does not pass is *stale*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from queuecheck.reading import Unreadable, read_yaml
from queuecheck.verdict.outcome import Outcome, ScenarioResult

KEYS = frozenset({"feature", "scenarios", "with", "reason"})
# No fault of the controller was found in these, whatever kept it from being found.
LOST = frozenset(
    {
        Outcome.ENVIRONMENT,
        Outcome.HARNESS_ERROR,
        Outcome.CLEANUP_ERROR,
        Outcome.SKIPPED,
        Outcome.NOT_SUPPORTED,
    }
)


class SparedError(Exception):
    """The list cannot be used; the message is one line."""


@dataclass(frozen=True)
class Spared:
    """A scenario that may pass with the implementations named, and why."""

    feature: str
    scenario: str
    implementations: tuple[str, ...]
    reason: str

    def names(self, result: ScenarioResult) -> bool:
        """Whether the result is one of this scenario."""
        file = PurePath(result.place.rpartition(":")[0]).name
        return (file, result.name) == (self.feature, self.scenario)


@dataclass(frozen=True)
class Vacuity:
    """What passed though nothing was done, and what the list names for nothing.

    ``lost`` are the runs that show neither, ``failed`` is how many failed as they have to.
    """

    vacuous: tuple[ScenarioResult, ...]
    spared: tuple[Spared, ...]
    stale: tuple[Spared, ...]
    lost: tuple[ScenarioResult, ...]
    failed: int


def read_spared(file: Path) -> tuple[Spared, ...]:
    """The list. Raises SparedError."""
    try:
        entries = read_yaml(file)
    except Unreadable as error:
        raise SparedError(str(error)) from error
    if not isinstance(entries, list):
        raise SparedError(f"{file}: it has to be a list")
    return tuple(
        spared
        for number, entry in enumerate(entries, start=1)
        for spared in _spared(file, number, entry)
    )


def examine(
    results: Iterable[ScenarioResult], spared: Iterable[Spared], *, implementation: str
) -> Vacuity:
    """Judges a run against a controller that does nothing, by the name of that controller.

    Only an entry whose scenario was run can be stale. Of an outline one row that passes is enough.
    """
    runs = list(results)
    mine = [each for each in spared if implementation in each.implementations]
    passed = [run for run in runs if run.outcome is Outcome.PASSED]
    failed = [run for run in runs if run.outcome is Outcome.FAILED]
    return Vacuity(
        vacuous=tuple(run for run in passed if not any(each.names(run) for each in mine)),
        spared=tuple(each for each in mine if any(each.names(run) for run in passed)),
        stale=tuple(
            each
            for each in mine
            if any(each.names(run) for run in failed) and not any(each.names(run) for run in passed)
        ),
        lost=tuple(run for run in runs if run.outcome in LOST),
        failed=len(failed),
    )


def _spared(file: Path, number: int, entry: object) -> Iterator[Spared]:
    if not isinstance(entry, Mapping) or set(entry) != KEYS or not all(entry.values()):
        keys = ", ".join(sorted(KEYS))
        raise SparedError(f"{file}: entry {number} has to have exactly the keys {keys}")
    found: Mapping[str, Any] = entry
    for key in ("scenarios", "with"):
        if not isinstance(found[key], list):
            raise SparedError(f"{file}: entry {number}: {key} has to be a list")
    for scenario in found["scenarios"]:
        yield Spared(
            feature=str(found["feature"]),
            scenario=str(scenario),
            implementations=tuple(map(str, found["with"])),
            reason=" ".join(str(found["reason"]).split()),
        )
