"""What each worker is at: told in one small file for each, read where the terminal is.

pytest-xdist carries results only. The age of a file is how long its step has lasted, so nobody's
clock is compared with anybody else's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from queuecheck.plugin.suite import SCENARIO

if TYPE_CHECKING:
    from pytest_bdd.parser import Step

STAGE = "qc_stage"
ALONE = "main"


@dataclass(frozen=True)
class Doing:
    """A worker, the requirement it shows, the step that it is in, and for how many seconds."""

    worker: str
    requirement: str
    step: str
    seconds: float


class Whereabouts:
    """The hooks of a process that runs scenarios."""

    def __init__(self, directory: Path, *, worker: str) -> None:
        self._file = directory / (worker or ALONE)
        self._requirement = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A scenario begins."""
        scenario = item.stash.get(SCENARIO, None)
        self._requirement = scenario.requirements[0] if scenario else item.name
        self._tell("makes its world")

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> None:
        """The first scenario of a worker waits for its cluster."""
        if fixturedef.argname == STAGE:
            self._tell("waits for the cluster and the implementation")

    def pytest_bdd_before_step(self, step: Step) -> None:
        """A step begins."""
        self._tell(f"{step.keyword.strip()} {step.name}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self) -> None:
        """The scenario's world is taken away."""
        self._tell("takes its world away")

    def pytest_runtest_logfinish(self) -> None:
        """The scenario is over."""
        self._file.unlink(missing_ok=True)

    def _tell(self, step: str) -> None:
        fresh = self._file.with_suffix(".new")
        with suppress(OSError):  # the run is not to fail for what is only shown
            fresh.write_text(f"{self._requirement}\n{step}", "utf-8")
            fresh.replace(self._file)


def look(directory: Path) -> Iterator[Doing]:
    """What every worker is at, by name."""
    now = time.time()
    for file in sorted(directory.iterdir()):
        if file.suffix:
            continue
        with suppress(OSError):  # it has just ended
            requirement, _, step = file.read_text("utf-8").partition("\n")
            yield Doing(file.name, requirement, step, max(0.0, now - file.stat().st_mtime))
