from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from controller.core.decisions import Kind, Ref
from controller.core.model import Quota
from controller.core.quotas import Quotas

NAMES = ["a", "b", "c", "d", "e"]


def quota(
    name: str, *, parent: str = "", created: float = 0.0, namespace: str = "ns", cpu: int = 10
) -> Quota:
    ref = Ref(Kind.QUOTA, namespace, name, f"{namespace}-{name}")
    return Quota(ref, created, parent, {"cpu": cpu})


def chain(quotas: Quotas, name: str) -> list[str]:
    return [item.ref.name for item in quotas.chain(name).quotas]


def test_a_chain_goes_from_the_quota_to_the_root() -> None:
    quotas = Quotas()
    quotas.put(quota("team", parent="department"))
    quotas.put(quota("department", parent="koordinator-root-quota"))
    assert chain(quotas, "team") == ["team", "department"]
    assert quotas.chain("team").problem == ""


def test_a_missing_quota_or_ancestor_is_named() -> None:
    quotas = Quotas()
    quotas.put(quota("team", parent="department"))
    assert quotas.chain("team").problem == "quota department not found"
    assert quotas.chain("other").problem == "quota other not found"


def test_a_cycle_is_named() -> None:
    quotas = Quotas()
    quotas.put(quota("a", parent="b"))
    quotas.put(quota("b", parent="a"))
    quotas.put(quota("c", parent="a"))
    assert quotas.chain("a").problem == "quota a is its own ancestor"
    assert quotas.chain("c").problem == "quota a is its own ancestor"


def test_of_two_quotas_of_one_name_the_older_counts() -> None:
    quotas = Quotas()
    quotas.put(quota("team", created=2, namespace="young", cpu=1))
    quotas.put(quota("team", created=1, namespace="old", cpu=2))
    assert quotas.chain("team").quotas[0].maximum == {"cpu": 2}
    quotas.drop(quota("team", created=1, namespace="old"))
    assert quotas.chain("team").quotas[0].maximum == {"cpu": 1}


def test_use_counts_for_every_ancestor() -> None:
    quotas = Quotas()
    quotas.put(quota("team", parent="department"))
    quotas.put(quota("sibling", parent="department"))
    quotas.put(quota("department"))
    quotas.charge("team", {"cpu": 2})
    quotas.charge("sibling", {"cpu": 3})
    assert quotas.used("department") == {"cpu": 5}
    assert quotas.used("team") == {"cpu": 2}
    quotas.charge("team", {"cpu": -2})
    assert quotas.used("team") == {}


def test_a_change_concerns_those_below_and_nobody_else() -> None:
    quotas = Quotas()
    quotas.put(quota("department"))
    quotas.put(quota("team", parent="department"))
    quotas.put(quota("apart"))
    assert quotas.put(quota("department", cpu=20)) == {"department", "team"}
    assert quotas.put(quota("team", parent="department", cpu=20)) == {"team"}
    assert quotas.put(quota("apart")) == frozenset()


changes = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from(["", *NAMES])),
    st.tuples(st.just("drop"), st.sampled_from(NAMES)),
    st.tuples(st.just("charge"), st.sampled_from(NAMES), st.integers(1, 5)),
    st.tuples(st.just("ask"), st.sampled_from(NAMES)),
)


@given(st.lists(changes, max_size=30))
def test_totals_are_what_adding_up_gives(
    script: list[tuple[Any, ...]],
) -> None:
    quotas = Quotas()
    own = dict.fromkeys(NAMES, 0)
    for change in script:
        match change:
            case ("put", name, parent):
                quotas.put(quota(name, parent=parent))
            case ("drop", name):
                quotas.drop(quota(name))
            case ("charge", name, cpu):
                quotas.charge(name, {"cpu": cpu})
                own[name] += cpu
            case _:
                quotas.used(change[1])
    for name in NAMES:
        expected = sum(own[other] for other in NAMES if name in chain(quotas, other))
        if quotas.named(name):
            assert quotas.used(name).get("cpu", 0) == expected
        assert quotas.relatives(name) == {name} | {
            other for other in NAMES if set(chain(quotas, other)) & set(chain(quotas, name))
        }
