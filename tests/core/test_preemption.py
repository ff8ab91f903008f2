"""Both paths: who is marked, who is not, and what the preemptor says."""

from typing import Any

import pytest

from controller.core.decisions import Kind
from tests.core.objects import pod_set
from tests.core.world import BOTH, GATE, MARKED, NO_MORE, PREEMPTION, World


def staged(cpu: int, *lower: tuple[str, int, int], protection: float = 0.0) -> World:
    """Admitted hand-made units (name, priority, cpu) in a full or roomy quota, then both on."""
    world = World(protection=protection)
    world.quota(cpu=cpu)
    for name, priority, size in lower:
        world.hand_made(name, priority=priority, cpu=size)
        world.settle()
        assert world.held(name) == 1
    world.quota(cpu=cpu, annotations=BOTH)
    world.settle()
    return world


def marked(world: World) -> set[str]:
    return {name for (kind, _, name) in world.objects if kind is Kind.UNIT and world.mark(name)}


def release(world: World, *names: str) -> None:
    """Play the extension of hand-made units."""
    for name in names:
        entries = [
            {**entry, "replicas": entry.get("running", 0)}
            for entry in world.status(name)["admissions"]
        ]
        for entry in entries:
            entry.pop("reclaimState", None)
        world.patch(Kind.UNIT, "default", name, {"status": {"admissions": entries}})


def test_after_the_filter_the_lowest_are_marked_until_the_request_is_covered() -> None:
    world = staged(6, ("one", 1, 2), ("two", 2, 2), ("three", 3, 2))
    world.hand_made("urgent", priority=100, cpu=4)
    world.settle()
    assert marked(world) == {"one", "two"}
    assert world.message("one") == MARKED
    assert world.status("one")["phase"] == "Dequeued"
    assert world.message("urgent") == (
        "limited quotaName:team, limited resKey:cpu,; preempt succeed"
    )
    assert world.reasons("one")[-1] == "Preempted"
    assert "Preempted" not in world.reasons("three")


def test_accumulation_goes_on_while_one_resource_is_not_covered() -> None:
    def both(cpu: str, memory: str) -> list[dict[str, Any]]:
        requests = {"cpu": cpu, "memory": memory}
        pods = {"spec": {"containers": [{"resources": {"requests": requests}}]}}
        return [{"name": "main", "count": 1, "template": pods}]

    world = World()
    world.quota(maximum={"cpu": "4", "memory": "4"})
    world.hand_made("one", priority=1, pod_sets=both("2", "1"))
    world.hand_made("two", priority=2, pod_sets=both("1", "2"))
    world.hand_made("three", priority=3, pod_sets=both("1", "1"))
    world.settle()
    world.quota(maximum={"cpu": "4", "memory": "4"}, annotations=BOTH)
    world.hand_made("urgent", priority=100, pod_sets=both("2", "3"))
    world.settle()
    assert marked(world) == {"one", "two"}


@pytest.mark.parametrize(
    ("annotations", "error"),
    [
        ({GATE: "true"}, "preemption is disabled in queue"),
        (
            {PREEMPTION: "true"},
            "preemption is disabled because wait-for-pods-running is disabled",
        ),
        ({}, "preemption is disabled because wait-for-pods-running is disabled"),
    ],
)
def test_both_annotations_are_needed_after_the_filter(
    annotations: dict[str, str], error: str
) -> None:
    world = World()
    world.quota(cpu=2, annotations=annotations)
    world.hand_made("low")
    world.settle()
    world.hand_made("urgent", priority=100)
    world.settle()
    assert not marked(world)
    assert world.message("urgent").endswith("; preempt failed")
    assert error in {log.fields.get("error") for log in world.logs}


def test_the_reserve_path_needs_the_gate_only_and_takes_all_lower_members() -> None:
    world = World()
    world.quota(cpu=9)
    for name in ("one", "two", "three"):
        world.hand_made(name, priority=1, cpu=2)
    world.hand_made("above", priority=101, cpu=2)
    world.settle()
    world.quota(cpu=9, annotations={GATE: "true"})
    world.hand_made("urgent", priority=100, cpu=1)
    world.settle()
    assert marked(world) == {"one", "two", "three"}
    assert world.held("urgent") == 0
    assert world.message("urgent") == (
        "preemption: waiting for queueUnit preempted, victims: "
        "[default/one,default/three,default/two]"
    )
    assert "attempts" not in world.status("urgent")


def test_the_message_stays_while_victims_are_released_one_by_one() -> None:
    world = World()
    world.quota(cpu=9)
    for name in ("one", "two"):
        world.hand_made(name, priority=1, cpu=2)
    world.settle()
    world.quota(cpu=9, annotations=BOTH)
    world.hand_made("urgent", priority=100, cpu=1)
    world.settle()
    said = world.message("urgent")
    release(world, "one")
    world.settle()
    assert world.message("urgent") == said
    assert world.held("one") == 0
    release(world, "two")
    world.settle()
    assert world.held("urgent") == 1
    assert world.message("one") == NO_MORE


def test_no_reclaimable_member_means_waiting() -> None:
    world = staged(9, ("low", 200, 2))
    world.hand_made("urgent", priority=100, cpu=2)
    world.settle()
    assert not marked(world)
    assert world.message("urgent") == NO_MORE


def test_equal_priority_and_created_later_is_eligible_created_earlier_never() -> None:
    world = staged(4, ("early", 5, 2))
    world.quota(cpu=4)
    world.queue_runs = False
    world.hand_made("middle", priority=5, cpu=4)
    world.hand_made("late", priority=5, cpu=2)
    world.patch(
        Kind.UNIT,
        "default",
        "late",
        {"status": {"phase": "Dequeued", "admissions": [{"name": "main", "replicas": 1}]}},
    )
    world.queue_runs = True
    world.quota(cpu=6, annotations=BOTH)
    world.settle()
    assert marked(world) == {"late"}


def test_only_what_does_not_run_is_marked_in_each_pod_set() -> None:
    world = World()
    world.quota(cpu=6)
    pod_sets = [pod_set("runs", cpu=1, count=2), pod_set("waits", cpu=1, count=4)]
    world.hand_made("low", priority=1, pod_sets=pod_sets)
    world.settle()
    entries = [
        {"name": "runs", "replicas": 2, "running": 2},
        {"name": "waits", "replicas": 4, "running": 1},
    ]
    world.patch(Kind.UNIT, "default", "low", {"status": {"admissions": entries}})
    world.quota(cpu=6, annotations=BOTH)
    world.hand_made("urgent", priority=100, cpu=3)
    world.settle()
    assert world.status("low")["admissions"] == [
        entries[0],
        {**entries[1], "reclaimState": {"replicas": 3}},
    ]


def test_nobody_is_marked_if_everything_would_not_be_enough() -> None:
    world = staged(6, ("low", 1, 2))
    status = {"phase": "Running", "admissions": [{"name": "main", "replicas": 1, "running": 1}]}
    world.hand_made("runs", priority=1, cpu=4, status=status)
    world.hand_made("urgent", priority=100, cpu=4)
    world.settle()
    assert not marked(world)
    assert world.settle() == 0
    world.hand_made("huge", priority=100, cpu=7)
    world.settle()
    assert not marked(world)


def test_what_is_free_is_not_counted_when_accumulating_but_is_when_judging() -> None:
    world = staged(6, ("one", 1, 2), ("two", 2, 2))
    world.hand_made("urgent", priority=100, cpu=5)
    world.settle()
    assert marked(world) == {"one", "two"}


def test_units_of_other_queues_and_finished_or_empty_ones_are_no_victims() -> None:
    world = World()
    world.quota("other", cpu=9, annotations=BOTH)
    world.quota(cpu=2, annotations=BOTH)
    world.hand_made("elsewhere", cpu=2, queue="other")
    entry = {"name": "main", "replicas": 1}
    world.hand_made("done", cpu=2, status={"phase": "Succeed", "admissions": [entry]})
    world.hand_made("empty", cpu=3)
    world.hand_made("low", priority=1, cpu=2)
    world.settle()
    world.hand_made("urgent", priority=100, cpu=2)
    world.settle()
    assert marked(world) == {"low"}
    reasons = [(e.target.name, e.reason) for e in world.events if e.reason == "Preempted"]
    assert reasons == [("low", "Preempted")]


def test_in_an_intelligent_queue_nobody_is_marked_and_the_switch_lets_it_happen() -> None:
    world = World()
    world.quota(cpu=2, annotations=BOTH, policy="Intelligent")
    world.hand_made("low", priority=1)
    world.settle()
    world.hand_made("urgent", priority=100)
    world.settle()
    assert not marked(world)
    assert world.message("urgent").endswith("; preempt failed")
    errors = {log.fields.get("error") for log in world.logs}
    assert "preemption not supported in intelligent queue yet" in errors
    world.quota(cpu=2, annotations=BOTH, policy="Priority")
    world.settle()
    assert marked(world) == {"low"}


def test_in_a_block_queue_the_same_victims_are_marked() -> None:
    world = World()
    world.quota(cpu=4, policy="Block")
    for name, priority in (("one", 1), ("two", 2)):
        world.hand_made(name, priority=priority)
    world.settle()
    world.quota(cpu=4, policy="Block", annotations=BOTH)
    world.hand_made("urgent", priority=100)
    world.settle()
    assert marked(world) == {"one"}


@pytest.mark.parametrize(("cpu", "path"), [(2, "filter"), (9, "reserve")])
def test_protection_passes_a_unit_over_and_wakes_the_queue_at_its_end(cpu: int, path: str) -> None:
    world = staged(cpu, ("low", 1, 2), protection=60)
    allocated = world.queues.plan("team", world.now).wake_at
    assert allocated is None
    world.hand_made("urgent", priority=100)
    world.settle()
    assert not marked(world)
    assert any(
        log.message == "passed over for protection"
        and log.fields["unit"] == "default/low"
        and log.fields["queue"] == "team"
        for log in world.logs
    )
    world.now = world.wake_at["team"]
    world.pass_over("team")
    world.settle()
    assert marked(world) == {"low"}, path


def test_a_unit_allocated_in_the_future_has_age_zero() -> None:
    world = staged(2, ("low", 1, 2), protection=60)
    future = {"status": {"lastAllocateTime": "2099-01-01T00:00:00Z"}}
    world.patch(Kind.UNIT, "default", "low", future)
    world.hand_made("urgent", priority=100)
    world.settle()
    assert not marked(world)
    unprotected = staged(2, ("low", 1, 2))
    unprotected.patch(Kind.UNIT, "default", "low", future)
    unprotected.hand_made("urgent", priority=100)
    unprotected.settle()
    assert marked(unprotected) == {"low"}


def test_a_victim_that_starts_to_run_before_the_write_is_dropped_and_the_attempt_failed() -> None:
    world = staged(2, ("low", 1, 2))
    world.hand_made("urgent", priority=100)
    plan = world.queues.plan("team", world.now)
    entries = [{"name": "main", "replicas": 1, "running": 1}]
    world.patch(Kind.UNIT, "default", "low", {"status": {"admissions": entries}})
    world.carry_out(plan.decisions)
    assert not marked(world)
    assert world.message("urgent").endswith("; preempt failed")
    assert "Preempted" not in world.reasons("low")


def test_the_marking_is_logged_with_queue_and_unit() -> None:
    world = staged(2, ("low", 1, 2))
    world.hand_made("urgent", priority=100)
    world.settle()
    release(world, "low")
    world.settle()
    lines = {
        log.message
        for log in world.logs
        if log.fields.get("queue") == "team" and log.fields.get("unit") == "default/low"
    }
    assert lines >= {"victim chosen", "round ended"}


def test_a_mark_that_somebody_else_made_meanwhile_is_not_replaced() -> None:
    world = World()
    world.quota(cpu=6)
    world.hand_made("low", priority=1, cpu=2, count=3)
    world.settle()
    world.quota(cpu=6, annotations=BOTH)
    world.hand_made("urgent", priority=100, cpu=2)
    plan = world.queues.plan("team", world.now)
    entries = [{"name": "main", "replicas": 3, "reclaimState": {"replicas": 1}}]
    world.patch(Kind.UNIT, "default", "low", {"status": {"admissions": entries}})
    world.carry_out(plan.decisions)
    assert world.mark("low") == 1
