"""Leases as candidates read them: whose clock counts, and what is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.lease import Sighting, Terms, claimed, given_back, sighted

TERMS = Terms(duration=15, deadline=10, period=2)
OTHERS = claimed({}, "other", TERMS, 1_000.0)


def test_what_nobody_holds_is_free() -> None:
    assert sighted(None, {}, 5.0).free(5.0, TERMS)


def test_anothers_lease_is_free_when_nothing_has_changed_in_it_for_its_duration() -> None:
    first = sighted(None, OTHERS, 100.0)
    again = sighted(first, dict(OTHERS), 114.0)
    assert not again.free(114.9, TERMS)
    assert again.free(115.0, TERMS)


def test_a_renewal_begins_the_time_anew() -> None:
    first = sighted(None, OTHERS, 100.0)
    renewed = sighted(first, claimed(OTHERS, "other", TERMS, 1_014.0), 114.0)
    assert not renewed.free(128.9, TERMS)


@pytest.mark.parametrize("wall", [0.0, 4e9])
def test_the_clock_of_the_holder_says_nothing(wall: float) -> None:
    sighting = sighted(None, claimed({}, "other", TERMS, wall), 100.0)
    assert (sighting.free(114.0, TERMS), sighting.free(115.0, TERMS)) == (False, True)


def test_the_duration_that_counts_is_the_one_in_the_lease() -> None:
    short = claimed({}, "other", Terms(duration=3, deadline=2, period=1), 0.0)
    assert sighted(None, short, 100.0).free(103.0, TERMS)


@pytest.mark.parametrize("duration", [None, 0, -1, "3"])
def test_a_lease_without_a_usable_duration_lasts_as_long_as_our_own(duration: object) -> None:
    sighting = sighted(None, {**OTHERS, "leaseDurationSeconds": duration}, 100.0)
    assert (sighting.free(114.0, TERMS), sighting.free(115.0, TERMS)) == (False, True)


def test_a_renewal_keeps_when_it_was_taken_and_a_change_of_hands_is_counted() -> None:
    taken = claimed({}, "a", TERMS, 1_000.0)
    renewed = claimed(taken, "a", TERMS, 1_002.0)
    assert renewed == {**taken, "renewTime": "1970-01-01T00:16:42.000000Z"}
    after = claimed(renewed, "b", TERMS, 1_020.0)
    assert (after["holderIdentity"], after["leaseTransitions"]) == ("b", 1)
    assert after["acquireTime"] == after["renewTime"] == "1970-01-01T00:17:00.000000Z"


def test_what_is_given_back_is_free_at_once() -> None:
    left = given_back(OTHERS, 1_001.0)
    assert sighted(None, left, 100.0).free(100.0, TERMS)
    assert claimed(left, "b", TERMS, 1_002.0)["leaseTransitions"] == 1


@pytest.mark.parametrize(
    "terms",
    [
        Terms(duration=0.5, deadline=0.3, period=0.1),
        Terms(duration=2.5, deadline=2, period=1),
        Terms(duration=3, deadline=3, period=1),
        Terms(duration=3, deadline=2, period=2),
        Terms(duration=3, deadline=2, period=0),
    ],
)
def test_terms_that_cannot_be_kept_are_refused(terms: Terms) -> None:
    assert terms.problem()


def test_the_usual_terms_can_be_kept() -> None:
    assert Terms().problem() == Terms(duration=3, deadline=2, period=0.5).problem() == ""


@given(
    renewed=st.floats(0, 1e6),
    latency=st.floats(0, 60),
    duration=st.integers(1, 60),
    part=st.floats(0.01, 0.99),
)
def test_a_leaders_last_write_is_over_before_anybody_else_may_lead(
    renewed: float, latency: float, duration: int, part: float
) -> None:
    """``latency`` is from the leader's question to the candidate's first sight of the answer."""
    terms = Terms(duration=duration, deadline=duration * part, period=duration * part / 2)
    last_write_over = renewed + terms.deadline + terms.grace
    spec = claimed({}, "leader", terms, 0.0)
    seen = Sighting(spec, renewed + latency)
    assert not seen.free(last_write_over - 1e-6, terms)
