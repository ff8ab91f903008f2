"""The gate: nobody is admitted while a member does not run."""

import pytest

from tests.core.world import BOTH, GATE, NO_MORE, World


def test_the_gate_holds_an_equal_later_unit_back_although_there_is_room() -> None:
    world = World()
    world.quota(cpu=9, annotations={GATE: "true"})
    world.job("first")
    world.settle()
    world.job("second")
    world.settle()
    assert world.held("second") == 0
    assert world.message("second") == NO_MORE
    assert "attempts" not in world.status("second")
    world.bind("first")
    world.settle()
    assert world.held("second") == 1


def test_a_unit_is_no_member_for_its_own_attempt() -> None:
    world = World()
    world.quota(cpu=4, annotations={GATE: "true"})
    world.hand_made("unit", count=2, status={"admissions": [{"name": "main", "replicas": 1}]})
    world.settle()
    assert world.status("unit")["admissions"] == [{"name": "main", "replicas": 2}]


@pytest.mark.parametrize("value", ["True", "1", "yes", "", " true"])
def test_only_the_literal_true_turns_the_gate_on(value: str) -> None:
    world = World()
    world.quota(cpu=9, annotations={GATE: value})
    world.hand_made("first")
    world.hand_made("second")
    world.settle()
    assert world.held("second") == 1


def test_the_gate_does_not_hold_units_in_an_intelligent_queue() -> None:
    world = World()
    world.quota(cpu=9, annotations=BOTH, policy="Intelligent")
    world.hand_made("first")
    world.hand_made("second")
    world.settle()
    assert world.held("second") == 1
