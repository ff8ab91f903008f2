from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from controller.core.decisions import Kind, Ref
from controller.shell.store import Change, Store
from queuecheck.kube import Changed, KubeObject, Listed


def unit(name: str, version: int, uid: str = "") -> KubeObject:
    return {
        "metadata": {
            "namespace": "ns",
            "name": name,
            "uid": uid or name,
            "resourceVersion": str(version),
        }
    }


def known(store: Store, name: str) -> Any:
    return store.get(Ref(Kind.UNIT, "ns", name))


def test_a_stale_item_changes_nothing() -> None:
    store = Store()
    store.learn(Kind.UNIT, unit("a", 100))
    assert store.take(Kind.UNIT, Changed("MODIFIED", unit("a", 99))) == []
    assert store.take(Kind.UNIT, Changed("MODIFIED", unit("a", 100))) == []
    assert store.take(Kind.UNIT, Changed("DELETED", unit("a", 99))) == []
    assert store.take(Kind.UNIT, Listed((unit("a", 9),), "9")) == []
    assert known(store, "a") == unit("a", 100)


def test_versions_are_compared_as_numbers() -> None:
    store = Store()
    store.learn(Kind.UNIT, unit("a", 99))
    assert len(store.take(Kind.UNIT, Changed("MODIFIED", unit("a", 100)))) == 1


def test_what_a_new_list_lacks_is_deleted() -> None:
    store = Store()
    store.take(Kind.UNIT, Listed((unit("a", 1), unit("b", 2)), "5"))
    changes = store.take(Kind.UNIT, Listed((unit("b", 2),), "9"))
    assert changes == [Change(Kind.UNIT, unit("a", 1), deleted=True)]
    assert known(store, "a") is None


def test_what_we_created_after_the_list_was_taken_stays() -> None:
    store = Store()
    store.learn(Kind.UNIT, unit("a", 10))
    assert store.take(Kind.UNIT, Listed((), "9")) == []
    assert known(store, "a") is not None


def test_an_object_made_anew_is_first_deleted() -> None:
    store = Store()
    store.take(Kind.UNIT, Listed((unit("a", 1, "old"),), "5"))
    changes = store.take(Kind.UNIT, Listed((unit("a", 8, "new"),), "9"))
    assert [(change.deleted, change.object["metadata"]["uid"]) for change in changes] == [
        (True, "old"),
        (False, "new"),
    ]


def test_a_deletion_is_told_with_the_object_as_it_last_was() -> None:
    store = Store()
    store.learn(Kind.UNIT, unit("a", 1))
    changes = store.take(Kind.UNIT, Changed("DELETED", unit("a", 7)))
    assert changes == [Change(Kind.UNIT, unit("a", 7), deleted=True)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 30)), max_size=30))
def test_the_newest_version_wins_in_any_order_of_arrival(arrivals: list[tuple[str, int]]) -> None:
    store = Store()
    for name, version in arrivals:
        store.take(Kind.UNIT, Changed("MODIFIED", unit(name, version)))
    for name in {name for name, _ in arrivals}:
        newest = max(version for other, version in arrivals if other == name)
        assert known(store, name) == unit(name, newest)


def test_who_wrote_which_field_is_not_kept() -> None:
    store = Store()
    found = unit("a", 1)
    managed = {**found, "metadata": {**found["metadata"], "managedFields": [{"manager": "m"}]}}
    assert store.learn(Kind.UNIT, managed) == [Change(Kind.UNIT, found, deleted=False)]
    assert known(store, "a") == found
