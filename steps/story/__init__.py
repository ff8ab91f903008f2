"""What a scenario has done so far, and the few acts that many steps share."""

import pytest

from queuecheck.world import World
from steps.story.jobs import NO_QUOTA
from steps.story.memory import FENCE, Story
from steps.story.settings import (
    GATE,
    PARENT_LABEL,
    POLICY_LABEL,
    PREEMPTION,
    QUOTA_LABEL,
    SETTINGS,
    SYNCED_PREFIX,
)
from steps.story.usual import Ask

__all__ = [
    "FENCE",
    "GATE",
    "NO_QUOTA",
    "PARENT_LABEL",
    "POLICY_LABEL",
    "PREEMPTION",
    "QUOTA_LABEL",
    "SETTINGS",
    "SYNCED_PREFIX",
    "Ask",
    "Story",
    "story",
]


@pytest.fixture
def story(world: World) -> Story:
    """The memory of this scenario."""
    return Story(world)
