"""How a run against a lying controller is shortened."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from pytest_bdd.parser import Step

from queuecheck.budgets import DEFAULTS, Budgets
from tests.lying import haste


def begin(kind: str) -> None:
    haste.pytest_bdd_before_step(cast("Step", SimpleNamespace(type=kind)))


def test_only_what_is_claimed_in_the_end_has_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(haste.SCALE, "0.5")
    monkeypatch.setattr(Budgets, "seconds", Budgets.seconds)  # as it was, after this test
    budgets = Budgets()
    for kind, share in (("given", 1), ("when", 1), ("then", 0.5)):
        begin(kind)
        assert budgets.seconds("admit") == share * DEFAULTS["admit"]
        for window in haste.WINDOWS:
            assert budgets.seconds(window) == DEFAULTS[window]
    haste.pytest_runtest_teardown()
    assert budgets.seconds("admit") == DEFAULTS["admit"]
    begin("then")
    haste.pytest_runtest_setup()
    assert budgets.seconds("admit") == DEFAULTS["admit"]
