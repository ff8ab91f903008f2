"""Controllers that take back too much or nothing, report it wrongly, or do not give it back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

reclaiming = partial(Lie, liar="reclaim_liar")

LIES = (
    reclaiming("takes-all-unbound-pods", ("KQ-RCL-03",), ('pods of "low" are fewer than 2',)),
    reclaiming("removes-finished-pods", ("KQ-RCL-04",), ('pods of "low" is removed',)),
    reclaiming(
        "reports-no-release",
        ("KQ-RCL-05", "KQ-RCL-12"),
        (
            'QueueUnit "low" is holding 1 replica: not seen in its turn',
            'QueueUnit "low" is holding 0 replicas and unmarked: not seen in its turn',
            'QueueUnit "low" is holding 1 replica and unmarked: not seen in its turn',
        ),
        scale=0.3,
    ),
    reclaiming(
        "reports-before-it-removes",
        ("KQ-SEQ-01", "KQ-RCL-12"),
        (
            'QueueUnit "low-priority-job" is reserving nothing and unmarked',
            'QueueUnit "low" is holding 0 replicas and unmarked',
        ),
    ),
    reclaiming(
        "leaves-an-empty-mark",
        ("KQ-SEQ-01", "KQ-RCL-12"),
        (
            'QueueUnit "low-priority-job" is reserving nothing and unmarked: not reached in',
            'QueueUnit "low" is holding 0 replicas and unmarked: not seen in its turn',
            'QueueUnit "low" is holding 1 replica and unmarked: not seen in its turn',
        ),
        scale=0.3,
    ),
    reclaiming(
        "leaves-marks-that-take-nothing",
        ("KQ-RCL-09", "KQ-RCL-14"),
        ('QueueUnit "low" is unmarked', 'QueueUnit "urgent" is admitted'),
    ),
    reclaiming(
        "heeds-its-own-marks-only",
        ("KQ-RCL-16", "KQ-RCL-17"),
        (
            'QueueUnit "low" is reserving nothing and unmarked: not seen in its turn',
            'QueueUnit "low" is holding 2 replicas and unmarked: not seen in its turn',
        ),
        scale=0.3,
    ),
    reclaiming(
        "grants-less-the-second-time",
        ("KQ-RCL-11", "KQ-RCL-18"),
        ('QueueUnit "low" is admitted', 'QueueUnit "low" is holding 3 replicas'),
        scale=0.3,
    ),
    reclaiming(
        "forgets-the-reclaimed",
        ("KQ-SEQ-04", "KQ-RCL-07", "KQ-RCL-13"),
        ('QueueUnit "low" is admitted', 'QueueUnit "low-priority-job" is admitted'),
        scale=0.3,
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_about_reclaiming_is_found_out(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
