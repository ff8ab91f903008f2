"""What ``list`` and ``explain`` read: the catalogue, the features, a descriptor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from queuecheck import resources
from queuecheck.catalogue import (
    NEEDS_PREFIX,
    Catalogue,
    CatalogueError,
    FeatureError,
    Scenario,
    load_catalogue,
    read_features,
)
from queuecheck.implementation import (
    Descriptor,
    DescriptorError,
    load_descriptor,
    packaged_descriptor,
)

PROFILE = "koord-queue"
REFERENCE = "reference"


@dataclass(frozen=True)
class Suite:
    """The requirements and the scenarios that show them."""

    catalogue: Catalogue
    scenarios: tuple[Scenario, ...]

    @property
    def covered(self) -> frozenset[str]:
        """The requirements that have a scenario."""
        return frozenset(name for scenario in self.scenarios for name in scenario.requirements)


def read_suite(profile: str = PROFILE) -> Suite:
    """Raises a usage error where a file is unusable."""
    try:
        return Suite(
            load_catalogue(resources.catalogue_file(profile)),
            read_features(resources.features_root()),
        )
    except (CatalogueError, FeatureError) as error:
        raise click.UsageError(str(error)) from error


def read_descriptor(file: Path | None) -> Descriptor:
    """The named implementation, or the reference controller's. Raises a usage error."""
    try:
        return packaged_descriptor(REFERENCE) if file is None else load_descriptor(file)
    except DescriptorError as error:
        raise click.UsageError(str(error)) from error


def needs_of(scenario: Scenario) -> tuple[str, ...]:
    """The features that a scenario asks for."""
    return tuple(
        sorted(
            word.removeprefix(NEEDS_PREFIX)
            for word in scenario.words
            if word.startswith(NEEDS_PREFIX)
        )
    )
