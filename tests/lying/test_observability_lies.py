"""Controllers that are wrong about what they show."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

shown = partial(Lie, liar="observability_liar")

LIES = (
    shown(
        "forgets-what-is-short",
        ("KQ-OBS-02",),
        ("a message with team", 'status.message "victims are marked"'),
    ),
    shown("keeps-no-quiet", ("KQ-OBS-10",), ("are written, made or deleted", "it was so")),
    shown("forgets-no-series", ("KQ-OBS-08",), ("queueunits_in_active_queue 0",), scale=0.5),
    shown("counts-who-waits-only", ("KQ-OBS-12",), ("is 2", "reading 1"), scale=0.5),
    shown(
        "multiplies-events", ("KQ-OBS-07",), ('two equal events "FailedScheduling"', "it was so")
    ),
    shown("speaks-at-length", ("KQ-OBS-09",), ("a message of more than 1024 bytes", "it was so")),
    shown("logs-no-namespace", ("KQ-OBS-06",), ("a line of the log names the queue",), scale=0.3),
    shown(
        "tells-the-opposite", ("KQ-OBS-11",), ("'; preempt succeed'", "; preempt failed"), scale=0.3
    ),
    shown(
        "counts-downwards",
        ("KQ-OBS-08", "KQ-OBS-13"),
        ("no series of the queue", "is negative", "is >= 1"),
        scale=0.3,
    ),
    shown(
        "counts-one-attempt",
        ("KQ-OBS-03",),
        ('QueueUnit "urgent" has more than 1 attempts: not seen',),
        scale=0.3,
    ),
    shown(
        "counts-whether-there-was-one",
        ("KQ-OBS-04",),
        ("the sample job_schedule_attempts", "is >= 2"),
        scale=0.3,
    ),
    shown("counts-who-has-gone", ("KQ-OBS-05",), ("the sample queueunits", "is < 1"), scale=0.3),
    shown(
        "moves-the-phase-on",
        ("KQ-OBS-01",),
        # Whether Enqueued was seen before is the job extension's speed.
        ('QueueUnit "urgent" is in', 'status.phase "Reserved"'),
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_about_what_is_shown_is_found_out(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
