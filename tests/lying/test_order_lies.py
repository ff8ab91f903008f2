"""Controllers that are wrong about order, the gate, admission or the settings of a queue."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

order = partial(Lie, liar="order_liar")

LIES = (
    order("spins", ("KQ-ORD-09",), ('QueueUnit "big" is written more than 10 times', "it was so")),
    order(
        "serves-the-newest-first",
        ("KQ-ORD-01", "KQ-ORD-02"),
        ('QueueUnit "urgent" is admitted: not seen', 'QueueUnit "zebra" is admitted: not seen'),
        scale=0.2,
    ),
    order(
        "looks-behind-whoever-waits",
        ("KQ-ORD-05", "KQ-ORD-06", "KQ-ORD-07"),
        ('never: QueueUnit "small" is admitted', "it was so"),
    ),
    order(
        "opens-the-gate-to-one-pod",
        ("KQ-ASM-04",),
        ('never: QueueUnit "later" is admitted', "it was so"),
    ),
    order(
        "waits-for-the-start",
        ("KQ-ASM-07",),
        ('QueueUnit "later" is admitted: not seen',),
        scale=0.2,
    ),
    order(
        "keeps-the-first-time",
        ("KQ-ADM-02",),
        ('QueueUnit "low" is allocated later',),
        scale=0.3,
    ),
    order(
        "grants-on-top",
        ("KQ-ADM-06",),
        ('never: QueueUnit "train" is holding more than 3 replicas', "it was so"),
    ),
    order(
        "grants-an-empty-mark",
        ("KQ-ADM-01",),
        ('stays: QueueUnit "train" is unmarked', "it was not so"),
    ),
    order(
        "grants-what-fits",
        ("KQ-ADM-05",),
        ('never: QueueUnit "pair" is holding something', "it was so"),
    ),
    order(
        "reads-settings-once",
        ("KQ-LIM-01", "KQ-LIM-02", "KQ-LIM-03"),
        ('QueueUnit "low" is marked: not seen',),
        scale=0.2,
    ),
    order(
        "loses-places",
        ("KQ-ORD-08",),
        ('QueueUnit "older" is admitted: not seen',),
        scale=0.3,
    ),
    order(
        "puts-the-refused-back",
        ("KQ-ORD-08",),
        ('QueueUnit "older" is admitted: not seen',),
        scale=0.3,
    ),
    order(
        "blocks-under-priority",
        ("KQ-ORD-04",),
        ('QueueUnit "small" is admitted: not seen',),
        scale=0.2,
    ),
    order(
        "closes-every-gate",
        ("KQ-ASM-03",),
        ('QueueUnit "later" is admitted: not seen',),
        scale=0.2,
    ),
    order(
        "keeps-members-that-end",
        ("KQ-ASM-08",),
        ('QueueUnit "later" is admitted: not seen',),
        scale=0.2,
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_about_order_or_admission_is_found_out(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
