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

    ``sentence`` says why that closes the window. The state must not hold at the start.
    """

    state: Condition
    within: str
    sentence: str = ""


@dataclass(frozen=True)
class Quiet:
    """Closes after the time of a budget class."""

    budget: str = "quiet"


Window = Fence | Quiet


@dataclass(frozen=True)
class Closed:
    """How a window was closed, and where: seconds, and a position to go on from."""

    by: Literal["fence", "quiet"]
    sentence: str
    waited: float
    position: Position
