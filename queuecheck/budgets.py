"""How long a claim may wait, by class of what it waits for; never a number in a feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from types import MappingProxyType
from typing import Any

DEFAULTS: Mapping[str, float] = MappingProxyType(
    {
        "create": 10.0,  # an object that follows from another one is there
        "admit": 15.0,  # a decision to admit is visible
        "mark": 15.0,  # a decision to preempt is visible
        "reclaim": 20.0,  # what was marked has been given back
        "settle": 0.3,  # longer than any watch stream runs behind another
        "absent": 15.0,  # a deleted object is gone
        "quiet": 2.0,  # nothing happens, where no fence can show it
        "idle": 10.0,  # nothing happens, and that is the requirement
    }
)


class BudgetError(ValueError):
    """A class that does not exist, or a value that is no time."""


@dataclass(frozen=True)
class Budgets:
    """Seconds by class, multiplied by ``scale``."""

    classes: Mapping[str, float] = field(default_factory=lambda: DEFAULTS)
    scale: float = 1.0

    def __post_init__(self) -> None:
        for name, value in {**self.classes, "scale": self.scale}.items():
            _check(name, value)
        if self.scale == 0:
            raise BudgetError("budget scale: 0 leaves no time for anything")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], *, scale: float = 1.0) -> Budgets:
        """The defaults with ``values`` over them. Raises BudgetError for an unknown class."""
        for name, value in values.items():
            if name not in DEFAULTS:
                raise _unknown(name)
            _check(name, value)
        return cls({**DEFAULTS, **{name: float(value) for name, value in values.items()}}, scale)

    def seconds(self, budget: str) -> float:
        """Raises BudgetError for an unknown class."""
        if budget not in self.classes:
            raise _unknown(budget)
        return self.classes[budget] * self.scale


def _check(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BudgetError(f"budget {name}: {value!r} is not a number of seconds")
    if not isfinite(value) or value < 0:
        raise BudgetError(f"budget {name}: {value} is not a time one can wait")


def _unknown(name: str) -> BudgetError:
    close = get_close_matches(name, DEFAULTS, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return BudgetError(f"unknown budget {name!r}{hint} (there are {', '.join(DEFAULTS)})")
