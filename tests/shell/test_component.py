"""A component with a scripted ledger against a server that plays faults."""

import math
import threading
from functools import partial

import pytest

from controller.core.decisions import Kind, Ref
from controller.shell.agenda import Agenda
from controller.shell.lifecycle import Lifecycle
from controller.shell.metrics import Metrics
from controller.shell.work import Step
from tests.fault_server import (
    PATIENCE,
    Answer,
    FaultServer,
    Stream,
    event,
    failure,
    listing,
    status,
)
from tests.shell.scripted import (
    LIST,
    QUEUES,
    UNIT,
    ScriptedWork,
    Start,
    ToldSigns,
    after,
    serve,
    sleeps,
    unit,
    write_to,
)


def test_nothing_is_decided_before_every_kind_has_been_listed(
    server: FaultServer, work: ScriptedWork, lifecycle: Lifecycle, start: Start
) -> None:
    signs = lifecycle.signs = ToldSigns()
    work.kinds = (Kind.UNIT, Kind.QUEUE)
    serve(server, unit("a", 5))
    server.script("GET", QUEUES, failure(503, "ServiceUnavailable"))
    component = start()
    server.wait_for(lambda: len(server.requests("GET", QUEUES)) >= 3)
    work.wait_for(lambda: "a" in work.objects)
    signs.wait_for("queue-worker", math.isinf)
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
    server.script("GET", LIST, listing("10", unit("a", 5)))
    server.script("WATCH", LIST, Stream(event("MODIFIED", unit("a", 12)), "silence"))
    start()
    work.wait_for(lambda: work.objects == {"a": "12"})
    server.script("GET", LIST, listing("8", unit("a", 4)))
    server.end_streams()
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
            return Step((write_to("a"),), resume="on")
        return Step()

    work.on_step = step
    start()
    work.wait_for(lambda: len(versions) >= 2)
    assert versions[:2] == ["5", "20"]
    assert work.steps[1] == ("a", "on")


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
    work.wait_for(lambda: len(known) >= 2)
    assert known[:2] == [False, there]


def test_a_failed_turn_is_taken_again_later_and_lost_never(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    work.on_step = lambda: Step((write_to("a"),)) if work.objects["a"] == "5" else Step()
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
    work.on_step = lambda: Step((write_to("a"),) if work.objects["a"] == "5" else ())
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
    server: FaultServer, lifecycle: Lifecycle, start: Start, metrics: Metrics
) -> None:
    signs = lifecycle.signs = ToldSigns()
    server.script("GET", LIST, listing("10", unit("a", 5)))
    server.script("WATCH", LIST, Stream("", "cut"), Stream("", "silence"))
    start()
    server.wait_for(lambda: len(server.requests("WATCH", LIST)) == 2)
    signs.wait_for("queue-worker", sleeps)  # what there is to show it shows before
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
