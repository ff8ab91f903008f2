"""Whether features and catalogue belong together: IDs, levels, tags, names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from queuecheck.catalogue import Problem, Scenario, Vocabulary, check
from queuecheck.lint.model import FeatureFile


def problems_of(
    files: Sequence[FeatureFile], scenarios: Sequence[Scenario], vocabulary: Vocabulary
) -> Iterator[Problem]:
    """Tags and names, of the whole suite."""
    yield from check(scenarios, vocabulary)
    for scenario in scenarios:
        if len(scenario.requirements) > 1:
            message = f"scenario {scenario.name!r} has {len(scenario.requirements)} IDs"
            remedy = "keep the one it shows, and give the others scenarios of their own"
            yield Problem(scenario.file, scenario.line, message, remedy)
    for file in files:
        if vocabulary.profile not in file.tags:
            message = f"the Feature is not tagged @{vocabulary.profile}"
            yield Problem(file.name, file.line, message, "add the tag in the line above")


def uncovered(
    scenarios: Sequence[Scenario], vocabulary: Vocabulary, *, catalogue: Path, shown_as: str
) -> Iterator[Problem]:
    """The requirements that no scenario shows, at their rows in the catalogue's file."""
    covered = {name for scenario in scenarios for name in scenario.requirements}
    lines = catalogue.read_text("utf-8").splitlines()
    for row in vocabulary.catalogue.standing:
        if row.id in covered:
            continue
        line = next((n for n, text in enumerate(lines, 1) if text.endswith(f"id: {row.id}")), 1)
        remedy = "write one, tagged with the ID and the level, below a Rule that states it"
        yield Problem(shown_as, line, f"{row.id} has no scenario", remedy)
