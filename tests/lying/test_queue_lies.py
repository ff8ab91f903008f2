"""Controllers that are wrong about quotas, Queues or the Intelligent policy."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

queue = partial(Lie, liar="queue_liar")

LIES = (
    queue(
        "charges-late",
        ("KQ-QTA-07",),
        ('the quota "team" is used beyond 4 cpu', "it was so"),
    ),
    queue(
        "knows-no-ancestors",
        ("KQ-QTA-05",),
        ('never: QueueUnit "second" is admitted', "it was so"),
        scale=0.5,
    ),
    queue(
        "copies-every-annotation",
        ("KQ-QUE-18",),
        ('carrying "koord-queue-of-no-known-meaning" as a label or an', "it was so"),
    ),
    queue(
        "owns-the-queue",
        ("KQ-QUE-05",),
        ('carrying the annotation "example.com/colour" other than "1"', "it was so"),
    ),
    queue(
        "takes-any-word-for-true",
        ("KQ-QUE-08",),
        ('never: QueueUnit "low" is marked', "it was so"),
    ),
    queue(
        "keeps-the-gate-in-intelligent",
        ("KQ-INT-05",),
        ('QueueUnit "second" is admitted', "not seen within"),
        scale=0.5,
    ),
    queue(
        "keeps-what-it-copied",
        ("KQ-QUE-10",),
        ('carrying no annotation "koord-queue/wait-for-pods-running": not seen',),
        scale=0.3,
    ),
    queue(
        "copies-the-policy-label",
        ("KQ-QUE-04",),
        ('carrying "koord-queue/queue-policy" as a label or an annotation', "it was so"),
    ),
    queue("leaves-queues-behind", ("KQ-QUE-11",), ("is gone: not seen",), scale=0.3),
    queue("makes-no-queue-again", ("KQ-QUE-15",), ("is of the policy Block: not",), scale=0.3),
    queue(
        "stops-at-a-bad-queue",
        ("KQ-QUE-13",),
        ('QueueUnit "train" is admitted: not seen',),
        scale=0.3,
    ),
    queue(
        "serves-every-namespace",
        ("KQ-QUE-17",),
        ("is there: not seen",),
    ),
    queue(
        "takes-no-pod-for-a-lost-one",
        ("KQ-QTA-09",),
        ('QueueUnit "first" is holding 3 replicas',),
        scale=0.3,
    ),
    queue(
        "lists-the-admitted",
        ("KQ-QUE-14",),
        ('is listing "high", "low" as active: not seen',),
        scale=0.3,
    ),
    queue(
        "never-lowers-max",
        ("KQ-QTA-06",),
        ('never: QueueUnit "third" is admitted, or holds something already', "it was so"),
    ),
    queue(
        "begins-anew-with-another-policy",
        ("KQ-QUE-12",),
        ('QueueUnit "high" is admitted: not seen',),
        scale=0.2,
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_about_quotas_or_queues_is_found_out(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
