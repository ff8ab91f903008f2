"""A world of two queues below one quota, and a referee who judges each grant and each mark.

The referee reads the objects as they are at the moment of the decision, and the text's rules by
themselves: it shares the reading of objects with the controller, but none of its reasoning.
"""

import copy
from collections import Counter
from collections.abc import Iterable
from typing import Any

import hypothesis.strategies as st

from controller.core import decode
from controller.core.decisions import Kind, Log, Preempt, Write
from controller.core.model import Unit
from tests.core.objects import Raw
from tests.core.world import BOTH, GATE, PREEMPTION, World

QUEUES = ("team", "other")
MAXIMUM = {"department": 8, "team": 6, "other": 6}
ANNOTATIONS: list[dict[str, str]] = [BOTH, BOTH, BOTH, {GATE: "true"}, {PREEMPTION: "true"}, {}]
JOBS = ["urgent", *(f"job-{number}" for number in range(4))]
UNITS = [f"unit-{number}" for number in range(4)]
PROTECTION = 20.0
THRESHOLD = 2

queues = st.sampled_from(QUEUES)
jobs = st.sampled_from(JOBS)
units = st.sampled_from(UNITS)
priorities = st.integers(0, 3)
cpu = st.integers(1, 3)
submit = st.tuples(st.just("submit"), jobs, queues, priorities, cpu, st.integers(1, 3))
stage = st.tuples(
    st.just("stage"), queues, st.lists(priorities, min_size=2, max_size=4), st.integers(1, 5)
)
actions = st.one_of(
    *[submit] * 4,
    *[stage] * 3,
    st.tuples(st.just("make"), units, queues, priorities, cpu),
    *[st.tuples(st.just("report"), units, st.integers(0, 2), st.integers(0, 2))] * 2,
    st.tuples(st.just("bind"), jobs, st.integers(1, 2)),
    st.tuples(st.just("finish"), jobs, st.integers(1, 3)),
    st.tuples(st.just("delete"), jobs),
    st.tuples(st.just("parallelism"), jobs, st.integers(0, 3)),
    st.tuples(st.just("move"), jobs, queues),
    st.tuples(st.just("settings"), queues, st.integers(0, len(ANNOTATIONS) - 1)),
    st.tuples(st.just("policy"), queues, st.sampled_from(["Priority", "Block", "Intelligent"])),
    st.tuples(st.just("time"), st.sampled_from([1.0, PROTECTION])),
    st.tuples(st.just("steps"), st.integers(1, 6)),
    *[st.tuples(st.just("settle"))] * 3,
)
scripts = st.lists(actions, min_size=4, max_size=16)


class Judged(World):
    """Hands every object that changes, every grant and every round to the referee."""

    def __init__(self, *, protection: float = 0.0) -> None:
        self.fed: list[tuple[Kind, Raw, bool]] = []
        self.counted: Counter[str] = Counter()
        self.rounds = 0
        super().__init__(protection=protection)

    def units_of(self, queue: str | None = None) -> list[Unit]:
        """The units of a queue, or all, as they are now."""
        found = [decode.unit(raw) for (kind, _, _), raw in self.objects.items() if kind is UNIT]
        return [unit for unit in found if queue in {None, unit.queue}]

    def settings(self, queue: str) -> tuple[str, bool, bool]:
        """Policy, gate and preemption, by the quota itself."""
        meta = self.objects[Kind.QUOTA, "default", queue]["metadata"]
        on = {key for key, value in meta["annotations"].items() if value == "true"}
        return meta["labels"]["koord-queue/queue-policy"], GATE in on, PREEMPTION in on

    def used(self, quota: str) -> int:
        """Thousandths of a cpu that the units below a quota hold."""
        below = QUEUES if quota == "department" else (quota,)
        return sum(unit.held.get("cpu", 0) for queue in below for unit in self.units_of(queue))

    def feed(self, kind: Kind, raw: Raw, *, deleted: bool) -> None:
        self.fed.append((kind, copy.deepcopy(raw), deleted))
        super().feed(kind, raw, deleted=deleted)

    def _write(self, decision: Write) -> bool:
        before = self.objects.get((decision.target.kind, "default", decision.target.name))
        grant = decision.why == "the unit is admitted" and before is not None
        unit = decode.unit(copy.deepcopy(before)) if grant and before else None
        if unit:
            self._judge_grant(unit)
        done = super()._write(decision)
        if done and decision.why.endswith(("; preempt succeed", "; preempt failed")):
            self.counted[decision.target.uid] += 1
        if unit and done:
            self._judge_granted(unit)
        return done

    def _judge_grant(self, unit: Unit) -> None:
        policy, gate, _ = self.settings(unit.queue)
        peers = [each for each in self.units_of(unit.queue) if each.key != unit.key]
        asking = [each for each in peers if each.asks and not each.marked]
        assert not unit.marked, f"{unit.ref} is let in with a mark"
        if gate and policy != "Intelligent":
            assert not any(map(is_member, peers)), f"{unit.ref} passes the gate"
        if policy == "Block":
            assert all(each.order > unit.order for each in asking), f"{unit.ref} passes a Block"
        if policy == "Intelligent" and unit.priority < THRESHOLD:
            waiting = [each for each in asking if not each.reserves]
            assert all(each.priority < THRESHOLD for each in waiting), f"{unit.ref} is below"
        self._judge_release(unit, peers)

    def _judge_release(self, unit: Unit, peers: Iterable[Unit]) -> None:
        """In a round nobody gets what a unit before it could have once the marked is released."""
        marked = sum(each.marked_cost.get("cpu", 0) for each in peers)
        if not any(each.marked for each in peers):
            return
        chain = (unit.queue, "department")
        room = min(MAXIMUM[quota] * 1000 - self.used(quota) for quota in chain) + marked
        for each in peers:
            waits = each.asks and not each.marked and each.order < unit.order
            assert not (waits and each.request.get("cpu", 0) <= room), f"{unit.ref} is too early"

    def _judge_granted(self, before: Unit) -> None:
        raw = self.objects[UNIT, "default", before.ref.name]
        unit = decode.unit(raw)
        wanted = {pod_set.name: pod_set.count for pod_set in unit.pod_sets}
        assert {name: unit.held_replicas[name] for name in wanted} == wanted
        assert unit.last_allocate == self.now or abs((unit.last_allocate or 0) - self.now) < 1e-3
        for quota in (unit.queue, "department"):
            assert self.used(quota) <= MAXIMUM[quota] * 1000, f"{quota} is used beyond its max"

    def _preempt(self, decision: Preempt) -> None:
        victims = [self._unit(write.target.name) for write in decision.marks]
        (name,) = {
            log.fields["preemptor"].split("/")[1]
            for logs in decision.marked
            for log in logs
            if isinstance(log, Log)
        }
        preemptor = self._unit(name)
        self._judge_marks(preemptor, victims)
        super()._preempt(decision)
        self.rounds += 1
        for before in victims:
            after = self._unit(before.ref.name)
            amounts = {item.name: item.mark for item in after.admissions}
            for item in before.admissions:
                left = max(item.replicas - item.running, 0)
                assert amounts[item.name] in {item.mark, left or None}, "another amount"

    def _judge_marks(self, preemptor: Unit, victims: list[Unit]) -> None:
        policy, gate, preemption = self.settings(preemptor.queue)
        peers = self.units_of(preemptor.queue)
        assert policy != "Intelligent"
        assert gate, "marked with the gate off"
        assert not any(unit.marked for unit in peers), "marked while a round runs"
        fair = [unit for unit in peers if self._fair_game(unit, preemptor)]
        fair.sort(key=lambda unit: unit.order, reverse=True)
        assert {unit.key for unit in victims} <= {unit.key for unit in fair}
        chain = (preemptor.queue, "department")
        request = preemptor.request.get("cpu", 0)
        free = min(MAXIMUM[quota] * 1000 - self.used(quota) for quota in chain)
        if request <= free:  # it fits: before reservation, all of them
            assert [unit.key for unit in victims] == [unit.key for unit in fair]
            return
        assert preemption, "marked after the filter with preemption off"
        assert request <= free + sum(map(can_give, fair)), "nobody could be helped"
        assert [unit.key for unit in victims] == [unit.key for unit in fair[: len(victims)]]
        assert sum(map(can_give, victims[:-1])) < request, "one victim too many"
        covered = sum(map(can_give, victims)) >= request
        assert covered or len(victims) == len(fair), "one victim too few"

    def _fair_game(self, unit: Unit, preemptor: Unit) -> bool:
        age = self.now - unit.last_allocate if unit.last_allocate is not None else self.protection
        return unit.order > preemptor.order and bool(can_give(unit)) and age >= self.protection

    def _unit(self, name: str) -> Unit:
        return decode.unit(copy.deepcopy(self.objects[UNIT, "default", name]))


UNIT = Kind.UNIT


def is_member(unit: Unit) -> bool:
    """It holds something that does not run."""
    return not unit.finished and any(item.replicas > item.running for item in unit.admissions)


def can_give(unit: Unit) -> int:
    """Thousandths of a cpu that it holds, that do not run and are not marked."""
    cost = {pod_set.name: pod_set.cost.get("cpu", 0) for pod_set in unit.pod_sets}
    if unit.finished:
        return 0
    return sum(
        cost[item.name] * max(item.replicas - item.running, 0)
        for item in unit.admissions
        if item.mark is None
    )


class Game:
    """A script played in a judged world."""

    def __init__(self, script: list[tuple[Any, ...]], *, protection: float = 0.0) -> None:
        self.world = Judged(protection=protection)
        self._annotations = dict.fromkeys(QUEUES, BOTH)
        self._policies = dict.fromkeys(QUEUES, "Priority")
        self.world.quota("department", cpu=MAXIMUM["department"])
        for queue in QUEUES:
            self._quota(queue)
        for action in script:
            self.act(*action)

    def act(self, action: str, *given: Any) -> None:
        """One action; what cannot be done now is not done."""
        there = {name for kind, _, name in self.world.objects if kind in {Kind.JOB, UNIT}}
        if action in {"submit", "make"}:
            if given[0] not in there:
                getattr(self, f"_{action}")(*given)
        elif action in {"report", "bind", "finish", "delete", "parallelism", "move"}:
            if given[0] in there:
                getattr(self, f"_{action}")(*given)
        else:
            getattr(self, f"_{action}")(*given)

    def rest(self) -> None:
        """To the end, whatever has to be waited for; hand-made marks are dealt with."""
        for _ in range(30):
            self.world.settle()
            left = [unit for unit in self.world.units_of() if unit.marked]
            for unit in left:
                self._report(unit.ref.name, 0, 0)
            if not left and not self.world.wake_at:
                return
            for queue, at in list(self.world.wake_at.items()):
                self.world.now = max(self.world.now, at)
                self.world.pass_over(queue)
        raise AssertionError("it does not come to rest")

    def _submit(self, name: str, queue: str, priority: int, cpu: int, parallelism: int) -> None:
        self.world.job(name, queue=queue, priority=priority, cpu=cpu, parallelism=parallelism)

    def _make(self, name: str, queue: str, priority: int, cpu: int) -> None:
        self.world.hand_made(name, queue=queue, priority=priority, cpu=cpu, count=2)

    def _report(self, name: str, replicas: int, running: int) -> None:
        """Plays the extension of a hand-made unit: what it holds now, without marks."""
        raw = self.world.objects[UNIT, "default", name]
        held = {item.name: item.replicas for item in decode.unit(raw).admissions}
        entries = [
            {"name": pod_set, "replicas": min(most, replicas), "running": min(most, running)}
            for pod_set, most in held.items()
        ]
        if entries:
            self.world.patch(UNIT, "default", name, {"status": {"admissions": entries}})

    def _bind(self, name: str, number: int) -> None:
        self.world.bind(name, number)

    def _finish(self, name: str, number: int) -> None:
        """So many of the Job's pods run and succeed, and all is told."""
        self.world.bind(name, number)
        self.world.settle()
        self.world.succeed(name, number)
        self.world.settle()

    def _stage(self, queue: str, priorities: list[int], asked: int) -> None:
        """Several members at once, admitted without the gate; then the gate, and one who asks."""
        self._annotations[queue], self._policies[queue] = {}, "Priority"
        self._quota(queue)
        for name in {name for kind, _, name in self.world.objects if kind is UNIT} & {*UNITS}:
            self.world.delete(UNIT, "default", name)
        for name, priority in zip(UNITS, priorities, strict=False):
            self._make(name, queue, priority, 1)
        self.world.settle()
        self._annotations[queue] = BOTH
        self._quota(queue)
        if all(name != "urgent" for _, _, name in self.world.objects):
            self.world.job("urgent", queue=queue, priority=3, cpu=1, parallelism=asked)

    def _delete(self, name: str) -> None:
        self.world.delete(Kind.JOB, "default", name)

    def _parallelism(self, name: str, number: int) -> None:
        self.world.patch_job(name, {"spec": {"parallelism": number}})

    def _move(self, name: str, queue: str) -> None:
        unit = next((each for each in self.world.units_of() if each.ref.name == name), None)
        if unit is None or not unit.reserves:  # what is held may be moved beyond another max
            labels = {"quota.scheduling.koordinator.sh/name": queue}
            self.world.patch_job(name, {"metadata": {"labels": labels}})

    def _settings(self, queue: str, which: int) -> None:
        self._annotations[queue] = ANNOTATIONS[which]
        self._quota(queue)

    def _policy(self, queue: str, policy: str) -> None:
        self._policies[queue] = policy
        self._quota(queue)

    def _time(self, seconds: float) -> None:
        self.world.now += seconds

    def _steps(self, number: int) -> None:
        for _ in range(number):
            self.world.step()

    def _settle(self) -> None:
        self.world.settle()

    def _quota(self, queue: str) -> None:
        annotations = {**self._annotations[queue], "koord-queue/priority-threshold": str(THRESHOLD)}
        self.world.quota(
            queue,
            cpu=MAXIMUM[queue],
            parent="department",
            annotations=annotations,
            policy=self._policies[queue],
        )
