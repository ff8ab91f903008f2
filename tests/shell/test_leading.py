"""A component that leads, does not, or does not any more."""

import math
import threading
from collections.abc import Iterable
from functools import partial

import pytest

from controller.core.decisions import Kind, Object
from controller.shell.lifecycle import Lifecycle
from controller.shell.work import Step
from tests.fault_server import PATIENCE, Answer, FaultServer, Stream, event, failure, listing
from tests.shell.scripted import (
    LIST,
    UNIT,
    ScriptedLeadership,
    ScriptedWork,
    Start,
    ToldSigns,
    after,
    serve,
    sleeps,
    unit,
    write_to,
)


def between(least: float, most: float, value: float) -> bool:
    return least < value < most


def test_a_copy_that_does_not_lead_is_ready_and_decides_nothing(
    server: FaultServer, work: ScriptedWork, lifecycle: Lifecycle, start: Start
) -> None:
    signs = lifecycle.signs = ToldSigns()
    server.script("GET", LIST, listing("10", unit("a", 5)))
    server.script(
        "WATCH", LIST, Stream(event("MODIFIED", unit("a", 11)), "silence"), Stream("", "silence")
    )
    component = start(ScriptedLeadership())
    assert component.ready.wait(PATIENCE)
    work.wait_for(lambda: work.objects == {"a": "11"})
    signs.wait_for("queue-worker", math.isinf)
    assert work.steps == []


def test_who_waits_for_the_lead_or_for_something_to_write_is_alive_for_ever(
    server: FaultServer, work: ScriptedWork, lifecycle: Lifecycle, start: Start
) -> None:
    signs = lifecycle.signs = ToldSigns()
    serve(server, unit("a", 5), then=Stream(event("ADDED", unit("b", 11)), "silence"))
    start(ScriptedLeadership())
    work.wait_for(lambda: "b" in work.objects)  # after it nothing more is heard of the server
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
    work.wait_for(lambda: len(seen) == 2)
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
    server: FaultServer, lifecycle: Lifecycle, start: Start
) -> None:
    signs = lifecycle.signs = ToldSigns()
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership(term=1)
    start(leadership)
    asleep = signs.wait_for("queue-worker", sleeps)
    leadership.lead(1)
    signs.wait_for("queue-worker", partial(between, 0, asleep))  # woken, and asleep again
    assert len(server.requests("GET", LIST)) == 1


def test_a_write_is_not_sent_without_the_lead_and_its_turn_comes_again_with_it(
    server: FaultServer, work: ScriptedWork, start: Start
) -> None:
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership(term=1)

    def step() -> Step:
        leadership.refuses = len(work.steps) == 1  # from between the decision and its write
        return Step((write_to("a"),))

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
    leadership = ScriptedLeadership(term=1)

    def step() -> Step:
        if len(work.steps) > 1:
            return Step()
        leadership.lead(2)  # another may have led between the decision and its write
        return Step((write_to("a"),))

    work.on_step = step
    start(leadership)
    work.wait_for(lambda: len(work.steps) == 2)
    assert server.requests("PATCH") == []
    assert work.failures == 1
    assert len(server.requests("GET", LIST)) == 2


def test_who_lost_the_lead_while_it_slept_reads_anew_before_it_decides(
    server: FaultServer, work: ScriptedWork, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    leadership = ScriptedLeadership(term=1)
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
    work.wait_for(lambda: len(seen) == 2)
    assert seen == ["5", "12"]


def test_the_lead_is_given_back_after_the_last_write(
    server: FaultServer, work: ScriptedWork, start: Start, lifecycle: Lifecycle
) -> None:
    release = threading.Event()
    work.on_step = after(release)
    serve(server, unit("a", 5))
    leadership = ScriptedLeadership(term=1)
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
