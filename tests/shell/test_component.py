"""A component with a scripted ledger against a server that plays faults."""

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest

from controller.core.decisions import Kind, Object, Ref, Write
from controller.shell.agenda import Agenda
from controller.shell.component import Component
from controller.shell.lifecycle import Lifecycle
from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.signs import Signs
from controller.shell.work import Step
from queuecheck.kube import Api, KubeObject
from tests.fault_server import Answer, FaultServer, Stream, event, failure, listing, status

LIST = "/apis/scheduling.x-k8s.io/v1alpha1/queueunits"
QUEUES = "/apis/scheduling.x-k8s.io/v1alpha1/queues"
UNIT = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/queueunits/{}/status"
PATIENCE = 10.0


def unit(name: str, version: int, message: str = "") -> KubeObject:
    return {
        "metadata": {
            "namespace": "ns",
            "name": name,
            "uid": f"uid-{name}",
            "resourceVersion": str(version),
        },
        "status": {"message": message},
    }


class ScriptedWork:
    """Remembers what it is told; ``on_step`` decides."""

    component = "queue"
    kinds: tuple[Kind, ...] = (Kind.UNIT,)

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.objects: dict[str, str] = {}
        self.steps: list[tuple[str, Any]] = []
        self.failures = 0
        self.on_step: Callable[[], Step] = Step

    def apply(self, kind: Kind, found: Object, *, deleted: bool) -> Iterable[str]:
        assert kind in self.kinds
        name = found["metadata"]["name"]
        with self.changed:
            if deleted:
                self.objects.pop(name, None)
            else:
                self.objects[name] = found["metadata"]["resourceVersion"]
            self.changed.notify_all()
        return [name]

    def step(self, key: str, now: float, resume: Any) -> Step:
        assert now > 0
        with self.changed:
            self.steps.append((key, resume))
            self.changed.notify_all()
        return self.on_step()

    def keys(self) -> Iterable[str]:
        return list(self.objects)

    def failed(self) -> None:
        self.failures += 1

    def label(self, key: str) -> str:
        return f"queue of {key}"

    def active(self) -> Mapping[str, int] | None:
        return {"team": len(self.objects)}

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE), (self.objects, self.steps)


class ScriptedLeadership:
    """Leads when told to."""

    def __init__(self) -> None:
        self.now: int | None = None
        self.refuses = False
        self.returned = False
        self._heard: Callable[[], None] = lambda: None

    def lead(self, term: int | None) -> None:
        self.now, self.refuses = term, False
        self._heard()

    def term(self) -> int | None:
        return None if self.refuses else self.now

    def permits(self) -> bool:
        return self.term() is not None

    def begin(self, *, heard: Callable[[], None]) -> None:
        self._heard = heard

    def run(self) -> None:
        pass

    def give_back(self) -> None:
        self.returned = True


class ToldSigns(Signs):
    """Signs that a test can wait for, on a clock that goes only when told to."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda: self.now)
        self._asleep: defaultdict[str, float] = defaultdict(float)
        self._given = threading.Condition()

    def give(self, *, asleep: float = 0.0) -> None:
        super().give(asleep=asleep)
        with self._given:
            self._asleep[threading.current_thread().name] = asleep
            self._given.notify_all()

    def wait_for(self, thread: str, condition: Callable[[float], bool]) -> float:
        """How long the thread means to sleep, once that is such."""
        with self._given:
            told = self._given.wait_for(lambda: condition(self._asleep[thread]), PATIENCE)
            assert told, self._asleep
            return self._asleep[thread]


def between(least: float, most: float, value: float) -> bool:
    return least < value < most


def after(release: threading.Event) -> Callable[[], Step]:
    def step() -> Step:
        assert release.wait(PATIENCE)
        return Step()

    return step


@pytest.fixture
def work() -> ScriptedWork:
    return ScriptedWork()


@pytest.fixture
def lifecycle() -> Lifecycle:
    return Lifecycle(Journal("process"))


@pytest.fixture
def start(
    client: Api, metrics: Metrics, lifecycle: Lifecycle, work: ScriptedWork
) -> Iterator[Callable[..., Component[str]]]:
    started: list[Component[str]] = []

    def begin(leadership: ScriptedLeadership | None = None) -> Component[str]:
        component = Component(
            work,
            api=client,
            metrics=metrics,
            lifecycle=lifecycle,
            journal=Journal("queue"),
            leadership=leadership,
        )
        started.append(component)
        component.start()
        return component

    yield begin
    lifecycle.stop.set()
    for component in started:
        component.stop()
    lifecycle.join(lambda: PATIENCE)


Start = Callable[..., Component[str]]


def serve(server: FaultServer, *items: KubeObject, then: Stream | None = None) -> None:
    server.script("GET", LIST, listing("10", *items))
    server.script("WATCH", LIST, then or Stream("", "silence"))


def test_nothing_is_decided_before_every_kind_has_been_listed(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    work.kinds = (Kind.UNIT, Kind.QUEUE)
    serve(server, unit("a", 5))
    server.script("GET", QUEUES, failure(503, "ServiceUnavailable"))
    component = start()
    server.wait_for(lambda: len(server.requests("GET", QUEUES)) >= 3)
    work.wait_for(lambda: "a" in work.objects)
    assert work.steps == []
    assert not component.ready.is_set()
    server.script("GET", QUEUES, listing("10"))
    server.script("WATCH", QUEUES, Stream("", "silence"))
    assert component.ready.wait(PATIENCE)
    work.wait_for(lambda: work.steps == [("a", None)])


def test_after_a_gap_what_is_gone_is_told_as_deleted(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    server.script(
        "GET", LIST, listing("10", unit("a", 5), unit("b", 6)), listing("30", unit("b", 6))
    )
    server.script(
        "WATCH", LIST, Stream(event("ERROR", status(410, "Expired"))), Stream("", "silence")
    )
    start()
    work.wait_for(lambda: list(work.objects) == ["b"] and len(work.steps) >= 2)


def test_a_server_whose_versions_go_back_ends_the_process_which_knows_later_ones(
    server: FaultServer, work: ScriptedWork, start: Start, lifecycle: Lifecycle
) -> None:
    server.script("GET", LIST, listing("10", unit("a", 5)), listing("8", unit("a", 4)))
    server.script(
        "WATCH", LIST, Stream(event("MODIFIED", unit("a", 12)), "cut"), Stream("", "silence")
    )
    start()
    assert lifecycle.stop.wait(PATIENCE)
    assert lifecycle.crashed
    assert work.objects == {"a": "12"}


def test_the_watch_goes_on_while_a_decision_takes_long(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    release = threading.Event()
    work.on_step = after(release)
    server.script("GET", LIST, listing("10", unit("a", 5)))
    server.script("WATCH", LIST, Stream(event("ADDED", unit("b", 11))), Stream("", "silence"))
    start()
    work.wait_for(lambda: len(work.steps) == 1)
    server.wait_for(lambda: len(server.requests("WATCH", LIST)) == 2)
    release.set()
    work.wait_for(lambda: ("b", None) in work.steps)


def test_many_changes_of_one_key_while_it_waits_are_one_turn(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    release = threading.Event()
    work.on_step = after(release)
    changes = "".join(event("MODIFIED", unit("b", 11 + n)) for n in range(50))
    server.script(
        "GET",
        LIST,
        listing("100", unit("a", 5), unit("z", 99)),
        listing("100", unit("a", 5), unit("b", 60), unit("z", 99)),
    )
    server.script(
        "WATCH", LIST, Stream(changes), Stream(event("ADDED", unit("end", 101)), "silence")
    )
    start()
    server.wait_for(lambda: len(server.requests("WATCH", LIST)) == 2)
    release.set()
    work.wait_for(lambda: ("end", None) in work.steps)
    assert work.steps.count(("b", None)) == 1


def test_the_answer_to_a_write_is_known_before_the_next_step(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    server.script("PATCH", UNIT.format("a"), Answer(200, unit("a", 20, "new")))
    versions: list[str] = []

    def step() -> Step:
        versions.append(work.objects["a"])
        if versions == ["5"]:
            target = Ref(Kind.UNIT, "ns", "a", "uid-a")
            write = Write(target, lambda _: {"status": {"message": "new"}}, "a test", "status")
            return Step((write,), resume="on")
        return Step()

    work.on_step = step
    start()
    work.wait_for(lambda: ("a", "on") in work.steps)
    assert versions[:2] == ["5", "20"]


@pytest.mark.parametrize("there", [True, False])
def test_what_is_to_be_looked_up_is_known_before_the_turn_begins_again(
    server: FaultServer, work: ScriptedWork, start: Start, there: bool
) -> None:
    serve(server, unit("a", 5))
    found = Answer(200, unit("b", 20, "new")) if there else failure(404, "NotFound")
    server.script("GET", UNIT.format("b").removesuffix("/status"), found)
    known: list[bool] = []

    def step() -> Step:
        known.append("b" in work.objects)
        return Step(look_up=(Ref(Kind.UNIT, "ns", "b"),)) if len(known) == 1 else Step()

    work.on_step = step
    start()
    work.wait_for(lambda: len(work.steps) >= 2)
    assert known[:2] == [False, there]


def test_a_failed_turn_is_taken_again_later_and_lost_never(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    target = Ref(Kind.UNIT, "ns", "a", "uid-a")
    write = Write(target, lambda _: {"status": {"message": "new"}}, "a test", "status")
    work.on_step = lambda: Step((write,)) if work.objects["a"] == "5" else Step()
    refusals = [failure(422, "Invalid"), *[failure(500, "InternalError")] * 6]
    server.script("PATCH", UNIT.format("a"), *refusals, Answer(200, unit("a", 20, "new")))
    start()
    server.wait_for(lambda: len(server.requests("PATCH")) == len(refusals) + 1)
    work.wait_for(lambda: work.objects == {"a": "20"})
    assert work.failures == 2


def test_a_change_comes_through_although_a_write_of_its_key_is_refused_for_good(
    server: FaultServer, work: ScriptedWork, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = partial(Agenda, first_delay=1000.0, longest_delay=1000.0)
    monkeypatch.setattr("controller.shell.component.Agenda", patient)
    target = Ref(Kind.UNIT, "ns", "a", "uid-a")
    write = Write(target, lambda _: {"status": {"message": "new"}}, "a test", "status")
    work.on_step = lambda: Step((write,) if work.objects["a"] == "5" else ())
    server.script("GET", LIST, listing("5", unit("a", 5)))
    server.script("WATCH", LIST, Stream("", "silence"))
    server.script("PATCH", UNIT.format("a"), failure(422, "Invalid"))
    start()
    server.wait_for(lambda: len(server.requests("PATCH")) == 1)
    server.wait_for(lambda: len(server.requests("WATCH", LIST)) == 1)
    server.script("GET", LIST, listing("6", unit("a", 6)))
    server.end_streams()
    work.wait_for(lambda: len(work.steps) == 2)


def test_a_key_comes_back_at_the_time_that_its_plan_names(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    work.on_step = lambda: Step(wake_at=1.0 if len(work.steps) == 1 else None)
    start()
    work.wait_for(lambda: work.steps == [("a", None)] * 2)


def test_the_gauge_follows_and_a_restarted_watch_is_counted(
    server: FaultServer, work: ScriptedWork, start: Start, metrics: Metrics
) -> None:
    server.script("GET", LIST, listing("10", unit("a", 5)))
    server.script("WATCH", LIST, Stream("", "cut"), Stream("", "silence"))
    start()
    server.wait_for(lambda: len(server.requests("WATCH", LIST)) == 2)
    text = metrics.exposition().decode()
    assert 'queuecheck_watch_restarts_total{component="queue",kind="QueueUnit"} 1.0' in text
    assert 'queueunits_in_active_queue{queue="team"} 1.0' in text


def test_a_crash_ends_the_whole_process(
    server: FaultServer, work: ScriptedWork, start: Start, lifecycle: Lifecycle
) -> None:
    def step() -> Step:
        raise RuntimeError("a defect")

    work.on_step = step
    serve(server, unit("a", 5))
    start()
    assert lifecycle.stop.wait(PATIENCE)
    assert lifecycle.crashed


def test_only_the_pods_of_jobs_are_watched(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    work.kinds = (Kind.POD,)
    server.script("GET", "/api/v1/pods", listing("10"))
    server.script("WATCH", "/api/v1/pods", Stream("", "silence"))
    assert start().ready.wait(PATIENCE)
    for request in server.requests(None, "/api/v1/pods"):
        assert request.query["labelSelector"] == "batch.kubernetes.io/job-name"


def test_a_copy_that_does_not_lead_is_ready_and_decides_nothing(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    server.script("GET", LIST, listing("10", unit("a", 5)))
    server.script(
        "WATCH", LIST, Stream(event("MODIFIED", unit("a", 11)), "silence"), Stream("", "silence")
    )
    component = start(ScriptedLeadership())
    assert component.ready.wait(PATIENCE)
    work.wait_for(lambda: work.objects == {"a": "11"})
    assert work.steps == []


def test_who_waits_for_the_lead_or_for_something_to_write_is_alive_for_ever(
    server: FaultServer, lifecycle: Lifecycle, start: Start
) -> None:
    signs = lifecycle.signs = ToldSigns()
    serve(server, unit("a", 5))
    start(ScriptedLeadership())
    for thread in ("queue-worker", "queue-events"):
        signs.wait_for(thread, math.isinf)
    signs.now += 1e9
    assert signs.missing().keys() == {"queue-watch-QueueUnit"}


def test_who_comes_to_lead_first_reads_what_was_written_before(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    seen: list[dict[str, str]] = []

    def step() -> Step:
        seen.append(dict(work.objects))
        return Step()

    work.on_step = step
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership()
    component = start(leadership)
    assert component.ready.wait(PATIENCE)
    server.script(  # the watch has not told of it yet
        "GET",
        LIST,
        failure(403, "Forbidden"),
        listing("20", unit("a", 12), unit("b", 15)),
    )
    leadership.lead(1)
    work.wait_for(lambda: len(work.steps) == 2)
    assert seen == [{"a": "12", "b": "15"}] * 2


def test_a_server_that_asks_for_patience_is_not_asked_again_at_once_by_who_comes_to_lead(
    server: FaultServer, work: ScriptedWork, lifecycle: Lifecycle, start: Start
) -> None:
    signs = lifecycle.signs = ToldSigns()
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership()
    assert start(leadership).ready.wait(PATIENCE)
    server.script("GET", LIST, failure(429, "TooManyRequests", Retry_After="60"))
    leadership.lead(1)
    asked = 60.0
    for _ in range(2):  # the second time it is woken, and goes to sleep again
        asked = signs.wait_for("queue-worker", partial(between, 50, asked))
        assert len(server.requests("GET", LIST)) == 2
        leadership.lead(1)


def test_who_leads_on_reads_nothing_anew(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership()
    leadership.lead(1)
    start(leadership)
    work.wait_for(lambda: len(work.steps) == 1)
    leadership.lead(1)
    assert len(server.requests("GET", LIST)) == 1


def test_a_write_is_not_sent_without_the_lead_and_its_turn_comes_again_with_it(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership()
    leadership.lead(1)
    target = Ref(Kind.UNIT, "ns", "a", "uid-a")

    def change(_: Object) -> dict[str, Any]:
        return {"status": {"message": "new"}}

    def step() -> Step:
        leadership.refuses = len(work.steps) == 1  # from between the decision and its write
        return Step((Write(target, change, "a test", "status"),))

    work.on_step = step
    start(leadership)
    work.wait_for(lambda: work.failures == 1)
    assert server.requests("PATCH") == []
    server.script("PATCH", UNIT.format("a"), Answer(200, unit("a", 20, "new")))
    leadership.lead(1)
    server.wait_for(lambda: len(server.requests("PATCH")) == 1)


def test_a_write_decided_in_an_earlier_term_is_not_sent_in_a_later_one(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership()
    leadership.lead(1)
    target = Ref(Kind.UNIT, "ns", "a", "uid-a")
    write = Write(target, lambda _: {"status": {"message": "new"}}, "a test", "status")

    def step() -> Step:
        if len(work.steps) > 1:
            return Step()
        leadership.lead(2)  # another may have led between the decision and its write
        return Step((write,))

    work.on_step = step
    start(leadership)
    work.wait_for(lambda: len(work.steps) == 2)
    assert server.requests("PATCH") == []
    assert work.failures == 1
    assert len(server.requests("GET", LIST)) == 2


def test_who_lost_the_lead_while_it_slept_reads_anew_before_it_decides(
    server: FaultServer, work: ScriptedWork, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    leadership = ScriptedLeadership()
    leadership.lead(1)
    seen: list[str] = []
    apply = work.apply

    def step() -> Step:
        seen.append(work.objects["a"])
        return Step()

    def taken(kind: Kind, found: Object, *, deleted: bool) -> Iterable[str]:
        if found["metadata"]["resourceVersion"] == "6":
            leadership.now = 2  # lost and won again while the worker waited for this
        return apply(kind, found, deleted=deleted)

    monkeypatch.setattr(work, "apply", taken)
    work.on_step = step
    server.script("GET", LIST, listing("5", unit("a", 5)))
    server.script("WATCH", LIST, Stream("", "silence"))
    start(leadership)
    work.wait_for(lambda: len(work.steps) == 1)
    server.wait_for(lambda: len(server.requests("WATCH", LIST)) == 1)
    server.script("GET", LIST, listing("6", unit("a", 6)), listing("20", unit("a", 12)))
    server.end_streams()
    work.wait_for(lambda: len(work.steps) == 2)
    assert seen == ["5", "12"]


def test_the_lead_is_given_back_after_the_last_write(
    server: FaultServer, work: ScriptedWork, start: Start, lifecycle: Lifecycle
) -> None:
    release = threading.Event()
    work.on_step = after(release)
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership()
    leadership.lead(1)
    component = start(leadership)
    work.wait_for(lambda: len(work.steps) == 1)
    lifecycle.stop.set()
    component.stop()
    component.resign()
    assert not leadership.returned
    release.set()
    lifecycle.join(lambda: PATIENCE)
    component.resign()
    assert leadership.returned
