"""A mark is called too soon only if it was written within the protection, to be sure."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from queuecheck.timeline import Subject
from steps.states.allocation import duration, instant, marked_within_protection, timestamp

LOW = Subject("QueueUnit", "ns", "low")
ALLOCATED = "2026-01-02T03:04:05.500000Z"


def unit(written: str, *, marked: bool = True, field: str = "f:admissions") -> dict[str, Any]:
    entry = {"name": "low", "replicas": 1}
    return {
        "metadata": {
            "name": "low",
            "managedFields": [
                {"time": "2026-01-02T03:04:00Z", "fieldsV1": {"f:spec": {}}},
                {"time": written, "fieldsV1": {"f:status": {field: {}}}},
            ],
        },
        "status": {
            "lastAllocateTime": ALLOCATED,
            "admissions": [{**entry, "reclaimState": {"replicas": 1}} if marked else entry],
        },
    }


def too_soon(found: dict[str, Any]) -> bool:
    return marked_within_protection(LOW, "3 s").holds({LOW.key: found})


def test_a_mark_of_the_next_second_is_within_three_seconds() -> None:
    assert too_soon(unit("2026-01-02T03:04:06Z"))


def test_the_second_in_which_the_protection_ends_is_not_within_it() -> None:
    # The record says 08, and may mean 08.999, when the protection was over at 08.5.
    assert not too_soon(unit("2026-01-02T03:04:08Z"))


def test_a_unit_that_is_not_marked_is_not_marked_too_soon() -> None:
    assert not too_soon(unit("2026-01-02T03:04:06Z", marked=False))


def test_only_writes_to_what_the_unit_holds_count() -> None:
    assert not too_soon(unit("2026-01-02T03:04:06Z", field="f:message"))


def test_an_allocation_without_a_time_protects_from_nothing() -> None:
    found = unit("2026-01-02T03:04:06Z")
    del found["status"]["lastAllocateTime"]

    assert not too_soon(found)


def test_a_time_is_written_and_read_alike() -> None:
    assert timestamp(instant(ALLOCATED)) == ALLOCATED


@pytest.mark.parametrize(
    ("text", "time"), [("5 s", timedelta(seconds=5)), ("10 m", timedelta(minutes=10))]
)
def test_a_duration_is_a_number_and_a_unit(text: str, time: timedelta) -> None:
    assert duration(text) == time


def test_another_duration_is_refused() -> None:
    with pytest.raises(ValueError, match="5 s or 10 m"):
        duration("5 h")
