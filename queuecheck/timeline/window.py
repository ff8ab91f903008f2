"""What closes the window of a claim about everything in it.

A fence is a later state that the implementation visibly reaches: whatever was written before it
has then been decided. Where there is no such thing, a quiet period from the budgets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from queuecheck.timeline.observation import Position
from queuecheck.timeline.state import Condition


@dataclass(frozen=True)
class Fence:
    """Closes at the first write after the start that makes ``state`` true.

    ``sentence`` says why that closes the window. The state must not hold at the start. If it does
    not come within the budget ``within`` the claim fails; or, with ``otherwise``, the window
    closes as a quiet one that has lasted at least that budget's time.
    """

    state: Condition
    within: str
    sentence: str = ""
    otherwise: str = ""

    @property
    def budgets(self) -> tuple[str, ...]:
        """The budget classes whose longest is how long the window may be open."""
        return tuple(dict.fromkeys(each for each in (self.within, self.otherwise) if each))


@dataclass(frozen=True)
class Quiet:
    """Closes when the time of a budget class has passed since the claim's start.

    A claim that starts in the past may find it closed already: it then judges what was seen.
    """

    budget: str = "quiet"

    @property
    def budgets(self) -> tuple[str, ...]:
        """The budget class that is how long the window is open."""
        return (self.budget,)


Window = Fence | Quiet


@dataclass(frozen=True)
class Closed:
    """How a window was closed, and where: seconds, and a position to go on from."""

    by: Literal["fence", "quiet"]
    sentence: str
    waited: float
    position: Position
