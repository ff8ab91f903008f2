"""Replicas asked for and running, from a Job and its pods."""

from dataclasses import replace

import pytest

from controller.core.decisions import Kind, Ref
from controller.core.jobs import counts, model
from controller.core.jobs.model import Job, Pod
from controller.core.jobs.reclaim import reclaim
from controller.core.model import Admission, PodSet, Unit

JOB = Job(
    ref=Ref(Kind.JOB, "ns", "job", "uid"),
    suspended=False,
    resumed=True,
    parallelism=3,
    wanted=3,
    lowered=False,
    remembered=False,
    completions=5,
    succeeded=0,
    failed_indexes=0,
    uncounted=frozenset(),
    suspension_reported=False,
    finished="",
    deleting=False,
    own_selector=False,
)
WAITING = Pod(
    uid="pod",
    job_key=("ns", "job"),
    job_uid="uid",
    bound=False,
    terminal=False,
    succeeded=False,
    deleting=False,
    tracked=True,
)
BOUND = replace(WAITING, bound=True)
DONE = replace(BOUND, terminal=True, succeeded=True)
FAILED = replace(BOUND, terminal=True)


@pytest.mark.parametrize(
    ("completions", "succeeded", "expected"), [(5, 0, 3), (5, 3, 2), (5, 5, 0), (None, 0, 3)]
)
def test_count_is_what_can_still_run(
    completions: int | None, succeeded: int, expected: int
) -> None:
    job = replace(JOB, completions=completions, succeeded=succeeded)
    assert counts.count(job, []) == expected


@pytest.mark.parametrize(
    ("failed", "expected"), [("0", 3), ("0,3-4", 2), ("0-1,3-4", 1), ("0-4", 0), ("x,4-2,", 3)]
)
def test_an_index_that_has_failed_for_good_asks_for_no_pod(failed: str, expected: int) -> None:
    spec = {"parallelism": 3, "completions": 5}
    job = model.job({"spec": spec, "status": {"failedIndexes": failed}})
    assert counts.count(job, []) == expected


def test_without_completions_and_with_a_success_only_what_is_active_counts() -> None:
    job = replace(JOB, completions=None, succeeded=1)
    assert counts.count(job, [BOUND, WAITING, DONE]) == 2
    assert counts.running(job, [BOUND, WAITING, DONE], 3) == 2


def test_a_job_suspended_by_hand_asks_for_nothing() -> None:
    assert counts.count(replace(JOB, suspended=True), [WAITING]) == 0


@pytest.mark.parametrize(
    ("pod", "job", "running"),
    [
        (WAITING, JOB, 0),
        (BOUND, JOB, 1),
        (FAILED, JOB, 0),
        (DONE, JOB, 1),
        (replace(DONE, tracked=False), replace(JOB, uncounted=frozenset({"pod"})), 1),
        (replace(DONE, tracked=False), replace(JOB, succeeded=1), 0),
        (replace(DONE, tracked=False), JOB, 1),
    ],
)
def test_running_is_what_is_bound_or_done_and_not_counted_yet(
    pod: Pod, job: Job, running: int
) -> None:
    assert counts.running(job, [pod], 3) == running
    assert counts.running(job, [pod], 0) == 0


@pytest.mark.parametrize(
    ("pod", "uncounted", "expected"),
    [
        (BOUND, (), True),
        (DONE, (), False),
        (FAILED, (), False),
        (replace(DONE, tracked=False), (), True),
        (replace(DONE, tracked=False), ("other",), False),
    ],
)
def test_every_finished_pod_is_counted_or_not(
    pod: Pod, uncounted: tuple[str, ...], expected: bool
) -> None:
    assert counts.all_counted(replace(JOB, uncounted=frozenset(uncounted)), [pod]) is expected


def test_an_unbound_pod_on_its_way_out_is_not_reckoned_with() -> None:
    leaving = replace(WAITING, deleting=True)
    pods = [WAITING, leaving, BOUND, replace(BOUND, deleting=True), DONE]
    assert counts.remaining(pods) == 3


def test_a_bound_pod_of_a_suspended_job_is_waited_for_and_not_kept() -> None:
    unit = Unit(
        ref=Ref(Kind.UNIT, "ns", "job", "unit-uid"),
        queue="team",
        priority=0,
        created=0.0,
        pod_sets=(PodSet("job", 3, {"cpu": 1000}),),
        admissions=(Admission("job", replicas=3, mark=3),),
        phase="Dequeued",
    )
    job = replace(JOB, suspended=True, resumed=False, suspension_reported=True)
    assert reclaim(job, unit, [replace(BOUND, deleting=True)], 0.0) == ()
    assert reclaim(job, unit, [replace(WAITING, deleting=True)], 0.0) != ()
