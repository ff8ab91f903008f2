"""Who is admitted: quota, order, policies, the gate."""

import pytest

from controller.core.decisions import Kind, Write
from controller.core.instants import to_text
from tests.core.world import BOTH, GATE, World, pod_set

NO_MORE = "no more queueUnit allowed to schedule in this queue"


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


def test_the_higher_then_the_earlier_then_the_lesser_name_comes_first() -> None:
    world = World()
    world.queue_runs = False
    world.quota(cpu=2)
    for name, priority in (("late", 0), ("high", 1), ("later", 0)):
        world.hand_made(name, priority=priority)
    world.queue_runs = True
    order: list[str] = []
    for _ in range(3):
        world.settle()
        (admitted,) = (name for name in ("late", "high", "later") if world.held(name))
        order.append(admitted)
        ended = {"phase": "Succeed", "admissions": None}
        world.patch(Kind.UNIT, "default", admitted, {"status": ended})
    assert order == ["high", "late", "later"]


def test_a_unit_made_for_a_job_has_the_jobs_place() -> None:
    world = World()
    world.extension_runs = False
    world.job("early")
    world.hand_made("between")
    world.extension_runs = True
    world.settle()
    world.quota(cpu=2)
    world.settle()
    assert world.held("early") == 1
    assert world.held("between") == 0


def test_a_unit_without_a_job_gets_no_better_place_by_the_annotation_of_one() -> None:
    world = World()
    world.quota(cpu=2)
    world.queue_runs = False
    world.hand_made("first")
    world.hand_made("second")
    early = {"queuecheck.dev/job-created": "1970-01-01T00:00:00Z"}
    world.patch(Kind.UNIT, "default", "second", {"metadata": {"annotations": early}})
    world.queue_runs = True
    world.settle()
    assert [world.held("first"), world.held("second")] == [1, 0]


def test_in_a_priority_queue_a_refusal_does_not_stop_the_next() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("big", priority=1, cpu=3)
    world.hand_made("small", cpu=2)
    world.settle()
    assert world.held("small") == 1


def test_in_a_block_queue_nobody_passes_a_unit_that_does_not_fit() -> None:
    world = World()
    world.quota(cpu=2, policy="Block")
    world.hand_made("big", priority=1, cpu=3)
    world.hand_made("small", cpu=2)
    world.settle()
    assert world.held("small") == 0
    assert world.message("small") == NO_MORE
    world.delete(Kind.UNIT, "default", "big")
    world.settle()
    assert world.held("small") == 1


def test_who_is_held_back_in_a_block_queue_does_not_say_what_is_over() -> None:
    world = World()
    world.hand_made("big", priority=5, cpu=9)
    world.hand_made("small", priority=1, cpu=1)
    world.settle()
    assert "not found" in world.message("small")
    world.quota(cpu=4, policy="Block")
    world.settle()
    assert world.message("small") == NO_MORE
    world.delete(Kind.QUOTA, "default", "team")
    world.settle()
    assert world.reasons("small").count("QueueNotFound") == 2


def test_a_unit_that_has_moved_is_tried_although_its_like_has_just_been_refused() -> None:
    world = World()
    world.quota("team", cpu=1)
    world.quota("other", cpu=1)
    world.hand_made("here", cpu=2, queue="other")
    world.hand_made("moved", cpu=2)
    world.settle()
    label = "quota.scheduling.koordinator.sh/name"
    world.patch(Kind.UNIT, "default", "moved", {"metadata": {"labels": {label: "other"}}})
    world.settle()
    assert world.message("moved").startswith("limited quotaName:other,")


def test_in_an_intelligent_queue_who_holds_something_does_not_hold_up_the_rest() -> None:
    world = World()
    world.quota(cpu=3, policy="Intelligent")
    entries = [{"name": "main", "replicas": 1, "running": 1}]
    world.hand_made("high", priority=9, count=2, cpu=2, status={"admissions": entries})
    world.hand_made("low", priority=1, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("high", "low")] == [1, 1]


def test_in_an_intelligent_queue_none_below_the_threshold_while_one_above_waits() -> None:
    world = World()
    threshold = {"koord-queue/priority-threshold": "10"}
    world.quota(cpu=2, policy="Intelligent", annotations=threshold)
    world.hand_made("big", priority=10, cpu=3)
    world.hand_made("high", priority=10, cpu=1)
    world.hand_made("low", priority=9, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("big", "high", "low")] == [0, 1, 0]
    world.delete(Kind.UNIT, "default", "big")
    world.settle()
    assert world.held("low") == 1


def test_in_an_intelligent_queue_those_below_the_threshold_do_not_hold_each_other_up() -> None:
    world = World()
    world.quota(cpu=2, policy="Intelligent")
    world.hand_made("big", priority=3, cpu=3)
    world.hand_made("small", priority=1, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("big", "small")] == [0, 1]


def test_max_depth_limits_how_far_a_pass_looks() -> None:
    world = World()
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "2"})
    world.hand_made("big", priority=2, cpu=3)
    world.hand_made("bigger", priority=2, cpu=3)
    world.hand_made("small", priority=1, cpu=1)
    world.settle()
    assert world.held("small") == 0
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "-1"})
    world.settle()
    assert world.held("small") == 1


def test_an_admission_lets_the_next_come_within_the_depth() -> None:
    world = World()
    world.quota(cpu=9, annotations={"koord-queue/max-depth": "1"})
    for name in ("one", "two", "three"):
        world.hand_made(name, cpu=1)
    world.settle()
    assert [world.held(name) for name in ("one", "two", "three")] == [1, 1, 1]


def test_what_was_reclaimed_is_announced_beyond_the_depth_too_and_says_that_it_waits() -> None:
    world = World()
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "1"})
    world.hand_made("low", cpu=2)
    world.hand_made("large", cpu=3, priority=9)
    world.settle()
    mark = [{"name": "main", "replicas": 1, "reclaimState": {"replicas": 1}}]
    world.patch(Kind.UNIT, "default", "low", {"status": {"admissions": mark}})
    world.settle()
    gone = {"admissions": None, "message": "Waiting job extension to reclaim resources."}
    world.patch(Kind.UNIT, "default", "low", {"status": gone})
    world.settle()
    assert world.reasons("low").count("Reclaimed") == 1
    assert (world.held("low"), world.message("low")) == (0, NO_MORE)


def test_the_gate_holds_an_equal_later_unit_back_although_there_is_room() -> None:
    world = World()
    world.quota(cpu=9, annotations={GATE: "true"})
    world.job("first")
    world.settle()
    world.job("second")
    world.settle()
    assert world.held("second") == 0
    assert world.message("second") == NO_MORE
    assert "attempts" not in world.status("second")
    world.bind("first")
    world.settle()
    assert world.held("second") == 1


def test_a_unit_is_no_member_for_its_own_attempt() -> None:
    world = World()
    world.quota(cpu=4, annotations={GATE: "true"})
    world.hand_made("unit", count=2, status={"admissions": [{"name": "main", "replicas": 1}]})
    world.settle()
    assert world.status("unit")["admissions"] == [{"name": "main", "replicas": 2}]


@pytest.mark.parametrize("value", ["True", "1", "yes", "", " true"])
def test_only_the_literal_true_turns_the_gate_on(value: str) -> None:
    world = World()
    world.quota(cpu=9, annotations={GATE: value})
    world.hand_made("first")
    world.hand_made("second")
    world.settle()
    assert world.held("second") == 1


def test_the_gate_does_not_hold_units_in_an_intelligent_queue() -> None:
    world = World()
    world.quota(cpu=9, annotations=BOTH, policy="Intelligent")
    world.hand_made("first")
    world.hand_made("second")
    world.settle()
    assert world.held("second") == 1


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


def test_a_thousand_equal_units_cost_one_attempt_per_change() -> None:
    world = World()
    world.quota(cpu=2)
    for number in range(50):
        world.hand_made(f"unit-{number:02}", cpu=3)
    world.settle()
    before = len(world.attempts)
    world.quota(cpu=2, annotations={"koord-queue/max-depth": "100"})
    world.settle()
    assert len(world.attempts) == before + 1
    assert world.status("unit-01")["attempts"] == 1


def test_the_gauge_counts_the_units_that_ask() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("one")
    assert world.queues.active() == {"team": 1}
    world.hand_made("two")
    world.settle()
    assert world.queues.active() == {"team": 1}
    world.delete(Kind.UNIT, "default", "two")
    assert world.queues.active() == {"team": 0}


def test_an_admission_is_no_reason_to_try_the_others_again() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("big", priority=1, cpu=3)
    world.hand_made("small", cpu=2)
    world.settle()
    assert world.held("small") == 1
    assert world.status("big")["attempts"] == 1


def test_what_a_sibling_queue_gives_back_is_noticed() -> None:
    world = World()
    world.quota("department", cpu=2)
    world.quota("team", cpu=9, parent="department")
    world.quota("sibling", cpu=9, parent="department")
    world.hand_made("one", queue="sibling")
    world.settle()
    world.hand_made("two")
    world.settle()
    assert world.held("two") == 0
    world.patch(Kind.UNIT, "default", "one", {"status": {"phase": "Succeed"}})
    world.settle()
    assert world.held("two") == 1


def test_without_a_change_a_refusal_that_only_repeats_itself_is_no_attempt() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=3)
    world.settle()
    plan = world.queues.plan("team", world.now, again=True)
    world.carry_out(plan.decisions)
    assert world.status("unit")["attempts"] == 1
    assert world.reasons("unit") == ["FailedScheduling"]
    world.carry_out(world.queues.plan("team", world.now).decisions)
    assert world.status("unit")["attempts"] == 2


def test_without_a_change_what_has_been_missed_is_decided_all_the_same() -> None:
    world = World()
    world.quota(cpu=2)
    world.hand_made("unit", cpu=3)
    world.settle()
    world.queue_runs = False
    world.quota(cpu=3)
    world.carry_out(world.queues.plan("team", world.now, again=True).decisions)
    assert world.held("unit") == 1


def test_a_refusal_that_is_not_written_is_not_counted() -> None:
    world = World()
    world.quota(cpu=2)
    world.queue_runs = False
    world.hand_made("unit", cpu=3)
    world.settle()
    plan = world.queues.plan("team", world.now)
    world.patch(Kind.UNIT, "default", "unit", {"spec": {"priority": 9}})
    world.carry_out(plan.decisions)
    assert world.message("unit") == ""
    assert world.attempts == []
