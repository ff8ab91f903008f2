"""Choosing victims, for every assumed set there can be."""

from random import Random

import hypothesis.strategies as st
from hypothesis import given

from controller.core.decisions import Kind, Ref
from controller.core.model import Admission, PodSet, Quota, Unit
from controller.core.quantity import covers, total
from controller.core.quota_filter import Room
from controller.core.quotas import Chain, difference
from controller.core.victims import candidates, enough_for, reclaimable, victims_after_filter

NOW = 1000.0
PROTECTION = 60.0

costs = st.fixed_dictionaries({"cpu": st.integers(0, 4)}, optional={"gpu": st.integers(0, 2)})


def unit(name: str, *, priority: int, sets: list[PodSet], held: list[Admission], at: float) -> Unit:
    return Unit(
        ref=Ref(Kind.UNIT, "ns", name, f"uid-{name}"),
        queue="team",
        priority=priority,
        created=0.0,
        pod_sets=tuple(sets),
        admissions=tuple(held),
        phase="Dequeued",
        last_allocate=at,
    )


@st.composite
def members(draw: st.DrawFn) -> Unit:
    sets, held = [], []
    for name in draw(st.lists(st.sampled_from("ab"), unique=True, min_size=1)):
        replicas = draw(st.integers(0, 3))
        sets.append(PodSet(name, 3, draw(costs)))
        mark = draw(st.none() | st.integers(1, 3))
        held.append(Admission(name, replicas, draw(st.integers(0, 3)), mark))
    return unit(
        draw(st.sampled_from("cdefgh")),
        priority=draw(st.integers(0, 3)),
        sets=sets,
        held=held,
        at=NOW - draw(st.sampled_from([0.0, 59.0, 60.0, 61.0, -5.0])),
    )


assumed_sets = st.lists(members(), max_size=6, unique_by=lambda item: item.key)
preemptors = st.builds(
    lambda priority, cost: unit(
        "preemptor", priority=priority, sets=[PodSet("main", 2, cost)], held=[], at=0.0
    ),
    st.integers(0, 3),
    costs,
)


def fair_game(preemptor: Unit, members: list[Unit]) -> list[Unit]:
    """The victims by the text's own four conditions, highest first."""
    return sorted(
        (
            member
            for member in members
            if member.order > preemptor.order
            and NOW - (member.last_allocate or 0.0) >= PROTECTION
            and any(
                entry.replicas > entry.running and entry.mark is None for entry in member.admissions
            )
        ),
        key=lambda member: member.order,
    )


@given(preemptors, assumed_sets)
def test_before_reservation_exactly_the_lower_reclaimable_members_are_taken(
    preemptor: Unit, assumed: list[Unit]
) -> None:
    found = candidates(preemptor, assumed, now=NOW, protection=PROTECTION)
    taken = [marking.unit for marking in found.markings]
    assert taken == fair_game(preemptor, assumed)[::-1]
    for marking in found.markings:
        entries = {entry.name: entry for entry in marking.unit.admissions}
        for name, replicas in marking.replicas.items():
            assert entries[name].mark is None
            assert replicas == entries[name].replicas - entries[name].running > 0


@given(preemptors, assumed_sets, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(
    preemptor: Unit, assumed: list[Unit], random: Random
) -> None:
    shuffled = assumed.copy()
    random.shuffle(shuffled)
    one = candidates(preemptor, assumed, now=NOW, protection=PROTECTION)
    assert one == candidates(preemptor, shuffled, now=NOW, protection=PROTECTION)


@given(preemptors, assumed_sets)
def test_accumulation_takes_the_lowest_and_stops_as_soon_as_the_request_is_covered(
    preemptor: Unit, assumed: list[Unit]
) -> None:
    found = candidates(preemptor, assumed, now=NOW, protection=PROTECTION)
    chosen = enough_for(preemptor.request, found.markings)
    assert chosen == found.markings[: len(chosen)]
    freed = total(marking.freed for marking in chosen)
    if covers(freed, preemptor.request):
        if chosen:
            without_last = total(marking.freed for marking in chosen[:-1])
            assert not covers(without_last, preemptor.request)
    else:
        assert chosen == found.markings


@given(preemptors, assumed_sets, st.integers(0, 30), st.integers(0, 30))
def test_nobody_is_taken_unless_everything_together_would_let_the_preemptor_in(
    preemptor: Unit, assumed: list[Unit], maximum: int, used: int
) -> None:
    quota = Quota(Ref(Kind.QUOTA, "ns", "team"), 0.0, "", {"cpu": maximum})
    room = Room(Chain((quota,)), ({"cpu": used},))
    found = candidates(preemptor, assumed, now=NOW, protection=PROTECTION)
    everything = total(marking.freed for marking in found.markings)
    asked = preemptor.request.get("cpu", 0)
    fits = not asked or used - everything.get("cpu", 0) + asked <= maximum
    chosen = victims_after_filter(preemptor, found.markings, room)
    assert bool(chosen) <= fits
    if fits and asked and found.markings:
        assert chosen


@given(preemptors, assumed_sets)
def test_the_earliest_end_of_protection_is_that_of_a_member_passed_over(
    preemptor: Unit, assumed: list[Unit]
) -> None:
    found = candidates(preemptor, assumed, now=NOW, protection=PROTECTION)
    ends = [(member.last_allocate or 0.0) + PROTECTION for member in found.protected]
    assert found.protection_end == min(ends, default=None)
    assert all(end > NOW for end in ends)
    assert all(reclaimable(member) for member in found.protected)


@given(members())
def test_what_has_been_marked_is_not_reclaimable_again(member: Unit) -> None:
    preemptor = unit("a", priority=9, sets=[], held=[], at=0.0)
    found = candidates(preemptor, [member], now=NOW, protection=0.0)
    for marking in found.markings:
        assert reclaimable(marking.marked) == {}
        together = total((marking.unit.marked_cost, marking.freed))
        assert difference(together, marking.marked.marked_cost) == {}
