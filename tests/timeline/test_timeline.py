import threading

import pytest

from queuecheck.timeline import HarnessError, Selection, Timeline, labelled, owned_by
from tests.timeline.stage import NAMESPACE, Stage, thing, unit


def test_an_object_seen_twice_at_one_version_is_kept_once() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5)
    stage.write("Unit", "a", 5)
    assert [seen.resource_version for seen in stage.timeline.observations()] == [5]


def test_a_deletion_that_repeats_the_last_version_is_a_deletion_all_the_same() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5)
    stage.write("Unit", "a", 5, verb="DELETED")
    assert stage.timeline.latest(unit("a")) is None


def test_the_latest_state_is_the_one_of_the_highest_version_whatever_came_last() -> None:
    stage = Stage()
    stage.write("Unit", "a", 9, x=2)
    stage.write("Unit", "a", 5, x=1)
    found = stage.timeline.latest(unit("a"))
    assert found is not None
    assert found["x"] == 2
    assert [seen.resource_version for seen in stage.timeline.history(unit("a"))] == [5, 9]


def test_a_namesake_with_a_new_uid_takes_the_name_over() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, uid="one")
    stage.write("Unit", "a", 6, verb="DELETED", uid="one")
    stage.write("Unit", "a", 7, verb="ADDED", uid="two")
    found = stage.timeline.latest(unit("a"))
    assert found is not None
    assert found["metadata"]["uid"] == "two"


def test_a_relist_brings_only_what_is_new_or_changed() -> None:
    stage = Stage()
    stage.write("Unit", "kept", 5)
    stage.write("Unit", "changed", 6)
    objects = [thing("Unit", "kept", 5), thing("Unit", "changed", 8), thing("Unit", "new", 9)]
    stage.timeline.relist("Unit", NAMESPACE, objects, resource_version=10)
    listed = [seen.name for seen in stage.timeline.observations() if seen.verb == "LISTED"]
    assert listed == ["changed", "new"]


def test_what_a_relist_no_longer_has_is_deleted_at_the_version_of_the_list() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5)
    stage.timeline.relist("Unit", NAMESPACE, [], resource_version=10)
    last = stage.timeline.observations()[-1]
    assert (last.verb, last.name, last.resource_version) == ("DELETED", "a", 10)


def test_a_relist_of_one_namespace_says_nothing_about_another() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5)
    stage.timeline.relist("Unit", "elsewhere", [], resource_version=10)
    assert stage.timeline.latest(unit("a")) is not None


def test_a_relist_closes_the_gap_that_made_it_necessary() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5)
    stage.timeline.gap("Unit", NAMESPACE, "410")
    stage.timeline.gap("Job", NAMESPACE, "EOF")
    stage.timeline.relist("Unit", NAMESPACE, [thing("Unit", "a", 5)], resource_version=10)
    units, jobs = stage.timeline.gaps()
    assert (units.after, units.until) == (5, 10)
    assert jobs.until is None


def test_a_history_from_a_position_leaves_out_what_came_before() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5)
    here = stage.timeline.position()
    stage.write("Unit", "a", 6)
    history = stage.timeline.history(unit("a"), since=here)
    assert [seen.resource_version for seen in history] == [6]


def test_a_selection_is_by_predicate_and_comes_in_order_of_name() -> None:
    stage = Stage()
    for version, name in enumerate(("c", "a", "b"), start=1):
        labels = {"job": "low"} if name != "b" else {}
        found = thing("Pod", name, version)
        found["metadata"] |= {"labels": labels, "ownerReferences": [{"uid": f"job-{name}"}]}
        stage.timeline.observe("Pod", "ADDED", found)
    mine = Selection("Pod", NAMESPACE, labelled({"job": "low"}), "pods of low")
    names = [found["metadata"]["name"] for found in stage.timeline.selected(mine)]
    assert names == ["a", "c"]
    owned = Selection("Pod", NAMESPACE, owned_by("job-b"), "pods of b")
    assert [found["metadata"]["name"] for found in stage.timeline.selected(owned)] == ["b"]


def test_waiting_ends_with_the_news_and_otherwise_with_the_time() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, at=1.0)
    assert stage.timeline.wait(seen=stage.timeline.changes(), until=3.0)
    assert stage.timeline.now() == pytest.approx(1.0)
    assert not stage.timeline.wait(seen=stage.timeline.changes(), until=3.0)
    assert stage.timeline.now() == pytest.approx(3.0)


def test_a_broken_recorder_ends_every_wait() -> None:
    stage = Stage()
    stage.clock.at(1.0, lambda: stage.timeline.fail("units: KeyError"))
    with pytest.raises(HarnessError, match="the recorder has broken: units: KeyError"):
        stage.timeline.wait(seen=stage.timeline.changes(), until=3.0)


def test_many_threads_lose_nothing() -> None:
    timeline = Timeline()

    def write(kind: str) -> None:
        for version in range(200):
            timeline.observe(kind, "MODIFIED", thing(kind, "a", version))

    threads = [threading.Thread(target=write, args=(f"Kind{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [seen.sequence for seen in timeline.observations()] == list(range(800))
