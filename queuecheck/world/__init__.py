"""The world of one scenario: its namespace and names, its timeline, its way to the implementation.

Steps reach everything through the ``World`` that the fixture ``world`` gives them, and leave
nothing behind that it does not take away. A ``Stage`` is what the scenarios of one worker share:
a cluster, an implementation that runs on it, and what was found out about both.
"""

from queuecheck.world.cleanup import CleanupError
from queuecheck.world.errors import EnvironmentBroken
from queuecheck.world.names import Names
from queuecheck.world.stage import Stage
from queuecheck.world.world import Ground, World

__all__ = [
    "CleanupError",
    "EnvironmentBroken",
    "Ground",
    "Names",
    "Stage",
    "World",
]
