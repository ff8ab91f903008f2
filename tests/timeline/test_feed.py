"""One watch for many timelines: each gets its own namespace, and all that it was joined for."""

import threading
from collections.abc import Iterator

import pytest

from queuecheck.kube import Api
from queuecheck.kube.resource import JOBS
from queuecheck.timeline import Feed, HarnessError, Recorder, Timeline
from tests.fault_server import PATIENCE, FaultServer, Stream, event, failure, listing
from tests.timeline.stage import thing
from tests.timeline.test_recorder import SILENCE, refused_once, seen, until

EVERYWHERE = "/apis/batch/v1/jobs"


def inside(namespace: str) -> str:
    return f"/apis/batch/v1/namespaces/{namespace}/jobs"


def job(namespace: str, name: str, version: int) -> dict[str, object]:
    found = thing("Job", name, version)
    found["metadata"].update(namespace=namespace, uid=f"{namespace}-{name}")
    return found


@pytest.fixture
def feed(api: Api) -> Iterator[Feed]:
    wide = Feed(api, wide=True)
    yield wide
    wide.stop()


def recorded(feed: Feed, namespace: str, *, fresh: bool = True) -> tuple[Timeline, Recorder]:
    timeline = Timeline()
    recorder = Recorder(feed, timeline, [(JOBS, namespace)])
    recorder.start(fresh=(namespace,) if fresh else (), within=PATIENCE)
    return timeline, recorder


def test_a_kind_is_watched_once_for_all_scenarios(server: FaultServer, feed: Feed) -> None:
    first = event("ADDED", job("one", "a", 10)) + event("ADDED", job("two", "a", 11))
    server.script("GET", EVERYWHERE, listing("9"))
    server.script("WATCH", EVERYWHERE, Stream(first, end="silence"))
    one, recorder = recorded(feed, "one")
    until(one, lambda: bool(one.observations()))
    recorder.stop()
    recorded(feed, "two")
    assert [len(server.requests(verb, EVERYWHERE)) for verb in ("GET", "WATCH")] == [1, 1]
    assert seen(one) == [("ADDED", "a", 10)]


def test_each_timeline_gets_its_own_namespace(server: FaultServer, api: Api, feed: Feed) -> None:
    # What is two's comes first: it has gone by when what is one's has come.
    lines = event("ADDED", job("two", "b", 10)) + event("ADDED", job("one", "a", 11))
    server.script("GET", EVERYWHERE, listing("9", job("one", "x", 3), job("two", "y", 4)))
    server.script("WATCH", EVERYWHERE, Stream(lines, end="silence"))
    one, two = Timeline(), Timeline()
    watch = Feed(api, wide=True)
    watch.join(one, [(JOBS, "one")], within=PATIENCE)
    until(one, lambda: len(one.observations()) == 2)
    assert seen(one) == [("LISTED", "x", 3), ("ADDED", "a", 11)]
    server.script("GET", inside("two"), listing("12", job("two", "y", 4), job("two", "b", 10)))
    watch.join(two, [(JOBS, "two")], within=PATIENCE)
    watch.stop()
    assert seen(two) == [("LISTED", "y", 4), ("LISTED", "b", 10)]


def test_what_a_list_cannot_know_yet_has_not_vanished() -> None:
    timeline = Timeline()
    timeline.observe("Job", "ADDED", job("one", "new", 20))
    timeline.observe("Job", "ADDED", job("one", "old", 5))
    timeline.relist("Job", "one", [], resource_version=12)
    assert seen(timeline)[2:] == [("DELETED", "old", 12)]


def test_a_gap_is_one_of_every_timeline_that_reads(server: FaultServer, feed: Feed) -> None:
    server.script("GET", EVERYWHERE, listing("9"), listing("20", job("two", "b", 15)))
    server.script("WATCH", EVERYWHERE, SILENCE, SILENCE)
    left, recorder = recorded(feed, "left")
    recorder.stop()
    one, _ = recorded(feed, "one")
    two, _ = recorded(feed, "two")
    server.wait_for(lambda: bool(server.requests("WATCH", EVERYWHERE)))
    server.end_streams()
    until(two, lambda: bool(two.observations()))
    until(one, lambda: bool(one.gaps()) and one.gaps()[0].until == 20)
    assert [len(each.gaps()) for each in (left, one, two)] == [0, 1, 1]
    assert one.observations() == ()
    assert seen(two) == [("LISTED", "b", 15)]


@pytest.mark.parametrize("fresh", [True, False], ids=["a new namespace", "an old one"])
def test_who_joins_an_interrupted_stream_is_told_of_the_gap(
    server: FaultServer, feed: Feed, fresh: bool
) -> None:
    down = failure(503, "ServiceUnavailable")
    server.script("GET", EVERYWHERE, listing("9"), down)
    server.script("GET", inside("late"), listing("12"))
    server.script("WATCH", EVERYWHERE, SILENCE)
    early, _ = recorded(feed, "early")
    server.wait_for(lambda: bool(server.requests("WATCH", EVERYWHERE)))
    server.end_streams()
    until(early, lambda: bool(early.gaps()))
    late, _ = recorded(feed, "late", fresh=fresh)
    assert late.gaps()[-1].until is None
    server.script("GET", EVERYWHERE, listing("20", job("late", "b", 15)))
    until(late, lambda: bool(late.observations()))
    until(late, lambda: late.gaps()[-1].until == 20)


def test_a_stream_that_broke_is_opened_anew_for_the_next_scenario(
    server: FaultServer, feed: Feed
) -> None:
    odd = Stream(event("ADDED", {"metadata": {"name": "x", "namespace": "one"}}), end="silence")
    server.script("GET", EVERYWHERE, listing("9"))
    server.script("WATCH", EVERYWHERE, odd, SILENCE)
    broken, recorder = recorded(feed, "one")
    with pytest.raises(HarnessError, match="the recorder has broken: jobs: KeyError"):
        broken.sleep(PATIENCE)
    recorder.stop()
    whole, _ = recorded(feed, "two")
    assert whole.changes() >= 0


def test_a_kind_that_cannot_be_listed_leaves_nothing_running(server: FaultServer, api: Api) -> None:
    server.script("GET", EVERYWHERE, failure(403, "Forbidden"))
    feed = Feed(api, wide=True)
    refused_once(server, feed, EVERYWHERE, "one")
    with pytest.raises(HarnessError, match=r"the first list of jobs did not come .*403"):
        Recorder(feed, Timeline(), [(JOBS, "one")]).start(within=0)
    feed.stop()
    assert not [each for each in threading.enumerate() if each.name.startswith("watch of")]
