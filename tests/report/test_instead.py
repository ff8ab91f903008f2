from __future__ import annotations

from dataclasses import replace

from queuecheck.report.html.instead import instead
from queuecheck.report.picture import Claimed, Mark, Picture
from tests.report.runs import LOOKS, lane, moment

GIVEN_UP = Claimed(
    step=2,
    claim="eventually",
    sentence='QueueUnit "low" is holding 1 replica',
    began=10,
    ended=900,
    outcome="failed",
)
HOLDS = {"phase": "Dequeued", "holds": "3"}
SEEN = Picture(
    900,
    (
        lane(
            "QueueUnit",
            "low",
            moment(1, 1, "added"),
            moment(40, 2, **HOLDS),
            moment(60, 3, **HOLDS),
        ),
        lane("QueueUnit", "lower", moment(2, 4, "added")),
        lane("Job", "low", moment(0, 5, "added")),
    ),
)


def test_a_wait_that_was_given_up_tells_what_its_object_was_and_since_when() -> None:
    assert instead(GIVEN_UP, SEEN, LOOKS) == (
        "QueueUnit low was: Dequeued, holds 3, from +40 ms on",
    )


def test_an_object_that_is_gone_is_told_to_be_gone() -> None:
    gone = Picture(900, (lane("QueueUnit", "low", moment(1, 1, "added"), moment(7, 2, "deleted")),))
    assert instead(GIVEN_UP, gone, LOOKS) == ("QueueUnit low was gone from +7 ms on",)


def test_of_an_order_the_state_that_was_missed_names_the_object() -> None:
    missed = Mark("missing", 'QueueUnit "lower" is admitted', number=2)
    ordered = replace(GIVEN_UP, sentence="these states in this order", marks=(missed,))
    assert instead(ordered, SEEN, LOOKS) == ("QueueUnit lower was: new, from +2 ms on",)


def test_a_claim_that_a_write_broke_needs_no_more_words() -> None:
    broken = replace(GIVEN_UP, marks=(Mark("culprit", "", ms=40),))
    assert instead(broken, SEEN, LOOKS) == ()


def test_without_a_picture_there_is_nothing_to_tell() -> None:
    assert instead(GIVEN_UP, None, LOOKS) == ()
