"""What an implementation is known to fail, as its descriptor says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from queuecheck.catalogue.catalogue import Catalogue
from queuecheck.catalogue.requirement import CatalogueError, Level


@dataclass(frozen=True)
class KnownFailure:
    """A requirement that an implementation is known to fail, and why.

    ``link`` is where more is said, or "". ``intermittent``: not in every run, as where a race
    decides; a run in which it passes does not make the baseline stale.
    """

    id: str
    reason: str
    link: str = ""
    intermittent: bool = False


def wrong_entries(baseline: Iterable[KnownFailure], catalogue: Catalogue) -> Iterator[str]:
    """What no run could ever confirm, each in one line."""
    seen: set[str] = set()
    for entry in baseline:
        if entry.id in seen:
            yield f"baseline: {entry.id} is there twice"
        seen.add(entry.id)
        try:
            row = catalogue.get(entry.id)
        except CatalogueError as error:
            yield f"baseline: {error}"
            continue
        if row.level is Level.WITHDRAWN:
            yield f"baseline: {row.id} was withdrawn: {row.text}"
