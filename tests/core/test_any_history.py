"""Whatever happens, in whatever order: what must always hold, and that it comes to rest."""

import copy
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from controller.core import QueueLedger
from controller.core.decisions import Kind, Preempt, Write
from tests.core.objects import START
from tests.core.world import BOTH, GATE, PREEMPTION, QUEUES, World

CAPACITY = 6
ANNOTATIONS: list[dict[str, str]] = [BOTH, {GATE: "true"}, {PREEMPTION: "true"}, {}]
NAMES = [f"job-{number}" for number in range(6)]

names = st.sampled_from(NAMES)
submit = st.tuples(
    st.just("submit"), names, st.integers(0, 3), st.integers(1, 4), st.integers(1, 3)
)
actions = st.one_of(
    submit,
    submit,
    st.tuples(st.just("bind"), names, st.integers(1, 2)),
    st.tuples(st.just("succeed"), names),
    st.tuples(st.just("delete"), names),
    st.tuples(st.just("annotate"), st.integers(0, 3)),
    st.tuples(st.just("policy"), st.sampled_from(["Priority", "Block", "Intelligent"])),
    st.tuples(st.just("parallelism"), names, st.integers(0, 3)),
    st.tuples(st.just("steps"), st.integers(1, 6)),
    st.tuples(st.just("job controller")),
    st.tuples(st.just("restart")),
    st.tuples(st.just("settle")),
)


class Play:
    """A world, a script, and what is watched at every write."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or World()
        self.world.before_write = self._watch
        self.annotations = BOTH
        self.policy = "Priority"
        self._quota()

    def act(self, action: tuple[Any, ...]) -> None:
        if action[0] in {"bind", "succeed", "delete", "parallelism"}:
            if (Kind.JOB, "default", action[1]) in self.world.objects:
                self._act_on_job(*action)
        else:
            self._act(action)
        self._check_use()

    def _act(self, action: tuple[Any, ...]) -> None:
        world = self.world
        match action:
            case ("submit", name, priority, cpu, parallelism):
                if (Kind.JOB, "default", name) not in world.objects:
                    world.job(name, priority=priority, cpu=cpu, parallelism=parallelism)
            case ("annotate", which):
                self.annotations = ANNOTATIONS[which]
                self._quota()
            case ("policy", policy):
                self.policy = policy
                self._quota()
            case ("steps", count):
                for _ in range(count):
                    world.step()
            case ("job controller",):
                world.job_controller()
            case ("restart",):
                world.restart()
            case ("settle",):
                world.settle()

    def _act_on_job(self, action: str, name: str, number: int = 1) -> None:
        match action:
            case "bind":
                self.world.bind(name, number)
            case "succeed":
                self.world.succeed(name)
            case "delete":
                self.world.delete(Kind.JOB, "default", name)
            case "parallelism":
                change = {"spec": {"parallelism": number}}
                self.world.patch_job(name, change)

    def _quota(self) -> None:
        self.world.quota(cpu=CAPACITY, annotations=self.annotations, policy=self.policy)

    def _watch(self, write: Write) -> None:
        if write.why == "the unit is admitted":
            found = self.world.objects.get((Kind.UNIT, "default", write.target.name))
            entries = (found or {}).get("status", {}).get("admissions") or []
            assert not any("reclaimState" in entry for entry in entries)

    def _check_use(self) -> None:
        used = 0
        for (kind, _, name), raw in self.world.objects.items():
            if kind is Kind.UNIT and raw.get("status", {}).get("phase") not in {
                "Succeed",
                "Failed",
            }:
                (item,) = raw["spec"]["podSet"]
                cpu = item["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]
                used += int(cpu) * self.world.held(name)
        assert used <= CAPACITY


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.lists(actions, max_size=40))
def test_use_stays_within_max_and_the_world_comes_to_rest(script: list[tuple[Any, ...]]) -> None:
    play = Play()
    for action in script:
        play.act(action)
    world = play.world
    world.settle()
    assert world.settle() == 0
    world.restart()
    world.settle()
    assert world.settle() == 0
    play.act(("settle",))
    for (kind, _, name), raw in world.objects.items():
        if kind is Kind.UNIT:
            assert world.mark(name) == 0, "a mark stays"
            assert raw["status"].get("message") != "Waiting job extension to reclaim resources."
    names = [event.once for event in world.events if event.once]
    assert len(names) == len(set(names))


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.lists(actions, max_size=30), st.randoms(use_true_random=False))
def test_a_plan_does_not_depend_on_the_order_in_which_objects_were_met(
    script: list[tuple[Any, ...]], random: Any
) -> None:
    play = Play()
    for action in script:
        play.act(action)
    objects = [
        (name[0], copy.deepcopy(raw))
        for name, raw in play.world.objects.items()
        if name[0] in QueueLedger.kinds
    ]
    shuffled = objects.copy()
    random.shuffle(shuffled)
    assert planned(objects) == planned(shuffled)


def planned(objects: list[tuple[Kind, Any]]) -> list[object]:
    ledger = QueueLedger(namespace=QUEUES, protection=0.0)
    for kind, raw in objects:
        ledger.apply(kind, raw, deleted=False)
    found: list[object] = [dict(ledger.active())]
    for decision in ledger.plan("team", START + 10_000).decisions:
        match decision:
            case Preempt():
                found.append([(write.target, write.why) for write in decision.marks])
            case Write():
                raws = {raw["metadata"].get("uid"): raw for _, raw in objects}
                found.append((write_key(decision), decision.change(raws[decision.target.uid])))
            case _:
                found.append(decision)
    return found


def write_key(write: Write) -> object:
    return (write.target, write.why, write.subresource)
