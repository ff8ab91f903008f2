"""Who is alive, and who has been silent for too long."""

import math
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.requests import TRIES, Postponed, Requests
from controller.shell.signs import LONGEST_SILENCE, Sign, Signs, silent
from queuecheck.kube import Unreachable, client, watch

BOUND = 100
NAMES = st.sampled_from("abcde")
SECONDS = st.integers(0, 1000)
SIGNS = st.dictionaries(NAMES, st.builds(Sign, SECONDS, SECONDS | st.just(math.inf)))


def test_who_works_may_be_silent_for_the_bound_and_no_longer() -> None:
    signs = {"worker": Sign(at=1000)}
    assert silent(signs, 1000 + BOUND, BOUND) == {}
    assert silent(signs, 1001 + BOUND, BOUND) == {"worker": BOUND + 1}


def test_who_sleeps_may_be_silent_for_as_long_as_it_meant_to_besides() -> None:
    signs = {"worker": Sign(at=1000, asleep=600)}
    assert silent(signs, 1600 + BOUND, BOUND) == {}
    assert silent(signs, 1601 + BOUND, BOUND) == {"worker": BOUND + 601}


def test_who_waits_for_work_is_alive_for_ever() -> None:
    assert silent({"worker": Sign(at=0, asleep=math.inf)}, 1e9, BOUND) == {}


def test_the_longest_silence_is_told_first() -> None:
    signs = {"a": Sign(at=500), "b": Sign(at=100), "c": Sign(at=999), "d": Sign(at=300)}
    assert list(silent(signs, 1000, BOUND)) == ["b", "d", "a"]


@given(SIGNS, SECONDS, SECONDS, st.integers(0, 200), NAMES)
def test_silence_only_grows_until_a_sign_ends_it_and_nobody_elses(
    signs: dict[str, Sign], now: int, more: int, bound: int, name: str
) -> None:
    told = silent(signs, now, bound)
    assert told.items() >= silent(signs, now, bound + more).items()
    assert silent(signs, now + more, bound).keys() >= told.keys()
    given_now = {**signs, name: Sign(now)}
    assert silent(given_now, now, bound) == {who: s for who, s in told.items() if who != name}
    # A monotonic clock may begin anywhere.
    moved = {who: Sign(sign.at + more, sign.asleep) for who, sign in signs.items()}
    assert silent(moved, now + more, bound) == told


@given(st.lists(st.tuples(SECONDS, st.integers(0, int(LONGEST_SILENCE))), max_size=20))
def test_a_thread_that_keeps_its_word_is_never_told(rounds: list[tuple[int, int]]) -> None:
    now = 0
    signs = Signs(lambda: now)
    for asleep, awake in rounds:
        signs.give(asleep=asleep)
        now += asleep + awake
        assert signs.missing() == {}
    signs.give()
    now += int(LONGEST_SILENCE) + 1
    assert list(signs.missing()) == [threading.current_thread().name]


def test_a_request_that_is_tried_again_and_again_is_a_sign_each_time(metrics: Metrics) -> None:
    now = 0.0
    signs = Signs(lambda: now)
    requests = Requests(
        component="queue",
        metrics=metrics,
        journal=Journal("queue"),
        stop=threading.Event(),
        signs=signs,
    )

    def silence() -> None:
        nonlocal now
        now += LONGEST_SILENCE
        assert signs.missing() == {}
        raise Unreachable(verb="GET", path="/", status=0, reason="Unreachable", message="none")

    with pytest.raises(Postponed):
        requests.send("get", "Job", silence)
    assert now == TRIES * LONGEST_SILENCE


def test_the_bound_is_beyond_every_single_wait_for_the_server() -> None:
    longest = client.CONNECT_TIMEOUT + max(client.READ_TIMEOUT, watch.READ_TIMEOUT)
    assert 3 * longest <= LONGEST_SILENCE
