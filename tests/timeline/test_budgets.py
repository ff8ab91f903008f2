import math

import pytest

from queuecheck.timeline import DEFAULTS, BudgetError, Budgets


def test_every_class_of_the_specification_has_a_default() -> None:
    classes = {"create", "admit", "mark", "reclaim", "settle", "absent", "quiet", "idle"}
    assert set(DEFAULTS) == classes


def test_the_scale_multiplies_every_class() -> None:
    assert Budgets(scale=2.5).seconds("admit") == DEFAULTS["admit"] * 2.5


def test_a_mapping_changes_what_it_names_and_nothing_else() -> None:
    budgets = Budgets.from_mapping({"admit": 3})
    assert budgets.seconds("admit") == 3
    assert budgets.seconds("mark") == DEFAULTS["mark"]


def test_an_unknown_class_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(BudgetError, match="unknown budget 'admitt'; did you mean 'admit'"):
        Budgets.from_mapping({"admitt": 3})
    with pytest.raises(BudgetError, match="unknown budget 'soon'"):
        Budgets().seconds("soon")


@pytest.mark.parametrize("value", [-1, math.inf, math.nan, "5", None, True])
def test_what_is_no_time_is_refused(value: object) -> None:
    with pytest.raises(BudgetError, match="budget admit"):
        Budgets.from_mapping({"admit": value})


@pytest.mark.parametrize("scale", [0, -1, math.inf])
def test_what_is_no_scale_is_refused(scale: float) -> None:
    with pytest.raises(BudgetError, match="scale"):
        Budgets(scale=scale)
