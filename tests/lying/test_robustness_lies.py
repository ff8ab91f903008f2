"""Each controller that does not stand what breaks is found out by the requirement, in its words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

LIES = (
    Lie("never-takes-over", ("KQ-ROB-03",), ('"next" is admitted', "not seen"), scale=0.5),
    Lie(
        "writes-over-others",
        ("KQ-ROB-06",),
        ('the unbound ones among pods of "low" are removed: not seen',),
        scale=0.5,
    ),
    Lie(
        "gives-up-when-refused",
        ("KQ-ROB-04",),
        ('QueueUnit "urgent" is admitted: not seen in its turn',),
        scale=0.3,
    ),
    Lie(
        "decides-before-it-knows-the-pods",
        ("KQ-ROB-02",),
        ('never: QueueUnit "low" is marked', "it was so"),
    ),
    Lie(
        "owes-nothing-after-a-restart",
        ("KQ-ROB-01",),
        ('"low" has an event Normal "Reclaimed"',),
        scale=0.5,
    ),
    Lie(
        "stumbles-over-marks",
        ("KQ-ROB-01",),
        ("the controller does not start again", "queue ended with exit code 1"),
    ),
    Lie("passes-over-unknown-fields", ("KQ-CFG-02",), ("started all the same",)),
    Lie(
        "insists-on-plugins",
        ("KQ-CFG-01",),
        ("the controller does not start with this configuration", "plugins: is"),
    ),
    Lie("holds-its-units-fast", ("KQ-CFG-03",), ("the namespace",), scale=0.5),
    Lie("leads-whatever-happens", ("KQ-ROB-03",), ('QueueUnit "next" was granted 2 times',)),
    Lie(
        "never-turns-off",
        ("KQ-ROB-07",),
        ('never: QueueUnit "low-2" is marked', "it was so"),
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_is_found_out_by_its_requirements(lie: Lie, tmp_path: Path) -> None:
    find_out(replace(lie, liar="robustness_liar"), tmp_path)
