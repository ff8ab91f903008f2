"""Controllers that lie about Jobs are found out."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lying.lie import Lie, find_out

about_jobs = partial(Lie, liar="job_liar")

LIES = (
    about_jobs(
        "matches-by-name",
        ("KQ-JOB-10",),
        ('never: Job "train" is resumed', "it was so"),
    ),
    about_jobs(
        "charges-containers-only",
        ("KQ-JOB-14",),
        ('never: QueueUnit "train" is admitted', "it was so"),
    ),
    about_jobs(
        "loses-the-place",
        ("KQ-JOB-07",),
        ('QueueUnit "early" is admitted',),
        scale=0.5,
    ),
    about_jobs(
        "leaves-pods-beyond-the-grant",
        ("KQ-JOB-19",),
        ('pods of "train" are 1 in number at most',),
    ),
    about_jobs(
        "warns-at-each-look",
        ("KQ-JOB-12",),
        ('QueueUnit "early" has more than 1 event "QueueNotFound"', "it was so"),
    ),
    about_jobs(
        "forgets-the-deleted",
        ("KQ-JOB-09",),
        ('never: QueueUnit "next" is admitted, or holds something already', "it was so"),
    ),
    about_jobs(
        "charges-the-deleted-for-ever",
        ("KQ-QTA-10",),
        ('QueueUnit "low" is admitted', "not seen within"),
    ),
    about_jobs(
        "resumes-what-was-suspended",
        ("KQ-JOB-20",),
        ('QueueUnit "next" is admitted', "not seen within"),
        scale=0.5,
    ),
    about_jobs(
        "takes-over-what-runs",
        ("KQ-JOB-02", "KQ-JOB-17"),
        ('never: QueueUnit "free" exists', "it was so"),
        scale=0.3,
    ),
    about_jobs(
        "is-content-with-one-pod",
        ("KQ-JOB-08",),
        ('never: QueueUnit "first" is in phase Succeed', "it was so"),
    ),
    about_jobs(
        "asks-for-what-is-done",
        ("KQ-JOB-05", "KQ-QTA-11"),
        (
            'asking for 2 replicas in one podSet "train"',
            'QueueUnit "train" is holding 2 replicas',
        ),
        scale=0.3,
    ),
)


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_about_jobs_is_found_out(lie: Lie, tmp_path: Path) -> None:
    find_out(lie, tmp_path)
