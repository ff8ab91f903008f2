"""Decisions against a server that refuses, forgets and loses answers."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from controller.core.decisions import (
    CountAttempt,
    Create,
    Decision,
    Delete,
    EmitEvent,
    Kind,
    Object,
    Patch,
    Preempt,
    Ref,
    Write,
)
from controller.shell.events import EventWriter
from controller.shell.executor import Executor, Refused, holds
from controller.shell.lifecycle import Stopping
from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.requests import LONGEST_PATIENCE, Postponed, Requests
from controller.shell.signs import Signs
from controller.shell.store import Store
from queuecheck.kube import Api, KubeObject
from tests.fault_server import Answer, FaultServer, Stream, failure

UNITS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/queueunits"
EVENTS = "/api/v1/namespaces/ns/events"
TARGET = Ref(Kind.UNIT, "ns", "a", "uid-a")
Run = Callable[..., None]


def unit(version: str, *, uid: str = "uid-a", message: str = "old", name: str = "a") -> KubeObject:
    return {
        "metadata": {"namespace": "ns", "name": name, "uid": uid, "resourceVersion": version},
        "status": {"message": message},
    }


def say(message: str) -> Callable[[Object], Patch | None]:
    return lambda _: {"status": {"message": message}}


def write(change: Callable[[Object], Patch | None], *then: Decision, name: str = "a") -> Write:
    return Write(Ref(Kind.UNIT, "ns", name, f"uid-{name}"), change, "a test", "status", then)


@pytest.fixture
def store() -> Store:
    made = Store()
    made.learn(Kind.UNIT, unit("5"))
    return made


@pytest.fixture
def run(client: Api, store: Store, requests: Requests, metrics: Metrics) -> Run:
    journal = Journal("queue")

    def learn(target: Ref, found: KubeObject) -> None:
        store.learn(target.kind, found)

    executor = Executor(
        component="queue",
        api=client,
        store=store,
        learn=learn,
        requests=requests,
        event_writer=EventWriter(
            api=client, requests=requests, journal=journal, component="queue", signs=Signs()
        ),
        metrics=metrics,
        journal=journal,
        clock=lambda: 1_700_000_000.0,
    )
    return lambda *decisions: executor.run(decisions, queue="team")


def message(store: Store) -> Any:
    found = store.get(TARGET)
    return found and found["status"]["message"]


def series(metrics: Metrics) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        (sample.name, *(sample.labels[key] for key in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


def attempts(metrics: Metrics) -> float:
    return series(metrics).get(("job_schedule_attempts", "team", "scheduled"), 0)


COUNT = CountAttempt("team", "scheduled")


def test_a_write_is_guarded_and_its_answer_known_at_once(
    server: FaultServer, run: Run, store: Store
) -> None:
    server.script("PATCH", f"{UNITS}/a/status", Answer(200, unit("6", message="new")))
    run(write(say("new")))
    (request,) = server.requests()
    assert request.body == {"status": {"message": "new"}, "metadata": {"resourceVersion": "5"}}
    assert request.query == {"fieldManager": "queuecheck-controller/queue"}
    assert message(store) == "new"


def test_after_a_conflict_the_decision_is_asked_again_about_the_object_as_it_is(
    server: FaultServer, run: Run, store: Store, metrics: Metrics
) -> None:
    seen: list[str] = []

    def change(found: Object) -> Patch:
        seen.append(found["status"]["message"])
        return {"status": {"message": "new"}}

    server.script(
        "PATCH",
        f"{UNITS}/a/status",
        failure(409, "Conflict"),
        Answer(200, unit("9", message="new")),
    )
    server.script("GET", f"{UNITS}/a", Answer(200, unit("8", message="theirs")))
    run(write(change, COUNT))
    assert seen == ["old", "theirs"]
    assert server.requests("PATCH")[1].body["metadata"] == {"resourceVersion": "8"}
    assert attempts(metrics) == 1


def test_what_no_longer_applies_after_a_conflict_is_dropped_with_what_it_carries(
    server: FaultServer, run: Run, store: Store, metrics: Metrics
) -> None:
    server.script("PATCH", f"{UNITS}/a/status", failure(409, "Conflict"))
    server.script("GET", f"{UNITS}/a", Answer(200, unit("8", message="theirs")))
    run(write(lambda found: None if found["status"]["message"] == "theirs" else {"x": 1}, COUNT))
    assert len(server.requests("PATCH")) == 1
    assert attempts(metrics) == 0
    assert message(store) == "theirs"


def test_conflicts_without_end_postpone(server: FaultServer, run: Run) -> None:
    server.script("PATCH", f"{UNITS}/a/status", failure(409, "Conflict"))
    server.script("GET", f"{UNITS}/a", Answer(200, unit("8")))
    with pytest.raises(Postponed):
        run(write(say("new")))
    assert len(server.requests("PATCH")) < 20


def test_an_object_that_is_gone_drops_the_write(
    server: FaultServer, run: Run, metrics: Metrics
) -> None:
    run(write(say("new"), COUNT), write(say("new"), COUNT, name="never-seen"))
    assert attempts(metrics) == 0


def test_an_object_made_anew_is_not_touched(server: FaultServer, run: Run, store: Store) -> None:
    store.learn(Kind.UNIT, unit("7", uid="another"))
    run(write(say("new")))
    assert server.requests() == []


def test_a_write_that_changes_nothing_is_not_sent_and_counts_as_done(
    server: FaultServer, run: Run, metrics: Metrics
) -> None:
    run(write(say("old"), COUNT))
    assert server.requests() == []
    assert attempts(metrics) == 1


def test_a_lost_answer_is_recognised_as_our_own_write(
    server: FaultServer, run: Run, store: Store, metrics: Metrics
) -> None:
    server.script(
        "PATCH", f"{UNITS}/a/status", Stream('{"metadata', "cut"), failure(409, "Conflict")
    )
    server.script("GET", f"{UNITS}/a", Answer(200, unit("6", message="new")))
    run(write(say("new"), COUNT))
    assert attempts(metrics) == 1
    assert message(store) == "new"


def test_429_is_repeated_after_the_time_that_the_server_asks_for(
    server: FaultServer, run: Run, store: Store
) -> None:
    server.script(
        "PATCH",
        f"{UNITS}/a/status",
        failure(429, "TooManyRequests", Retry_After="1"),
        Answer(200, unit("6", message="new")),
    )
    begun = time.monotonic()
    run(write(say("new")))
    assert time.monotonic() - begun >= 1
    assert message(store) == "new"


@pytest.mark.parametrize(
    ("asked", "kept"),
    [("120", 120), ("86400", LONGEST_PATIENCE), ("inf", LONGEST_PATIENCE)],
)
def test_a_long_retry_after_postpones_instead_of_blocking_and_never_for_good(
    server: FaultServer, run: Run, asked: str, kept: float
) -> None:
    server.script("PATCH", f"{UNITS}/a/status", failure(429, "TooManyRequests", Retry_After=asked))
    with pytest.raises(Postponed) as raised:
        run(write(say("new")))
    assert raised.value.at_least == kept
    assert len(server.requests()) == 1


@pytest.mark.parametrize("code", [500, 503])
def test_a_server_in_trouble_is_asked_a_bounded_number_of_times(
    server: FaultServer, run: Run, metrics: Metrics, code: int
) -> None:
    server.script("PATCH", f"{UNITS}/a/status", failure(code, "InternalError"))
    with pytest.raises(Postponed):
        run(write(say("new")))
    assert len(server.requests()) == 5
    calls = series(metrics)["queuecheck_api_calls_total", str(code), "queue", "QueueUnit", "patch"]
    assert calls == 5


def test_a_refused_connection_postpones(server: FaultServer, run: Run) -> None:
    server.__exit__()
    with pytest.raises(Postponed):
        run(write(say("new")))


def test_a_stop_ends_the_retries(server: FaultServer, run: Run, stop: threading.Event) -> None:
    stop.set()
    with pytest.raises(Stopping):
        run(write(say("new")))


def test_a_write_refused_for_good_does_not_stop_the_others(
    server: FaultServer, run: Run, store: Store, metrics: Metrics
) -> None:
    store.learn(Kind.UNIT, unit("5", uid="uid-b", name="b"))
    server.script("PATCH", f"{UNITS}/a/status", failure(422, "Invalid"))
    server.script("PATCH", f"{UNITS}/b/status", Answer(200, unit("6", uid="uid-b", name="b")))
    with pytest.raises(Refused):
        run(write(say("new"), COUNT), write(say("new"), COUNT, name="b"))
    assert attempts(metrics) == 1


def test_a_creation_that_finds_the_object_there_is_done(server: FaultServer, run: Run) -> None:
    server.script("POST", UNITS, failure(409, "AlreadyExists"))
    run(Create(TARGET, {"metadata": {"name": "a"}}, "a test"))


def test_a_created_object_is_known_at_once(server: FaultServer, run: Run, store: Store) -> None:
    server.script("POST", UNITS, Answer(201, unit("7", message="made")))
    run(Create(TARGET, {"metadata": {"name": "a"}}, "a test"))
    assert message(store) == "made"


def test_a_creation_where_the_namespace_goes_is_dropped(server: FaultServer, run: Run) -> None:
    status = {"reason": "Forbidden", "message": "namespace ns because it is being terminated"}
    server.script("POST", UNITS, Answer(403, status))
    run(Create(TARGET, {"metadata": {"name": "a"}}, "a test"))


def test_a_creation_where_its_namespace_is_missing_is_reported(
    server: FaultServer, run: Run
) -> None:
    with pytest.raises(Refused):
        run(Create(TARGET, {"metadata": {"name": "a"}}, "a test"))


def test_a_deletion_is_guarded_by_the_uid(server: FaultServer, run: Run) -> None:
    server.script("DELETE", f"{UNITS}/a", Answer())
    run(Delete(TARGET, "a test"), Delete(Ref(Kind.UNIT, "ns", "a"), "a test"))
    uids = [one.body["preconditions"]["uid"] for one in server.requests("DELETE")]
    assert uids == ["uid-a", "uid-a"]


@pytest.mark.parametrize("answer", [failure(404, "NotFound"), failure(409, "Conflict")])
def test_a_deletion_of_what_is_gone_is_dropped(
    server: FaultServer, run: Run, answer: Answer
) -> None:
    server.script("DELETE", f"{UNITS}/a", answer)
    run(Delete(TARGET, "a test"))


def once(name: str) -> EmitEvent:
    return EmitEvent(TARGET, "Normal", "Reclaimed", "done", once=name)


def test_an_event_that_must_exist_is_there_before_what_follows(
    server: FaultServer, run: Run
) -> None:
    server.script("POST", EVENTS, Answer(201))
    server.script("PATCH", f"{UNITS}/a/status", Answer(200, unit("6", message="new")))
    run(once("a.reclaimed"), write(say("new")))
    assert [one.method for one in server.requests()] == ["POST", "PATCH"]
    made = server.requests("POST")[0].body
    assert made["metadata"] == {"name": "a.reclaimed", "namespace": "ns"}
    assert made["involvedObject"]["uid"] == "uid-a"
    assert made["firstTimestamp"] == "2023-11-14T22:13:20Z"


@pytest.mark.parametrize("decision", [once("a.reclaimed"), write(say("new"))])
def test_credentials_that_have_expired_postpone_all_that_follows(
    server: FaultServer, run: Run, decision: Decision
) -> None:
    server.script("POST", EVENTS, failure(401, "Unauthorized"))
    server.script("PATCH", f"{UNITS}/a/status", failure(401, "Unauthorized"))
    with pytest.raises(Postponed):
        run(decision, write(say("newer")))
    assert len(server.requests()) == 1


@pytest.mark.parametrize("refusal", [failure(403, "Forbidden"), failure(422, "Invalid")])
def test_what_follows_an_event_that_is_refused_for_good_does_not_wait_for_it(
    server: FaultServer, run: Run, store: Store, refusal: Answer
) -> None:
    server.script("POST", EVENTS, refusal)
    server.script("PATCH", f"{UNITS}/a/status", Answer(200, unit("6", message="new")))
    run(once("a.reclaimed"), write(say("new")))
    assert message(store) == "new"


@pytest.mark.parametrize("trouble", [failure(500, "InternalError"), failure(409, "Conflict")])
def test_what_follows_an_event_that_cannot_be_written_now_waits(
    server: FaultServer, run: Run, trouble: Answer
) -> None:
    server.script("POST", EVENTS, trouble)
    with pytest.raises(Postponed):
        run(once("a.reclaimed"), write(say("new")))
    assert server.requests("PATCH") == []


def preempt(*names: str) -> Preempt:
    return Preempt(
        marks=tuple(write(say("marked"), name=name) for name in names),
        marked=tuple((once(f"{name}.preempted"),) for name in names),
        succeeded=(CountAttempt("team", "scheduled"),),
        failed=(CountAttempt("team", "unschedulable"),),
    )


@pytest.fixture
def victims(store: Store) -> Sequence[str]:
    store.learn(Kind.UNIT, unit("5", uid="uid-b", name="b"))
    return ("a", "b")


def test_a_preemption_with_one_mark_of_two_has_succeeded(
    server: FaultServer, run: Run, metrics: Metrics, victims: Sequence[str]
) -> None:
    server.script("POST", EVENTS, Answer(201))
    server.script("PATCH", f"{UNITS}/b/status", Answer(200, unit("6", uid="uid-b", name="b")))
    run(preempt(*victims))
    assert [one.body["metadata"]["name"] for one in server.requests("POST")] == ["b.preempted"]
    shown = series(metrics)
    assert ("job_schedule_attempts", "team", "unschedulable") not in shown
    assert shown["job_schedule_attempts", "team", "scheduled"] == 1
    assert shown["queuecheck_preemption_rounds_total", "team"] == 1
    assert shown["queuecheck_preemption_victims_total", "team"] == 1


def test_all_victims_are_marked_although_the_event_of_the_first_cannot_be_written_now(
    server: FaultServer, run: Run, victims: Sequence[str]
) -> None:
    for name in victims:
        marked = unit("6", uid=f"uid-{name}", name=name)
        server.script("PATCH", f"{UNITS}/{name}/status", Answer(200, marked))
    server.script("POST", EVENTS, failure(500, "InternalError"))
    with pytest.raises(Postponed):
        run(preempt(*victims))
    assert len(server.requests("PATCH")) == 2


def test_a_preemption_without_a_mark_has_failed(
    server: FaultServer, run: Run, metrics: Metrics, victims: Sequence[str]
) -> None:
    run(preempt(*victims))
    shown = series(metrics)
    assert ("job_schedule_attempts", "team", "scheduled") not in shown
    assert shown["job_schedule_attempts", "team", "unschedulable"] == 1
    assert ("queuecheck_preemption_rounds_total", "team") not in shown


JSON = st.recursive(
    st.none() | st.integers(0, 2) | st.lists(st.integers(0, 2), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), JSON, max_size=3)


def merged(patch: Any, found: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result = dict(found) if isinstance(found, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(value, result.get(key))
    return result


def pruned(value: Any) -> Any:
    """Without empty mappings and nulls, which say nothing in an object of ours."""
    if not isinstance(value, dict):
        return value
    inner = {key: pruned(each) for key, each in value.items()}
    return {key: each for key, each in inner.items() if each not in (None, {})}


@given(OBJECTS, OBJECTS)
def test_a_patch_holds_exactly_where_applying_it_changes_nothing(
    patch: dict[str, Any], found: dict[str, Any]
) -> None:
    found = pruned(found)
    assert holds(patch, found) == (pruned(merged(patch, found)) == found)
