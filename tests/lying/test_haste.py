"""How a run against a lying controller is shortened."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import cast

import pytest
from pytest_bdd.parser import Step

from queuecheck.timeline import Budgets, ClaimFailed, Claims, Quiet, State
from queuecheck.timeline import Step as Row
from queuecheck.world import world
from tests.lying import haste
from tests.timeline.stage import BUDGETS, Stage, has, unit

LOW, HIGH = has(unit("low"), x=1), has(unit("high"), x=1)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Budgets of 5 s, of which a fifth is left to what fails as said of "low"."""
    monkeypatch.setenv(haste.SCALE, "0.2")
    monkeypatch.setenv(haste.SAID, json.dumps(['Unit "low" has x 1', "not seen"]))
    monkeypatch.setattr(haste.Hasty, "at_the_end", False)  # as it was, after this test
    stage = Stage()
    budgets = Budgets.from_mapping(BUDGETS)
    stage.claims = haste.Hasty(stage.timeline, budgets=budgets, cross_kind_order=True)
    return stage


def begin(kind: str) -> None:
    haste.pytest_bdd_before_step(cast("Step", SimpleNamespace(type=kind)))


def failure(claim: Callable[[], object]) -> str:
    """Why the claim fails."""
    with pytest.raises(ClaimFailed) as failed:
        claim()
    return failed.value.failure.reason


def eventually(stage: Stage, state: State) -> str:
    return failure(lambda: stage.claims.eventually(state, within="admit"))


def in_order(stage: Stage, *states: State) -> str:
    return failure(lambda: stage.claims.in_order([*map(Row, states)], within="admit"))


def test_only_what_is_claimed_in_the_end_has_less_time(stage: Stage) -> None:
    for kind, seconds in (("given", 5), ("when", 5), ("then", 1)):
        begin(kind)
        assert f"within {seconds} s" in eventually(stage, LOW)
    haste.pytest_runtest_setup()
    assert "within 5 s" in eventually(stage, LOW)


def test_only_a_claim_that_fails_in_the_words_of_the_lie_has_less_time(stage: Stage) -> None:
    begin("then")
    assert "within 5 s" in eventually(stage, HIGH)
    assert "within 1 s" in in_order(stage, HIGH, LOW)
    assert "within 5 s" in in_order(stage, HIGH)


def test_a_window_has_all_its_time(stage: Stage) -> None:
    begin("then")
    stage.write("Unit", "low", 5, x=1, at=1.9)
    assert "it was so" in failure(lambda: stage.claims.never(LOW, Quiet()))


def test_what_is_polled_in_the_end_has_less_time(stage: Stage) -> None:
    begin("then")
    poll = partial(stage.claims.poll, lambda: 0, bool, sentence="more than 0", within="mark")
    assert "within 1 s" in failure(poll)


def test_scenarios_make_such_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "Claims", Claims)  # as it was, after this test
    haste.pytest_configure()
    assert vars(world)["Claims"] is haste.Hasty
