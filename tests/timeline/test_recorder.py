import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from queuecheck.kube import Api
from queuecheck.kube.resource import JOBS, NODES, PODS
from queuecheck.timeline import (
    Budgets,
    Claims,
    Feed,
    HarnessError,
    Quiet,
    Recorder,
    Timeline,
    exists,
)
from tests.fault_server import PATIENCE, FaultServer, Stream, event, failure, listing, status
from tests.timeline.stage import NAMESPACE, job, thing

JOBS_PATH = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
PODS_PATH = f"/api/v1/namespaces/{NAMESPACE}/pods"
THE_JOBS = frozenset({("Job", NAMESPACE)})
SILENCE = Stream(end="silence")


@contextmanager
def recording(api: Api, *kinds: object) -> Iterator[tuple[Timeline, Recorder]]:
    timeline = Timeline()
    watches = [(kind, NAMESPACE) for kind in kinds or (JOBS,)]
    recorder = Recorder(Feed(api, wide=False), timeline, watches)  # type: ignore[arg-type]
    recorder.start(within=PATIENCE)
    yield timeline, recorder
    recorder.stop()


def until(timeline: Timeline, condition: Callable[[], bool]) -> None:
    """Waits for news until the condition is true."""
    end = timeline.now() + PATIENCE
    while True:
        seen = timeline.changes()
        if condition():
            return
        assert timeline.wait(seen=seen, until=end), timeline.observations()


def seen(timeline: Timeline) -> list[tuple[str, str, int]]:
    return [(one.verb, one.name, one.resource_version) for one in timeline.observations()]


def refused_once(server: FaultServer, feed: Feed, path: str, namespace: str) -> None:
    """Returns when the feed's stream of jobs has been refused, and somebody goes on reading it."""
    with pytest.raises(HarnessError):
        feed.join(Timeline(), [(JOBS, namespace)], within=0)
    # Who asks again knows what was answered before.
    server.wait_for(lambda: len(server.requests("GET", path)) >= 2)


def test_every_first_list_is_in_when_start_returns(server: FaultServer, api: Api) -> None:
    server.script("GET", JOBS_PATH, listing("9", thing("Job", "a", 4)))
    server.script("GET", PODS_PATH, listing("9", thing("Pod", "p", 5)))
    server.script("WATCH", JOBS_PATH, SILENCE)
    server.script("WATCH", PODS_PATH, SILENCE)
    with recording(api, JOBS, PODS) as (timeline, _):
        assert sorted(seen(timeline)) == [("LISTED", "a", 4), ("LISTED", "p", 5)]


def test_a_kind_that_cannot_be_listed_is_named_with_the_reason(
    server: FaultServer, api: Api
) -> None:
    server.script("GET", JOBS_PATH, failure(403, "Forbidden"))
    feed = Feed(api, wide=False)
    refused_once(server, feed, JOBS_PATH, NAMESPACE)
    with pytest.raises(HarnessError, match=r"the first list of jobs in namespace team .*403"):
        Recorder(feed, Timeline(), [(JOBS, NAMESPACE)]).start(within=0)
    feed.stop()


def test_what_the_watch_brings_is_observed(server: FaultServer, api: Api) -> None:
    changes = event("MODIFIED", thing("Job", "a", 10)) + event("DELETED", thing("Job", "a", 11))
    server.script("GET", JOBS_PATH, listing("9", thing("Job", "a", 4)))
    server.script("WATCH", JOBS_PATH, Stream(changes, end="silence"))
    with recording(api) as (timeline, _):
        until(timeline, lambda: len(timeline.observations()) == 3)
        assert seen(timeline)[1:] == [("MODIFIED", "a", 10), ("DELETED", "a", 11)]
        assert timeline.gaps() == ()


def test_a_bookmark_is_no_observation(server: FaultServer, api: Api) -> None:
    bookmark = {"kind": "Job", "metadata": {"resourceVersion": "12", "creationTimestamp": None}}
    lines = event("BOOKMARK", bookmark) + event("ADDED", thing("Job", "a", 13))
    server.script("GET", JOBS_PATH, listing("9"))
    server.script("WATCH", JOBS_PATH, Stream(lines, end="silence"))
    with recording(api) as (timeline, _):
        until(timeline, lambda: bool(timeline.observations()))
        assert seen(timeline) == [("ADDED", "a", 13)]


@pytest.mark.parametrize(
    "ending",
    [
        Stream(event("ERROR", status(410, "Expired")), end="proper"),
        Stream('{"type":"ADDED","object":{"metadata":{"name":"x"', end="proper"),
        Stream(end="cut"),
    ],
    ids=["410", "half a line", "cut connection"],
)
def test_a_watch_that_breaks_is_a_gap_that_a_fresh_list_closes(
    server: FaultServer, api: Api, ending: Stream
) -> None:
    before = listing("9", thing("Job", "kept", 3), thing("Job", "changed", 4), thing("Job", "x", 5))
    after = listing("20", thing("Job", "kept", 3), thing("Job", "changed", 15))
    server.script("GET", JOBS_PATH, before, after)
    server.script("WATCH", JOBS_PATH, ending, SILENCE)
    with recording(api) as (timeline, _):
        until(timeline, lambda: len(timeline.observations()) == 5)
        assert seen(timeline)[3:] == [("LISTED", "changed", 15), ("DELETED", "x", 20)]
        (gap,) = timeline.gaps()
        assert (gap.kind, gap.namespace, gap.after, gap.until) == ("Job", NAMESPACE, 5, 20)
        assert gap.reason


def test_a_watch_that_the_server_ends_in_time_is_no_gap(server: FaultServer, api: Api) -> None:
    server.script("GET", JOBS_PATH, listing("9"))
    lines = event("ADDED", thing("Job", "a", 10))
    server.script("WATCH", JOBS_PATH, Stream(end="proper"), Stream(lines, end="silence"))
    with recording(api) as (timeline, _):
        until(timeline, lambda: bool(timeline.observations()))
        assert (seen(timeline), timeline.gaps()) == ([("ADDED", "a", 10)], ())


def test_an_object_without_a_version_breaks_the_claims_not_the_implementation(
    server: FaultServer, api: Api
) -> None:
    server.script("GET", JOBS_PATH, listing("9"))
    odd = event("ADDED", {"metadata": {"name": "x"}})
    server.script("WATCH", JOBS_PATH, Stream(odd, end="silence"))
    with recording(api) as (timeline, _):
        claims = Claims(timeline, budgets=Budgets(), cross_kind_order=True)
        with pytest.raises(HarnessError, match="the recorder has broken: jobs in namespace team"):
            claims.eventually(exists(job("a")), within="create")


def test_stopping_ends_every_thread(server: FaultServer, api: Api) -> None:
    server.script("GET", JOBS_PATH, listing("9"))
    server.script("WATCH", JOBS_PATH, SILENCE)
    with recording(api):
        server.wait_for(lambda: bool(server.requests("WATCH", JOBS_PATH)))
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("watch of")]


def test_a_namespace_may_be_added_later(server: FaultServer, api: Api) -> None:
    other = "/apis/batch/v1/namespaces/other/jobs"
    found = thing("Job", "b", 5)
    found["metadata"]["namespace"] = "other"
    server.script("GET", JOBS_PATH, listing("9"))
    server.script("GET", other, listing("9", found))
    server.script("WATCH", JOBS_PATH, SILENCE)
    server.script("WATCH", other, SILENCE)
    with recording(api) as (timeline, recorder):
        recorder.add_namespace("other", [JOBS])
        assert [one.namespace for one in timeline.observations()] == ["other"]


def test_a_kind_of_the_whole_cluster_is_watched_without_a_namespace(
    server: FaultServer, api: Api
) -> None:
    node = {"metadata": {"name": "n", "uid": "n", "resourceVersion": "3"}}
    server.script("GET", "/api/v1/nodes", listing("9", node))
    server.script("WATCH", "/api/v1/nodes", SILENCE)
    timeline = Timeline()
    recorder = Recorder(Feed(api, wide=False), timeline, [(NODES, "")])
    recorder.start(within=PATIENCE)
    recorder.stop()
    assert seen(timeline) == [("LISTED", "n", 3)]


def test_catching_up_waits_for_what_the_list_shows(server: FaultServer, api: Api) -> None:
    lines = event("MODIFIED", thing("Job", "a", 10)) + event("DELETED", thing("Job", "b", 11))
    first = listing("9", thing("Job", "a", 4), thing("Job", "b", 5))
    server.script("GET", JOBS_PATH, first, listing("12", thing("Job", "a", 10)))
    server.script("WATCH", JOBS_PATH, Stream(lines, end="silence"))
    with recording(api) as (timeline, _):
        timeline.catch_up(THE_JOBS, settle=0, within=PATIENCE)
        assert seen(timeline)[2:] == [("MODIFIED", "a", 10), ("DELETED", "b", 11)]


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        (listing("12", thing("Job", "a", 10), thing("Job", "b", 5)), "a"),
        (listing("12", thing("Job", "a", 4)), "b"),
        (listing("12", thing("Job", "a", 4), thing("Job", "b", 5), thing("Job", "c", 6)), "c"),
    ],
    ids=["changed", "deleted", "added"],
)
def test_a_stream_that_stays_behind_the_list_is_named(
    server: FaultServer, api: Api, shown: object, name: str
) -> None:
    first = listing("9", thing("Job", "a", 4), thing("Job", "b", 5))
    server.script("GET", JOBS_PATH, first, shown)  # type: ignore[arg-type]
    server.script("WATCH", JOBS_PATH, SILENCE)
    with recording(api) as (timeline, _), pytest.raises(HarnessError) as caught:
        timeline.catch_up(THE_JOBS, settle=0, within=0.2)
    assert f"0.2 s behind: {name} is not as the server has it" in str(caught.value)


def test_only_the_streams_that_are_asked_for_have_to_catch_up(
    server: FaultServer, api: Api
) -> None:
    behind = listing("12", thing("Pod", "a", 10))
    server.script("GET", JOBS_PATH, listing("9"))
    server.script("GET", PODS_PATH, listing("9", thing("Pod", "a", 4)), behind)
    server.script("WATCH", JOBS_PATH, SILENCE)
    server.script("WATCH", PODS_PATH, SILENCE)
    with recording(api, JOBS, PODS) as (timeline, _):
        timeline.catch_up(THE_JOBS, settle=0, within=0.2)
        with pytest.raises(HarnessError):
            timeline.catch_up(frozenset({("Pod", NAMESPACE)}), settle=0, within=0.2)


def test_what_the_stream_brings_beyond_the_list_is_not_behind(
    server: FaultServer, api: Api
) -> None:
    lines = event("DELETED", thing("Job", "a", 20)) + event("ADDED", thing("Job", "b", 21))
    server.script("GET", JOBS_PATH, listing("9", thing("Job", "a", 4)))
    server.script("WATCH", JOBS_PATH, Stream(lines, end="silence"))
    with recording(api) as (timeline, _):
        until(timeline, lambda: len(timeline.observations()) == 3)
        timeline.catch_up(THE_JOBS, settle=0, within=PATIENCE)


def test_a_claim_over_a_gap_of_a_real_stream_is_unknown(server: FaultServer, api: Api) -> None:
    server.script("GET", JOBS_PATH, listing("9"), listing("20"))
    gone = Stream(event("ERROR", status(410, "Expired")))
    server.script("WATCH", JOBS_PATH, gone, SILENCE)
    with recording(api) as (timeline, _):
        claims = Claims(
            timeline,
            budgets=Budgets.from_mapping({"quiet": 0.05}),
            cross_kind_order=True,
        )
        start = timeline.position()
        until(timeline, lambda: bool(timeline.gaps()) and timeline.gaps()[0].until is not None)
        with pytest.raises(HarnessError, match="410 Expired"):
            claims.never(exists(job("a")), Quiet(), since=start)
