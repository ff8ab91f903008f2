"""Lines of a pod's log and their times."""

from __future__ import annotations

import pytest

from queuecheck.implementation import pod_logs
from queuecheck.implementation.pod_logs import Line

SECOND = 1_767_225_600_000_000_000


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-01-01T00:00:00Z", SECOND),
        ("2026-01-01T00:00:00.5Z", SECOND + 500_000_000),
        ("2026-01-01T00:00:00.123456789Z", SECOND + 123_456_789),
        ("2026-01-01T01:00:00.000000001+01:00", SECOND + 1),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_time_is_read_to_the_nanosecond(stamp: str, expected: int | None) -> None:
    assert pod_logs.nanoseconds(stamp) == expected


def test_a_line_without_a_time_belongs_to_the_one_before_it() -> None:
    page = "lost\n2026-01-01T00:00:00Z one  two\nthree\n2026-01-01T00:00:01Z \n"
    assert pod_logs.parse(page) == [
        Line(SECOND, "one  two"),
        Line(SECOND, "three"),
        Line(SECOND + 1_000_000_000, ""),
    ]


def test_a_place_is_after_its_own_line_also_within_a_second() -> None:
    lines = [Line(SECOND + 2, "two"), Line(SECOND + 1, "one"), Line(SECOND + 3, "three")]
    assert pod_logs.text(lines) == "one\ntwo\nthree\n"
    assert pod_logs.text(lines, after=SECOND + 1) == "two\nthree\n"


def test_servers_are_asked_from_the_second_that_a_place_is_in() -> None:
    assert pod_logs.stamp(SECOND + 999_999_999) == "2026-01-01T00:00:00Z"
