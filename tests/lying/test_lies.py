"""Each lying controller is found out by the requirements that name its fault, and by its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

LIES = (
    Lie(
        "removes-bound-pods",
        ("KQ-RCL-02", "KQ-RCL-08"),
        ('a bound pod among pods of "low" is removed',),
    ),
    Lie(
        "admits-while-marking",
        ("KQ-SEQ-01", "KQ-PRE-06", "KQ-RSV-06", "KQ-LIM-06"),
        (
            'QueueUnit "high-priority-job" is admitted, or holds something already',
            'never: QueueUnit "urgent" is admitted, or holds something already',
            "it was so",
        ),
    ),
    Lie(
        "forgets-preempted",
        ("KQ-VIC-11",),
        ('"low-1" has an event Warning "Preempted"',),
        scale=0.5,
    ),
    Lie(
        "marks-in-intelligent",
        ("KQ-INT-01",),
        ('QueueUnit "urgent" is waiting with a message that tells of a failure: not seen',),
        scale=0.3,
    ),
    Lie(
        "ignores-the-gate",
        ("KQ-SEQ-02", "KQ-ASM-01", "KQ-ASM-05"),
        ('never: QueueUnit "later" is admitted', "it was so"),
    ),
    Lie(
        "says-reclaimed-to-everyone",
        ("KQ-RCL-06",),
        ('QueueUnit "low" has more than 1 event "Reclaimed"', "it was so"),
    ),
    Lie("deletes-pods", ("KQ-RCL-10",), ('the Job "low" has failed',)),
    Lie("marks-the-second-lowest", ("KQ-PRE-01",), ('QueueUnit "low-1" is marked', "between")),
    Lie(
        "says-reclaimed-of-any-mark",
        ("KQ-RCL-06",),
        ('never: QueueUnit "low" has an event "Reclaimed"', "it was so"),
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_is_found_out_by_its_requirements(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
