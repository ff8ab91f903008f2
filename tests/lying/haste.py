"""Shortens the wait for what a lying controller never does: a plugin of pytest for such a run.

Less time has only what a scenario claims in the end. Until then all goes as with any other
controller: how long it takes a cluster, the canary and the steps before is the machine's matter.
A window in which nothing must happen keeps its time, too: in it the lie has to show itself.
"""

from __future__ import annotations

import os

import pytest
from pytest_bdd.parser import Step

from queuecheck.budgets import Budgets

SCALE = "SCALE_OF_CLAIMS"
WINDOWS = frozenset({"quiet", "settle", "idle"})
in_full = Budgets.seconds


def take(share: float) -> None:
    """So much of each budget for what has to come is left from here on."""
    Budgets.seconds = lambda self, budget: (  # type: ignore[method-assign]
        in_full(self, budget) * (1.0 if budget in WINDOWS else share)
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    take(1.0)


def pytest_bdd_before_step(step: Step) -> None:
    take(float(os.environ[SCALE]) if step.type == "then" else 1.0)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    take(1.0)
