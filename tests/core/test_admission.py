"""Who is admitted, as the quotas have it, and what is written of that."""

import pytest

from controller.core.decisions import Kind, Write
from controller.core.instants import to_text
from tests.core.objects import pod_set
from tests.core.world import World


def test_a_unit_that_fits_is_admitted_whole_with_one_admission_per_pod_set() -> None:
    world = World()
    world.quota(cpu=6)
    world.hand_made("unit", pod_sets=[pod_set("a", cpu=1, count=2), pod_set("b", cpu=4)])
    world.settle()
    status = world.status("unit")
    assert status["admissions"] == [{"name": "a", "replicas": 2}, {"name": "b", "replicas": 1}]
    assert status["phase"] == "Dequeued"
    assert status["message"] == "Dequeued because schedule successfully"
    assert status["lastAllocateTime"] == status["lastUpdateTime"]
    assert world.reasons("unit") == ["Scheduled"]
    assert [item.result for item in world.attempts] == ["scheduled"]


def test_a_unit_that_does_not_fit_says_which_quota_and_resource_is_short() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=3)
    world.settle()
    status = world.status("unit")
    assert status["phase"] == "Enqueued"
    assert status["message"] == "limited quotaName:team, limited resKey:cpu,; preempt failed"
    assert status["attempts"] == 1
    assert [item.result for item in world.attempts] == ["unschedulable"]
    assert [(e.reason, e.message) for e in world.events] == [
        ("FailedScheduling", status["message"])
    ]


def test_every_ancestor_limits() -> None:
    world = World()
    world.quota("department", cpu=3)
    world.quota("team", cpu=9, parent="department")
    world.quota("sibling", cpu=9, parent="department")
    world.hand_made("one", cpu=2, queue="sibling")
    world.settle()
    world.hand_made("two", cpu=2)
    world.settle()
    assert world.held("one") == 1
    assert world.message("two").startswith("limited quotaName:department, limited resKey:cpu,")
    world.delete(Kind.UNIT, "default", "one")
    world.settle()
    assert world.held("two") == 1


@pytest.mark.parametrize(
    ("maximum", "admitted"),
    [
        ({}, True),
        ({"cpu": "0"}, False),
        ({"cpu": "2"}, True),
        ({"cpu": "1999m"}, False),
        ({"memory": "0"}, True),
        ({"cpu": "nonsense"}, False),
    ],
)
def test_only_what_max_names_and_the_unit_asks_for_limits(
    maximum: dict[str, str], admitted: bool
) -> None:
    world = World()
    world.quota(maximum={"other": "1", **maximum})
    world.hand_made("unit", cpu=2)
    world.settle()
    assert world.held("unit") == int(admitted)


def test_a_queue_without_a_quota_admits_nobody_and_says_so() -> None:
    world = World()
    queue = {"metadata": {"name": "team", "namespace": "koord-queue"}, "spec": {}}
    world.put(Kind.QUEUE, queue)
    world.hand_made("unit")
    world.settle()
    assert world.message("unit") == "quota team not found; preempt failed"
    assert world.settle() == 0


def test_a_unit_without_any_queue_is_told_once_per_outage() -> None:
    world = World()
    world.hand_made("unit")
    world.settle()
    world.restart()
    world.settle()
    assert world.reasons("unit").count("QueueNotFound") == 1
    assert world.message("unit") == "queue team not found for queueUnit default/unit"
    world.quota(cpu=2)
    world.settle()
    assert world.held("unit") == 1


def test_a_write_between_event_and_message_brings_no_second_event() -> None:
    world = World()

    def write_first(_: Write) -> None:
        world.before_write = None
        world.patch(
            Kind.UNIT,
            "default",
            "unit",
            {"spec": {"priority": 7}, "status": {"lastUpdateTime": to_text(world.now)}},
        )

    world.before_write = write_first
    world.hand_made("unit")
    world.settle()
    assert world.message("unit") == "queue team not found for queueUnit default/unit"
    assert world.reasons("unit").count("QueueNotFound") == 1


def test_deleting_the_quota_is_reported_and_a_new_one_takes_its_units_up() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=3)
    world.settle()
    world.delete(Kind.QUOTA, "default", "team")
    world.settle()
    assert world.reasons("unit").count("QueueNotFound") == 1
    assert (Kind.QUEUE, "koord-queue", "team") not in world.objects
    assert "team" not in world.queues.active()
    world.quota(cpu=3)
    world.settle()
    assert world.held("unit") == 1


def test_a_unit_that_cannot_be_charged_is_reported_and_stops_nobody() -> None:
    world = World()
    world.quota(cpu=2, policy="Block")
    world.hand_made("bad", priority=9, cpu="lots")
    world.hand_made("good")
    world.settle()
    assert world.message("bad") == ('podSet main cannot be charged: cpu: "lots" is not a quantity')
    assert world.held("good") == 1
    assert world.settle() == 0


def test_what_a_unit_holds_stays_charged_when_it_cannot_be_read_any_more() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=2)
    world.settle()
    for text, count in (("2x", 1), ("2y", 2)):
        pod_sets = [pod_set(cpu=text, count=count)]
        world.patch(Kind.UNIT, "default", "unit", {"spec": {"podSet": pod_sets}})
        world.settle()
    assert "cannot be charged" in world.message("unit")
    world.hand_made("other", cpu=1)
    world.settle()
    assert world.held("other") == 0
    world.patch(Kind.UNIT, "default", "unit", {"spec": {"podSet": [pod_set(cpu=1)]}})
    world.settle()
    assert world.held("other") == 1


def test_a_grant_is_not_given_to_a_unit_that_has_changed_meanwhile() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=2)
    plan = world.queues.plan("team", world.now)
    world.patch(Kind.UNIT, "default", "unit", {"spec": {"podSet": [pod_set(cpu=5)]}})
    world.carry_out(plan.decisions)
    assert world.held("unit") == 0
    assert not any(log.message == "admitted" for log in world.logs)


def test_an_entry_keeps_what_is_not_ours() -> None:
    world = World()
    world.quota(cpu=4)
    entries = [{"name": "main", "replicas": 1, "running": 1, "resources": {"cpu": "2"}}]
    other = {"name": "other", "replicas": 0, "theirs": "kept"}
    status = {"phase": "Running", "admissions": [*entries, other]}
    world.hand_made("unit", count=2, status=status)
    world.settle()
    assert world.status("unit")["admissions"] == [{**entries[0], "replicas": 2}, other]
    assert world.status("unit")["phase"] == "Running"


def test_a_unit_that_holds_nothing_is_not_admitted_as_running() -> None:
    world = World()
    world.quota(cpu=4)
    entries = [{"name": "main", "replicas": 0, "running": 0}]
    world.hand_made("unit", status={"phase": "Running", "admissions": entries})
    world.settle()
    assert world.status("unit")["phase"] == "Dequeued"
