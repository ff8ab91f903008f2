"""Queues made from quotas, and Queues made by hand."""

from typing import Any

import pytest

from controller.core import decode
from controller.core.decisions import Kind
from tests.core.world import BOTH, GATE, QUEUES, World


def queue(world: World, name: str = "team") -> dict[str, Any]:
    return world.objects[Kind.QUEUE, QUEUES, name]


def by_hand(world: World, **fields: Any) -> None:
    meta = {"name": "team", "namespace": QUEUES, "annotations": fields.get("annotations", {})}
    spec = {"queuePolicy": fields.get("policy", "Priority"), "priority": 7}
    world.put(Kind.QUEUE, {"metadata": meta, "spec": spec})


def test_a_quota_gets_a_queue_with_its_annotations_policy_and_parent() -> None:
    world = World()
    annotations = {**BOTH, "example.com/other": "stays behind"}
    world.quota(annotations=annotations, policy="Block", parent="")
    world.settle()
    made = queue(world)
    assert made["spec"] == {"queuePolicy": "Block", "priority": 1000}
    assert made["metadata"]["labels"] == {"quota.scheduling.koordinator.sh/parent": ""}
    assert made["metadata"]["annotations"].items() >= BOTH.items()
    assert "example.com/other" not in made["metadata"]["annotations"]


def test_a_copy_of_a_quotas_queue_under_another_name_is_somebodys_own() -> None:
    world = World()
    world.quota()
    world.settle()
    made = queue(world)["metadata"]["annotations"]
    meta = {"name": "copy", "namespace": QUEUES, "annotations": made}
    world.put(Kind.QUEUE, {"metadata": meta, "spec": {"queuePolicy": "Block"}})
    world.settle()
    assert queue(world, "copy")["spec"]["queuePolicy"] == "Block"


POLICIES = {"Priority": "Priority", "Block": "Block", "Intelligent": "Intelligent"}


@pytest.mark.parametrize(
    ("label", "policy"), [*POLICIES.items(), ("Fancy", "Priority"), ("", "Priority")]
)
def test_the_policy_label_becomes_the_policy(label: str, policy: str) -> None:
    world = World()
    world.quota(policy=label)
    world.settle()
    assert queue(world)["spec"]["queuePolicy"] == policy


def test_changes_of_the_quota_are_followed() -> None:
    world = World()
    world.quota(annotations={GATE: "true"})
    world.settle()
    world.quota(annotations={"koord-queue/max-depth": "3"}, policy="Block")
    world.settle()
    annotations = queue(world)["metadata"]["annotations"]
    assert GATE not in annotations
    assert annotations["koord-queue/max-depth"] == "3"
    assert queue(world)["spec"]["queuePolicy"] == "Block"


def test_what_others_set_on_the_queue_stays_and_the_quotas_value_wins() -> None:
    world = World()
    world.quota(annotations={GATE: "true"})
    world.settle()
    theirs = {"koord-queue/max-depth": "5", GATE: "false", "example.com/x": "y"}
    world.patch(Kind.QUEUE, QUEUES, "team", {"metadata": {"annotations": theirs}})
    world.settle()
    annotations = queue(world)["metadata"]["annotations"]
    assert annotations[GATE] == "true"
    assert annotations["koord-queue/max-depth"] == "5"
    world.quota(annotations={})
    world.settle()
    annotations = queue(world)["metadata"]["annotations"]
    assert GATE not in annotations
    assert annotations["koord-queue/max-depth"] == "5"
    assert annotations["example.com/x"] == "y"


def test_an_annotation_on_the_queue_itself_is_served() -> None:
    world = World()
    world.quota(cpu=9)
    world.settle()
    world.patch(Kind.QUEUE, QUEUES, "team", {"metadata": {"annotations": {GATE: "true"}}})
    world.hand_made("first")
    world.settle()
    world.hand_made("second")
    world.settle()
    assert world.held("second") == 0


def test_a_queue_made_by_hand_keeps_its_spec_and_gets_the_annotations() -> None:
    world = World()
    by_hand(world, policy="Block")
    world.quota(annotations={GATE: "true"}, policy="Priority")
    world.settle()
    assert queue(world)["spec"] == {"queuePolicy": "Block", "priority": 7}
    assert queue(world)["metadata"]["annotations"][GATE] == "true"
    world.delete(Kind.QUOTA, "default", "team")
    world.settle()
    assert GATE not in queue(world)["metadata"].get("annotations", {})


def test_a_queue_deleted_by_hand_comes_back() -> None:
    world = World()
    world.quota(annotations=BOTH)
    world.settle()
    world.delete(Kind.QUEUE, QUEUES, "team")
    world.settle()
    assert queue(world)["metadata"]["annotations"].items() >= BOTH.items()


def test_the_queue_of_a_deleted_quota_goes() -> None:
    world = World()
    world.quota()
    world.settle()
    world.delete(Kind.QUOTA, "default", "team")
    world.settle()
    assert (Kind.QUEUE, QUEUES, "team") not in world.objects


def test_an_unsupported_policy_is_said_once_and_not_served() -> None:
    world = World()
    by_hand(world, policy="Fancy")
    world.quota(cpu=2)
    world.quota("other", cpu=2)
    world.hand_made("unit")
    world.hand_made("elsewhere", queue="other")
    world.settle()
    world.restart()
    world.settle()
    assert [event.reason for event in world.events if event.target.kind is Kind.QUEUE] == [
        "AddQueueFail"
    ]
    assert world.held("unit") == 0
    assert world.held("elsewhere") == 1


def test_a_queue_outside_the_components_namespace_is_not_served() -> None:
    world = World()
    meta = {"name": "team", "namespace": "default"}
    world.put(Kind.QUEUE, {"metadata": meta, "spec": {"queuePolicy": "Priority"}})
    assert dict(world.queues.active()) == {}


def test_of_two_quotas_of_one_name_the_younger_is_told() -> None:
    world = World()
    world.quota(cpu=2)
    world.settle()
    world.now += 5
    younger = {"metadata": {"name": "team", "namespace": "elsewhere"}, "spec": {"max": {}}}
    world.put(Kind.QUOTA, younger)
    world.settle()
    world.restart()
    world.settle()
    told = [event for event in world.events if event.reason == "QuotaNameTaken"]
    assert [event.target.namespace for event in told] == ["elsewhere"]
    world.hand_made("unit", cpu=3)
    world.settle()
    assert world.held("unit") == 0


@pytest.mark.parametrize("old", ["Priority", "Block", "Intelligent"])
@pytest.mark.parametrize("new", ["Priority", "Block", "Intelligent"])
def test_no_unit_is_lost_when_the_policy_changes(old: str, new: str) -> None:
    world = World()
    world.quota(cpu=1, policy=old)
    for number in range(3):
        world.hand_made(f"unit-{number}", cpu=1)
    world.settle()
    world.quota(cpu=3, policy=new)
    world.settle()
    assert sum(world.held(f"unit-{number}") for number in range(3)) == 3


def test_what_was_reclaimed_is_announced_in_a_queue_that_is_not_served_any_more() -> None:
    world = World()
    world.quota(cpu=2, annotations=BOTH)
    by_hand(world, policy="Priority")
    world.hand_made("low")
    world.settle()
    world.hand_made("high", priority=9)
    world.settle()
    assert world.mark("low") == 1
    world.patch(Kind.QUEUE, QUEUES, "team", {"spec": {"queuePolicy": "Fancy"}})
    world.patch(Kind.UNIT, "default", "low", {"status": {"admissions": None}})
    world.settle()
    assert world.reasons("low").count("Reclaimed") == 1
    assert [world.held("low"), world.held("high")] == [0, 0]


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-7", -7), ("+7", 7), ("007", 7), (str(2**31 - 1), 2**31 - 1)],
)
def test_a_number_in_an_annotation_is_a_32_bit_integer_in_decimal(text: str, value: int) -> None:
    assert decode.int32(text) == value


@pytest.mark.parametrize(
    "text", ["", " 7", "7\n", "1_000", "0x7", "7.0", "٧", str(2**31), "9" * 5000, 7, None]
)
def test_what_only_looks_like_one_is_none(text: object) -> None:
    assert decode.int32(text) is None
