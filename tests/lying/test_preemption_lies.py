"""Controllers that take too much or too little for a preemptor, or do not keep to one round."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

preemption = partial(Lie, liar="preemption_liar")

LIES = (
    preemption(
        "takes-everybody",
        ("KQ-PRE-02", "KQ-PRE-03", "KQ-PRE-16"),
        ('never: QueueUnit "low-3" is marked', "it was so"),
    ),
    preemption(
        "stops-at-one-resource",
        ("KQ-PRE-03",),
        ('QueueUnit "low-2" is marked', "not seen"),
        scale=0.3,
    ),
    preemption(
        "counts-what-is-free",
        ("KQ-PRE-02",),
        ('QueueUnit "low-2" is marked', "not seen"),
        scale=0.3,
    ),
    preemption(
        "tries-in-vain",
        ("KQ-PRE-10", "KQ-PRE-12", "KQ-PRE-15"),
        ('never: QueueUnit "low" is marked', 'QueueUnit "low-1" is marked again'),
    ),
    preemption(
        "reserves-singly",
        ("KQ-RSV-02", "KQ-PRE-16"),
        ('QueueUnit "low-2" is marked', "not seen"),
        scale=0.3,
    ),
    preemption(
        "needs-both",
        ("KQ-RSV-04",),
        ('QueueUnit "low" is marked', "not seen"),
        scale=0.3,
    ),
    preemption(
        "marks-upwards",
        ("KQ-RSV-05", "KQ-PRE-09"),
        ('never: QueueUnit "above" is marked', 'never: QueueUnit "high" is marked'),
    ),
    preemption(
        "spares-the-urgent",
        ("KQ-PRE-19",),
        ('QueueUnit "middle" is marked', "not seen"),
    ),
    preemption(
        "gives-to-the-next",
        ("KQ-PRE-11", "KQ-RSV-06"),
        (
            'QueueUnit "lowest" is holding something',
            "it was so",
            'QueueUnit "urgent" is admitted, or holds something already',
        ),
    ),
    preemption(
        "forgets-the-round",
        ("KQ-PRE-18",),
        ('never: QueueUnit "low-2" is marked', "it was so"),
    ),
    preemption(
        "marks-again",
        ("KQ-PRE-07", "KQ-PRE-08"),
        (
            'has more than 1 event "Preempted"',
            'stays: QueueUnit "low-2" is marked for 2 replicas: it was not so',
        ),
    ),
    preemption(
        "runs-one-round-for-all",
        ("KQ-PRE-17",),
        ('QueueUnit "other-low" is marked', "not seen"),
        scale=0.3,
    ),
    preemption(
        "stops-behind-everybody",
        ("KQ-PRE-12",),
        ('QueueUnit "small" is admitted', "not seen"),
        scale=0.3,
    ),
    preemption(
        "marks-nobody-in-block",
        ("KQ-PRE-16",),
        ('QueueUnit "low-1" is marked', 'QueueUnit "low-priority-job" is marked', "not seen"),
        scale=0.3,
    ),
    preemption(
        "errs-once-in-intelligent",
        ("KQ-INT-02",),
        ('never: QueueUnit "low" is marked', "it was so"),
    ),
    preemption(
        "claims-success",
        ("KQ-INT-01", "KQ-INT-03"),
        ("a message that tells of a failure", "that ends with '; preempt failed'"),
        scale=0.3,
    ),
    preemption(
        "keeps-who-runs",
        ("KQ-PRE-13", "KQ-LIM-07"),
        (
            'QueueUnit "urgent" is admitted',
            'QueueUnit "later" is admitted',
            "not seen",
        ),
        scale=0.3,
    ),
    preemption(
        "waits-for-the-dead",
        ("KQ-PRE-14",),
        ('QueueUnit "low" is admitted', "not seen"),
        scale=0.3,
    ),
    preemption(
        "goes-by-age-below-ten",
        ("KQ-PRE-20",),
        ('QueueUnit "low-1" is admitted', "before step 1"),
    ),
    preemption(
        "names-no-victim",
        ("KQ-RSV-07",),
        ('naming the victims "low-1" and "low-2"', "not seen"),
        scale=0.3,
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_about_preemption_is_found_out(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
