"""Shortens the wait for what a lying controller never does: a plugin of pytest for such a run.

Less time has only what a scenario claims in the end, and of that only a claim that fails in the
words by which the lie is found out: nothing comes of it, so that nobody needs its time. What a
lying controller does as any other one does, and what it does wrongly, comes when the machine is
quick enough: for that there is all the time, and so for each window of what must not be seen.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from pytest_bdd.parser import Step

from queuecheck.timeline import Claims, Condition, Sighting
from queuecheck.timeline import Step as Row
from queuecheck.world import world

SCALE = "SCALE_OF_CLAIMS"
SAID = "SAID_IN_THE_END"
IN_TIME, IN_TURN = ": not seen within", ": not seen in its turn"


class Hasty(Claims):
    """Claims, of which those have less time that are to fail."""

    at_the_end = False  # of the scenario that is played

    def eventually(self, state: Condition, **named: Any) -> Sighting:
        with self._hurry(foretold(state.sentence + IN_TIME)):
            return super().eventually(state, **named)

    def in_order(self, steps: Sequence[Row], **named: Any) -> tuple[Sighting, ...]:
        with self._hurry(foretold(*(step.state.sentence + IN_TURN for step in steps))):
            return super().in_order(steps, **named)

    def poll(self, *args: Any, **named: Any) -> Any:
        """What is read has no sentence of the words that a failure tells: always."""
        with self._hurry(True):
            return super().poll(*args, **named)

    @contextmanager
    def _hurry(self, hurried: bool) -> Generator[None]:
        in_full = self.budgets
        if hurried and self.at_the_end:
            self.budgets = replace(in_full, scale=in_full.scale * float(os.environ[SCALE]))
        try:
            yield
        finally:
            self.budgets = in_full


def foretold(*failures: str) -> bool:
    """Whether such a failure is one by which the lie is found out. "not seen" alone names none."""
    words = [word for word in json.loads(os.environ[SAID]) if word not in IN_TIME + IN_TURN]
    return any(word in failure for word in words for failure in failures)


def pytest_configure() -> None:
    world.Claims = Hasty  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    Hasty.at_the_end = False


def pytest_bdd_before_step(step: Step) -> None:
    Hasty.at_the_end = step.type == "then"
