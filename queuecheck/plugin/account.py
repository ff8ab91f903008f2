"""What is written down of a scenario while it runs: its steps, and in the end what was seen.

pytest-bdd calls the hooks of ``Accounts``; an ``Account`` lies on the scenario's item until its
report is made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from queuecheck.profiles import Profile
from queuecheck.report import UNDEFINED, Claimed, Picture, ScenarioRun, StepRun
from queuecheck.report.latency import measure
from queuecheck.report.sketch import claimed, sketch
from queuecheck.verdict import Outcome
from queuecheck.world import World

if TYPE_CHECKING:
    from pytest_bdd.parser import Scenario, Step

MOST_PASSED = 40
MOST = 200


class Account:
    """One scenario's steps. ``world`` is None where it runs in something else than ours."""

    def __init__(self, world: World | None) -> None:
        self.world = world
        self.started = datetime.now(UTC)
        self.steps: list[StepRun] = []
        self._claims: list[int] = []
        began = time.monotonic()
        self._now: Callable[[], float] = (
            world.timeline.now if world is not None else lambda: time.monotonic() - began
        )

    def plan(self, steps: Sequence[Step]) -> None:
        """All steps that are due."""
        self.steps = [_step(step) for step in steps]

    def begin(self) -> None:
        """The next step begins."""
        number = len(self._claims)
        self._claims.append(self._made())
        self.steps[number] = replace(self.steps[number], began=self._ms())

    def end(self, outcome: str) -> None:
        """The step that has begun has ended so."""
        step = self.steps[len(self._claims) - 1]
        self.steps[len(self._claims) - 1] = replace(
            step, outcome=outcome, ms=self._ms() - step.began
        )

    def tell(self, run: ScenarioRun, profile: Profile) -> ScenarioRun:
        """The run with all that is known of it."""
        run = replace(run, steps=tuple(self.steps), started=self.started.isoformat("T", "seconds"))
        if self.world is None:
            return run
        timeline = self.world.timeline
        picture = sketch(
            timeline.observations(),
            timeline.gaps(),
            ended=timeline.now(),
            shown={kind.kind: kind.shown for kind in profile.kinds},
            tail=self.world.tail,
            most=MOST_PASSED if run.outcome == Outcome.PASSED else MOST,
        )
        return replace(
            run,
            namespace=self.world.namespace,
            claims=tuple(self._claimed()),
            latencies={} if _is_disturbed(run, profile) else measure(picture, profile.timing),
            picture=_fitting(picture, run),
        )

    def _claimed(self) -> list[Claimed]:
        assert self.world is not None
        if not self._claims:  # a scenario without steps, or one that came to none
            return []
        records = self.world.claims.records
        ends = [*self._claims[1:], len(records)]
        return [
            claimed(record, step=number)
            for number, (first, last) in enumerate(zip(self._claims, ends, strict=True))
            for record in records[first:last]
        ]

    def _made(self) -> int:
        return len(self.world.claims.records) if self.world is not None else 0

    def _ms(self) -> int:
        return round(self._now() * 1000)


ACCOUNT = pytest.StashKey[Account]()


class Accounts:
    """The hooks of pytest-bdd that tell of steps."""

    def pytest_bdd_before_scenario(
        self, request: pytest.FixtureRequest, scenario: Scenario
    ) -> None:
        """All the steps, the Background's too."""
        found = request.node.funcargs.get("world")
        account = request.node.stash[ACCOUNT] = Account(found if isinstance(found, World) else None)
        account.plan(scenario.steps)

    def pytest_bdd_before_step(self, request: pytest.FixtureRequest) -> None:
        """A step begins."""
        request.node.stash[ACCOUNT].begin()

    def pytest_bdd_after_step(self, request: pytest.FixtureRequest) -> None:
        """A step has passed."""
        request.node.stash[ACCOUNT].end(str(Outcome.PASSED))

    @pytest.hookimpl(tryfirst=True)
    def pytest_bdd_step_error(self, request: pytest.FixtureRequest) -> None:
        """A step has failed; evidence of it is taken after this."""
        request.node.stash[ACCOUNT].end(str(Outcome.FAILED))

    def pytest_bdd_step_func_lookup_error(self, request: pytest.FixtureRequest) -> None:
        """A step that nothing defines."""
        request.node.stash[ACCOUNT].begin()
        request.node.stash[ACCOUNT].end(UNDEFINED)


def _step(step: Step) -> StepRun:
    table = step.datatable.raw() if step.datatable is not None else ()
    return StepRun(
        keyword=step.keyword.strip(),
        text=step.name,
        line=step.line_number,
        table=tuple(tuple(str(cell) for cell in row) for row in table),
        doc=step.docstring or "",
    )


def _is_disturbed(run: ScenarioRun, profile: Profile) -> bool:
    return any(tag.removeprefix("needs:") in profile.timing.disturbing for tag in run.tags)


def _fitting(picture: Picture, run: ScenarioRun) -> Picture | None:
    """A scenario that passes once more is told, and not drawn again."""
    return None if run.repetition > 1 and run.outcome == Outcome.PASSED else picture
