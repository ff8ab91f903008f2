"""Claims against a brute-force reading of what was written, for any writes and any arrival."""

from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from queuecheck.timeline import ClaimFailed, Quiet, Step, absent, all_of, any_of, exists
from tests.timeline.stage import Stage, has, job, unit

KINDS = {"Unit": unit("a"), "Job": job("a")}
Write = tuple[str, int]
STEP = 1 / 64  # seconds; a sum of these is exact

writes = st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.integers(0, 2)), max_size=8)


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[Write], list[int]]:
    """Writes, and an order of arrival that keeps each kind's own."""
    written = draw(writes)
    queues = {kind: [at for at, write in enumerate(written) if write[0] == kind] for kind in KINDS}
    order = []
    while any(queues.values()):
        kind = draw(st.sampled_from([kind for kind, queue in queues.items() if queue]))
        order.append(queues[kind].pop(0))
    return written, order


def play(
    written: list[Write], order: list[int], *, clocks: Mapping[str, int] | None = None
) -> Stage:
    """Each write comes in ``STEP`` after the one before; all within a stream's lag.

    With ``clocks`` each kind's versions count from there, and cannot be compared with another's.
    """
    stage = Stage(cross_kind_order=clocks is None)
    for place, at in enumerate(order):
        kind, value = written[at]
        version = at + 1 + (clocks or {}).get(kind, 0)
        stage.write(kind, "a", version, x=value, at=STEP * (place + 1))
    return stage


def moments(written: list[Write]) -> list[dict[str, int]]:
    """How things stood at first and after each write."""
    found: list[dict[str, int]] = [{}]
    for kind, value in written:
        found.append({**found[-1], kind: value})
    return found


def passes(claim: object) -> bool:
    try:
        claim()  # type: ignore[operator]
    except ClaimFailed:
        return False
    return True


@given(arrivals())
def test_never_fails_exactly_if_an_observation_shows_the_state(
    given_: tuple[list[Write], list[int]],
) -> None:
    written, order = given_
    stage = play(written, order)
    state = has(unit("a"), x=1)
    seen = any(moment.get("Unit") == 1 for moment in moments(written))
    assert passes(lambda: stage.claims.never(state, Quiet())) is not seen


@given(arrivals())
def test_never_of_two_kinds_together_is_judged_by_moments_not_by_arrival(
    given_: tuple[list[Write], list[int]],
) -> None:
    written, order = given_
    stage = play(written, order)
    both = all_of(has(unit("a"), x=1), has(job("a"), x=1))
    seen = any(moment == {"Unit": 1, "Job": 1} for moment in moments(written))
    assert passes(lambda: stage.claims.never(both, Quiet())) is not seen


@given(arrivals())
def test_stays_is_never_of_the_contrary(given_: tuple[list[Write], list[int]]) -> None:
    written, order = given_
    here = [("Unit", 1), *written]
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    for place, at in enumerate(order):
        kind, value = written[at]
        stage.write(kind, "a", at + 2, x=value, at=STEP * (place + 1))
    kept = all(moment.get("Unit") == 1 for moment in moments(here)[1:])
    assert passes(lambda: stage.claims.stays(has(unit("a"), x=1), Quiet())) is kept


@given(arrivals())
def test_eventually_sees_the_first_moment_of_the_state(
    given_: tuple[list[Write], list[int]],
) -> None:
    written, order = given_
    stage = play(written, order)
    both = all_of(has(unit("a"), x=1), has(job("a"), x=1))
    first = next(
        (at for at, moment in enumerate(moments(written)) if moment == {"Unit": 1, "Job": 1}), None
    )
    if first is None:
        with pytest.raises(ClaimFailed):
            stage.claims.eventually(both, within="admit")
    else:
        assert stage.claims.eventually(both, within="admit").resource_version == first


def reference_order(written: list[Write], wanted: list[Write]) -> list[int] | None:
    """The versions at which the states come one after the other, by the definition's words."""
    stood = moments(written)
    matched: list[int] = []
    for kind, value in wanted:
        holds = [moment.get(kind) == value for moment in stood]
        if matched and holds[matched[-1]]:
            return None
        first = matched[-1] + 1 if matched else 0
        found = next((at for at in range(first, len(stood)) if holds[at]), None)
        if found is None:
            return None
        matched.append(found)
    return matched


@given(
    arrivals(),
    st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.integers(0, 2)), min_size=1, max_size=3),
)
def test_an_order_does_not_depend_on_how_the_kinds_come_in(
    given_: tuple[list[Write], list[int]], wanted: list[Write]
) -> None:
    written, order = given_
    stage = play(written, order)
    steps = [Step(has(KINDS[kind], x=value)) for kind, value in wanted]
    expected = reference_order(written, wanted)
    if expected is None:
        with pytest.raises(ClaimFailed):
            stage.claims.in_order(steps, within="reclaim")
    else:
        seen = stage.claims.in_order(steps, within="reclaim")
        assert [sighting.resource_version for sighting in seen] == expected


def claimed_from_here(stage: Stage) -> tuple[bool, bool]:
    """Whether it holds from now on that ``x`` of the unit is never 1, and that it comes to be."""
    here, state = stage.timeline.position(), has(unit("a"), x=1)
    return (
        passes(lambda: stage.claims.never(state, Quiet(), since=here)),
        passes(lambda: stage.claims.eventually(state, within="admit", since=here)),
    )


@given(arrivals(), st.sampled_from((0, 100)), st.integers(0, 4))
@example(([("Job", 0), ("Unit", 1), ("Unit", 0)], [0, 1, 2]), 100, 1)
def test_a_claim_about_one_kind_does_not_depend_on_what_another_counts(
    given_: tuple[list[Write], list[int]], jobs: int, start: int
) -> None:
    written, order = given_
    stage = play(written, order, clocks={"Job": jobs})
    stage.timeline.sleep(STEP * (start + 0.5))
    later = [written[at] for at in order[start:]]
    before = [value for kind, value in (written[at] for at in order[:start]) if kind == "Unit"]
    values = [*before[-1:], *(value for kind, value in later if kind == "Unit")]
    never, eventually = claimed_from_here(stage)
    assert never is (1 not in values)
    assert eventually is (1 in values)


@given(arrivals(), st.integers(0, 8))
def test_how_things_stood_at_the_start_does_not_depend_on_how_the_kinds_come_in(
    given_: tuple[list[Write], list[int]], start: int
) -> None:
    written, order = given_
    stage = play(written, order)
    stage.timeline.sleep(STEP * (start + 0.5))
    first = max((at + 1 for at in order[:start]), default=0)
    values = [moment.get("Unit") for moment in moments(written)[first:]]
    never, eventually = claimed_from_here(stage)
    assert never is (1 not in values)
    assert eventually is (1 in values)


@given(arrivals(), st.integers(0, 8))
def test_no_sighting_is_a_place_before_the_start(
    given_: tuple[list[Write], list[int]], start: int
) -> None:
    written, order = given_
    stage = play(written, order)
    stage.timeline.sleep(STEP * (start + 0.5))
    here = stage.timeline.position()
    seen = stage.claims.eventually(any_of(exists(unit("a")), absent(unit("a"))), within="admit")
    assert seen.position.resource_version >= here.resource_version
    assert seen.position.sequence >= here.sequence
