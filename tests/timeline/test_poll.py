from collections.abc import Callable

import pytest

from queuecheck.timeline import ClaimFailed, Quiet
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


def test_throughout_a_window_every_reading_has_to_pass() -> None:
    stage = Stage()
    claims = stage.claims
    claims.poll_throughout(readings(1, 2), bool, sentence="not zero", window=Quiet())
    assert stage.timeline.now() == pytest.approx(2.0, abs=0.2)
    assert (claims.records[-1].claim, claims.records[-1].closed_by) == ("stays", "quiet")
    with pytest.raises(ClaimFailed, match="it was not so"):
        claims.poll_throughout(readings(1, 0, 1), bool, sentence="not zero", window=Quiet())


def test_throughout_a_window_an_error_is_no_reading_and_one_reading_is_needed() -> None:
    stage = Stage()
    refused = ConnectionRefusedError("refused")
    stage.claims.poll_throughout(
        readings(refused, 1),
        bool,
        sentence="not zero",
        window=Quiet(),
        transient=(ConnectionError,),
    )
    with pytest.raises(ClaimFailed, match="nothing to read"):
        stage.claims.poll_throughout(
            readings(refused),
            bool,
            sentence="not zero",
            window=Quiet(),
            transient=(ConnectionError,),
        )
