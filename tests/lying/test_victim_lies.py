"""Controllers that choose their victims wrongly, or mark and protect them wrongly."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

victims = partial(Lie, liar="victim_liar")

LIES = (
    victims(
        "spares-equals", ("KQ-VIC-01",), ('QueueUnit "newer" is marked', "not seen"), scale=0.3
    ),
    victims("marks-equals", ("KQ-VIC-02",), ('never: QueueUnit "older" is marked', "it was so")),
    victims(
        "knows-no-age",
        ("KQ-VIC-01", "KQ-VIC-02"),
        ('QueueUnit "newer" is marked', "not seen", 'never: QueueUnit "older" is marked'),
        scale=0.3,
    ),
    victims(
        "evicts-what-runs",
        ("KQ-VIC-03", "KQ-LIM-04"),
        ('never: QueueUnit "lowest" is marked', 'never: QueueUnit "low" is marked', "it was so"),
    ),
    victims(
        "marks-what-runs",
        ("KQ-VIC-04", "KQ-VIC-15"),
        (
            'QueueUnit "low" is marked for 2 replicas',
            'never: QueueUnit "pair" is marked in "leader"',
        ),
        scale=0.5,
    ),
    victims(
        "puts-victims-back",
        ("KQ-VIC-13",),
        ('QueueUnit "low-1" is marked in a phase other than Dequeued', "it was so"),
    ),
    victims(
        "looks-into-other-queues",
        ("KQ-VIC-14",),
        ('never: QueueUnit "stranger" is marked', "it was so"),
    ),
    victims(
        "protects-nobody",
        ("KQ-VIC-05", "KQ-VIC-06"),
        (
            'never: QueueUnit "fresh" is marked',
            'never: QueueUnit "low" is marked',
        ),
    ),
    victims("protects-from-creation", ("KQ-VIC-07",), ('QueueUnit "urgent" is admitted',)),
    victims("protects-by-default", ("KQ-VIC-08",), ('QueueUnit "low" is marked',), scale=0.5),
    victims(
        "sleeps-on",
        ("KQ-VIC-09",),
        ('QueueUnit "low" is marked', "not seen"),
        scale=0.5,
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_about_victims_is_found_out(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
