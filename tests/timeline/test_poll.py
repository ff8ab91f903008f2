from collections.abc import Callable

import pytest

from queuecheck.timeline import ClaimFailed
from tests.timeline.stage import Stage


def readings(*values: int | Exception) -> Callable[[], int]:
    """Gives the values one after the other, then the last one for ever."""
    left = list(values)

    def read() -> int:
        value = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(value, Exception):
            raise value
        return value

    return read


def test_the_first_reading_that_passes_is_returned_without_waiting_on() -> None:
    stage = Stage()
    found = stage.claims.poll(
        readings(1, 1, 7), lambda value: value > 5, sentence="more than 5", within="mark"
    )
    assert found == 7
    assert stage.timeline.now() == pytest.approx(0.2)


def test_a_transient_error_is_a_reading_that_does_not_pass() -> None:
    stage = Stage()
    refused = ConnectionRefusedError("refused")
    found = stage.claims.poll(
        readings(refused, 7),
        lambda value: value > 5,
        sentence="more than 5",
        within="mark",
        transient=(ConnectionError,),
    )
    assert found == 7


def test_any_other_error_is_passed_on() -> None:
    stage = Stage()
    with pytest.raises(ValueError, match="not a number"):
        stage.claims.poll(
            readings(ValueError("not a number")),
            lambda value: value > 5,
            sentence="more than 5",
            within="mark",
            transient=(ConnectionError,),
        )


def test_a_hopeless_reason_ends_the_polling() -> None:
    stage = Stage()
    with pytest.raises(ClaimFailed, match="the controller is gone"):
        stage.claims.poll(
            readings(1),
            lambda value: value > 5,
            sentence="more than 5",
            within="mark",
            hopeless=[lambda: "the controller is gone"],
        )
    assert stage.timeline.now() == 0


def test_the_failure_shows_each_distinct_reading_once() -> None:
    stage = Stage()
    refused = ConnectionRefusedError("refused")
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.poll(
            readings(refused, refused, 1, 1, 2),
            lambda value: value > 5,
            sentence="more than 5",
            within="mark",
            transient=(ConnectionError,),
        )
    texts = [row.text for row in caught.value.failure.seen]
    assert texts == ["ConnectionRefusedError: refused", "1", "2"]
    assert stage.claims.records[-1].outcome == "failed"
