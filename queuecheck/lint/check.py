"""All checks together."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from queuecheck.catalogue import Problem, Vocabulary, read_feature
from queuecheck.lint import files, requirements
from queuecheck.lint.model import read_files
from queuecheck.lint.steps import StepCheck
from queuecheck.plugin.compat import StepDefinition, step_definitions, step_modules


@dataclass(frozen=True)
class Suite:
    """What is examined: features, the packages of their steps, and the catalogue's file."""

    features: Path
    steps: Sequence[str]
    catalogue: Path
    vocabulary: Vocabulary

    @property
    def base(self) -> Path:
        """What the places of findings start from."""
        return self.features.parent


def examine(suite: Suite) -> tuple[Problem, ...]:
    """Every problem, by file and line."""
    return tuple(sorted(set(_problems(suite))))


def _problems(suite: Suite) -> Iterator[Problem]:
    read, unreadable = read_files(suite.features)
    if unreadable:  # whatever else would be said is about what was not read
        yield from unreadable
        return
    for file in read:
        yield from files.problems_of(file)
    scenarios = [
        scenario
        for file in read
        for scenario in read_feature(suite.base / file.name, base=suite.base)
    ]
    yield from requirements.problems_of(read, scenarios, suite.vocabulary)
    yield from requirements.uncovered(
        scenarios, suite.vocabulary, catalogue=suite.catalogue, shown_as=_shown(suite)
    )
    steps = StepCheck(_definitions(suite.steps), suite.base)
    yield from steps.problems_of(read)
    yield from steps.unused()


def _shown(suite: Suite) -> str:
    file, base = suite.catalogue, suite.base
    return (file.relative_to(base) if file.is_relative_to(base) else file).as_posix()


def _definitions(packages: Sequence[str]) -> list[StepDefinition]:
    return [
        definition
        for package in packages
        for name in step_modules(package)
        for definition in step_definitions(importlib.import_module(name))
    ]
