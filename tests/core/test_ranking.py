import hypothesis.strategies as st
from hypothesis import given

from controller.core.decisions import Kind, Ref
from controller.core.model import Unit
from controller.core.ranking import Ranking

units = st.builds(
    lambda name, priority, created: Unit(
        Ref(Kind.UNIT, "ns", name), "q", priority=priority, created=created
    ),
    st.sampled_from("abcdef"),
    st.integers(-1, 1),
    st.sampled_from([0.0, 1.0]),
)


def test_higher_priority_then_earlier_then_name() -> None:
    def unit(name: str, priority: int, created: float) -> Unit:
        return Unit(Ref(Kind.UNIT, "ns", name), "q", priority=priority, created=created)

    expected = [
        unit("z", 5, 9),
        unit("y", 0, 1),
        unit("a", 0, 2),
        unit("b", 0, 2),
        unit("c", -1, 0),
    ]
    ranking = Ranking()
    for item in reversed(expected):
        ranking.add(item)
    assert list(ranking) == expected
    assert list(ranking.after(expected[1].order)) == expected[2:]


@given(st.lists(st.tuples(st.booleans(), units)))
def test_it_is_a_sorted_set(changes: list[tuple[bool, Unit]]) -> None:
    ranking, plain = Ranking(), {}
    for add, unit in changes:
        if add:
            ranking.add(unit)
            plain[unit.order] = unit
        else:
            ranking.discard(unit)
            plain.pop(unit.order, None)
    assert list(ranking) == [plain[order] for order in sorted(plain)]
    assert len(ranking) == len(plain)
