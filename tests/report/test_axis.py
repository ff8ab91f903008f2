from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from queuecheck.report.html.axis import DEMANDED, Instant, Room, positions
from tests.report.charts import instants

sets = st.lists(instants, min_size=2, max_size=60, unique=True)


@given(sets, st.data())
def test_instants_keep_their_order_and_stay_within_the_picture(
    found: list[Instant], data: st.DataObject
) -> None:
    rooms = data.draw(
        st.lists(
            st.builds(
                Room,
                st.sampled_from(found),
                st.sampled_from(found),
                st.floats(0, 120),
                st.booleans(),
            ),
            max_size=20,
        )
    )
    places = positions(found, rooms)
    assert places.keys() == set(found)
    ordered = [places[at] for at in sorted(found)]
    assert ordered[0] == 0
    assert abs(ordered[-1] - 100) < 1e-6
    assert all(left < right for left, right in pairwise(ordered))


@given(st.integers(1, 12))
def test_firm_rooms_are_given_while_they_fit_whatever_else_is_wished(count: int) -> None:
    found = [Instant(0, version) for version in range(count + 1)]
    firm = [Room(left, right, DEMANDED / count, firm=True) for left, right in pairwise(found)]
    wishes = [Room(found[0], found[1], 80)]
    places = positions(found, [*firm, *wishes])
    for left, right in pairwise(found):
        assert places[right] - places[left] >= DEMANDED / count - 1e-6


def test_a_longer_wait_takes_more_room() -> None:
    start, soon, late = Instant(0), Instant(10), Instant(5000)
    places = positions([start, soon, late])
    assert places[late] - places[soon] > places[soon] - places[start]


def test_what_came_in_one_millisecond_stands_in_the_order_of_its_versions() -> None:
    places = positions([Instant(5, 8), Instant(5, 7), Instant(5, 9)])
    assert places[Instant(5, 7)] < places[Instant(5, 8)] < places[Instant(5, 9)]


def test_one_instant_stands_at_the_left() -> None:
    assert positions([Instant(3)]) == {Instant(3): 0}
    assert positions([]) == {}
