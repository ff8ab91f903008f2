"""Whether what was taken away is gone, on a server that may not tell."""

import threading
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from queuecheck.kube import Api, Unreachable
from queuecheck.kube.resource import JOBS, NAMESPACES, PODS, PRIORITY_CLASSES
from queuecheck.profiles import load_profile
from queuecheck.world import remains
from queuecheck.world.remains import Remnant, delete_first, remove_remains
from tests.fault_server import Answer, FaultServer, Stream, event, failure, listing

PROFILE = load_profile("koord-queue")
PATH = NAMESPACES.path()
NAME = "qc-abcde-one"
REMNANT = Remnant(0, NAMESPACES, "", NAME, "abcde")
DOWN = failure(503, "ServiceUnavailable")


@pytest.fixture
def server(server: FaultServer) -> FaultServer:
    for resource in ("pods", "nodes"):
        server.script("GET", f"/api/v1/namespaces/{NAME}/{resource}", listing("1"))
        server.script("GET", f"/api/v1/{resource}", listing("1"))
    server.script("DELETE", f"{PATH}/{NAME}", Answer(200, {}))
    server.script("WATCH", PATH, Stream(end="silence"))
    return server


@pytest.fixture
def api(client: Api) -> Api:
    return client


@pytest.fixture
def over_when(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[], bool]], None]:
    """Says what the server has been asked when the time is over, however busy the machine is."""

    def says(condition: Callable[[], bool]) -> None:
        class Timer(threading.Thread):
            def __init__(self, _seconds: float, action: Callable[[], None]) -> None:
                super().__init__(daemon=True)
                self._action = action

            def run(self) -> None:
                server.wait_for(condition)
                self._action()

            def cancel(self) -> None:
                pass

        monkeypatch.setattr(remains, "threading", SimpleNamespace(Timer=Timer))

    return says


def namespace() -> dict[str, Any]:
    return {"metadata": {"name": NAME, "uid": "one", "resourceVersion": "4"}}


def left(api: Api, *, seconds: float) -> list[str]:
    return remove_remains(api, PROFILE, [REMNANT], seconds=seconds)


def test_what_no_list_has_is_gone(server: FaultServer, api: Api) -> None:
    server.script("GET", PATH, listing("9"))
    assert left(api, seconds=60) == []


def test_what_could_not_be_looked_at_is_not_said_to_be_gone(
    server: FaultServer, api: Api, over_when: Callable[[Callable[[], bool]], None]
) -> None:
    server.script("GET", PATH, DOWN)
    over_when(lambda: len(server.requests("GET", PATH)) >= 2)
    (told,) = left(api, seconds=60)
    assert told.startswith(f"namespace {NAME}: nobody could see whether it is gone: ")
    assert "503" in told


def test_a_list_that_fails_at_first_is_waited_for(server: FaultServer, api: Api) -> None:
    server.script("GET", PATH, DOWN, listing("9", namespace()))
    lines = event("DELETED", namespace())
    server.script("WATCH", PATH, Stream(lines, end="silence"))
    assert left(api, seconds=60) == []


def test_what_is_still_there_after_a_list_that_failed_is_told(
    server: FaultServer, api: Api, over_when: Callable[[Callable[[], bool]], None]
) -> None:
    server.script("GET", PATH, DOWN, listing("9", namespace()))
    over_when(lambda: bool(server.requests("WATCH", PATH)))
    assert left(api, seconds=60) == [f"namespace {NAME}: it is still there"]


QUOTA = Remnant(0, PROFILE.quotas, "default", "team-a", "abcde")
QUOTAS = PROFILE.quotas.path(namespace="default")
CLASS = Remnant(0, PRIORITY_CLASSES, "", "qc-abcde-p1", "abcde")
CLASSES = PRIORITY_CLASSES.path()
OWN = Remnant(2, NAMESPACES, "", "qc-abcde", "abcde", "2026-11-30T12:00:00Z")
OTHERS_OWN = Remnant(2, NAMESPACES, "", "qc-fghij", "fghij", "2026-11-30T12:00:00Z")
FORBIDDEN = failure(403, "Forbidden")
HELD = "held by finalizers: example.com/theirs"


def quota(*finalizers: str) -> dict[str, Any]:
    labels = {"queuecheck.dev/run": "abcde"}
    metadata = {"name": "team-a", "resourceVersion": "4", "labels": labels}
    return {"metadata": {**metadata, "finalizers": list(finalizers)}}


@pytest.fixture
def quotas(server: FaultServer) -> FaultServer:
    server.script("GET", PATH, listing("9"))
    server.script("DELETE", f"{QUOTAS}/team-a", Answer(200, {}))
    server.script("WATCH", QUOTAS, Stream(end="silence"))
    return server


def test_what_goes_at_once_costs_one_list(quotas: FaultServer, api: Api) -> None:
    quotas.script("GET", QUOTAS, listing("9"))
    assert remove_remains(api, PROFILE, [QUOTA, replace(QUOTA, name="team-b")], seconds=60) == []
    assert [each.query for each in quotas.requests("GET")] == [
        {"labelSelector": "queuecheck.dev/run"}
    ]
    assert quotas.requests("WATCH") == []


def test_a_quota_that_is_held_is_told(quotas: FaultServer, api: Api) -> None:
    quotas.script("GET", QUOTAS, listing("9", quota("example.com/theirs")))
    left = remove_remains(api, PROFILE, [QUOTA], seconds=0.3)
    assert left == [f"ElasticQuota default/team-a: {HELD}"]


def test_a_quota_that_is_held_for_a_while_is_waited_for(quotas: FaultServer, api: Api) -> None:
    quotas.script("GET", QUOTAS, listing("9", quota("example.com/theirs")))
    quotas.script("WATCH", QUOTAS, Stream(event("DELETED", quota()), end="silence"))
    assert remove_remains(api, PROFILE, [QUOTA], seconds=60) == []


def test_who_may_not_watch_a_kind_sees_by_lists_when_it_is_gone(
    server: FaultServer, api: Api
) -> None:
    server.script("DELETE", f"{CLASSES}/{CLASS.name}", Answer(200, {}))
    server.script("GET", CLASSES, listing("9", priority_class(CLASS.name)), listing("10"))
    server.script("WATCH", CLASSES, FORBIDDEN)
    assert remove_remains(api, PROFILE, [CLASS], seconds=60) == []


def test_what_is_known_by_its_name_is_looked_for_without_a_label(
    server: FaultServer, api: Api
) -> None:
    queues = PROFILE.queues.path(namespace="koord-queue")
    ours = {"metadata": {"name": "team", "resourceVersion": "4"}}
    server.script("DELETE", f"{queues}/team", Answer(200, {}))
    server.script("GET", queues, listing("9", ours))
    server.script("WATCH", queues, Stream(end="silence"))
    remnant = Remnant(1, PROFILE.queues, "koord-queue", "team", "")
    left = remove_remains(api, PROFILE, [remnant], seconds=0.3)
    assert left == ["Queue koord-queue/team: it is still there"]
    assert [each.query for each in server.requests("GET")] == [{}]


def test_what_had_its_time_while_a_namespace_was_waited_for_is_looked_at(
    quotas: FaultServer, api: Api
) -> None:
    quotas.script("GET", PATH, listing("9", namespace()))
    quotas.script("GET", QUOTAS, listing("9"))
    left = remove_remains(api, PROFILE, [QUOTA, REMNANT], seconds=0.3)
    assert left == [f"namespace {NAME}: it is still there"]


def test_a_run_of_which_something_is_left_keeps_its_own_namespace(
    quotas: FaultServer, api: Api
) -> None:
    for name in (OWN.name, OTHERS_OWN.name):
        for resource in ("pods", "nodes"):
            quotas.script("GET", f"/api/v1/namespaces/{name}/{resource}", listing("1"))
        quotas.script("DELETE", f"{PATH}/{name}", Answer(200, {}))
    quotas.script("GET", QUOTAS, listing("9", quota("example.com/theirs")))
    left = remove_remains(api, PROFILE, [QUOTA, OWN, OTHERS_OWN], seconds=0.3)
    assert left == [f"ElasticQuota default/team-a: {HELD}"]
    assert quotas.requests("DELETE", f"{PATH}/{OWN.name}") == []
    assert len(quotas.requests("DELETE", f"{PATH}/{OTHERS_OWN.name}")) == 1


UNITS = PROFILE.resource("QueueUnit")
DENIED = Answer(400, {"reason": "BadRequest", "message": "admission webhook denied it:\n no"})


def priority_class(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "resourceVersion": "4"}}


def refusal(verb: str, path: str) -> str:
    return f"{verb} {path}: 403 Forbidden: no"


def test_what_is_refused_keeps_nothing_else_from_going(quotas: FaultServer, api: Api) -> None:
    names = [f"qc-abcde-p{number}" for number in range(3)]
    classes = [replace(CLASS, name=name) for name in names]
    quotas.script("GET", QUOTAS, listing("9"))
    quotas.script("GET", CLASSES, listing("9", *map(priority_class, names[:2])))
    quotas.script("WATCH", CLASSES, Stream(end="silence"))
    quotas.script("DELETE", f"{CLASSES}/{names[0]}", FORBIDDEN)
    quotas.script("DELETE", f"{CLASSES}/{names[1]}", DENIED)
    quotas.script("DELETE", f"{CLASSES}/{names[2]}", Answer(200, {}))
    left = remove_remains(api, PROFILE, [*classes, QUOTA, REMNANT, OWN], seconds=60)
    denied = f"DELETE {CLASSES}/{names[1]}: 400 BadRequest: admission webhook denied it: no"
    assert left == [
        f"PriorityClass {names[0]}: {refusal('DELETE', f'{CLASSES}/{names[0]}')}",
        f"PriorityClass {names[1]}: {denied}",
    ]
    assert [each.path for each in quotas.requests("DELETE")] == [
        *(f"{CLASSES}/{name}" for name in names),
        f"{QUOTAS}/team-a",
        f"{PATH}/{NAME}",
    ]


def test_what_is_refused_and_goes_all_the_same_is_not_left(quotas: FaultServer, api: Api) -> None:
    quotas.script("DELETE", f"{QUOTAS}/team-a", FORBIDDEN)
    quotas.script("GET", QUOTAS, listing("9"))
    assert remove_remains(api, PROFILE, [QUOTA], seconds=60) == []


def test_what_is_refused_in_a_namespace_does_not_keep_it_from_going(
    server: FaultServer, api: Api
) -> None:
    refuse_all_inside(server)
    server.script("GET", PATH, listing("9"))
    assert left(api, seconds=60) == []
    assert len(server.requests("DELETE", f"{PATH}/{NAME}")) == 1


def test_what_is_refused_in_a_namespace_that_stays_is_told_with_it(
    server: FaultServer, api: Api
) -> None:
    inside = refuse_all_inside(server)
    server.script("GET", PATH, listing("9", namespace()))
    first, second, *others = inside
    assert left(api, seconds=0.3) == [
        f"namespace {NAME}: {first}; {second}; {len(others)} more like that; it is still there"
    ]


def test_an_answer_that_is_lost_is_not_the_end(quotas: FaultServer, api: Api) -> None:
    quotas.script("DELETE", f"{QUOTAS}/team-a", Stream(end="cut"))
    quotas.script("GET", QUOTAS, listing("9", quota()))
    (told,) = remove_remains(api, PROFILE, [QUOTA, REMNANT], seconds=60)
    assert told.startswith(f"ElasticQuota default/team-a: DELETE {QUOTAS}/team-a: 0 Unreachable: ")
    assert len(quotas.requests("DELETE", f"{PATH}/{NAME}")) == 1


def test_who_gets_no_answer_for_too_long_asks_for_nothing_more(
    quotas: FaultServer, api: Api
) -> None:
    quotas.script("DELETE", f"{QUOTAS}/team-a", Stream(end="cut"))
    with pytest.raises(Unreachable):
        remove_remains(api, PROFILE, [QUOTA, REMNANT], seconds=0)
    assert quotas.requests("DELETE", f"{PATH}/{NAME}") == []


def refuse_all_inside(server: FaultServer) -> list[str]:
    """Nothing in the namespace can be changed, nor all of it listed; how that is told."""
    pods, units, jobs = (each.path(namespace=NAME) for each in (PODS, UNITS, JOBS))
    held = {"name": "held", "namespace": NAME, "finalizers": ["queuecheck.dev/lingers"]}
    body = {"metadata": {**held, "resourceVersion": "4"}, "spec": {"nodeName": "gone"}}
    server.script("GET", units, FORBIDDEN)
    for path in (pods, jobs):
        server.script("GET", path, listing("1", body))
        for verb in ("PATCH", "DELETE"):
            server.script(verb, f"{path}/held", FORBIDDEN)
    return [
        refusal("PATCH", f"{pods}/held"),
        refusal("GET", units),
        refusal("PATCH", f"{jobs}/held"),
        refusal("DELETE", f"{jobs}/held"),
        refusal("DELETE", f"{pods}/held"),
    ]


def test_what_has_to_go_first_goes_as_far_as_it_may(server: FaultServer, api: Api) -> None:
    quotas, jobs = (each.path(namespace=NAME) for each in (PROFILE.quotas, JOBS))
    server.script("GET", quotas, FORBIDDEN)
    server.script("GET", jobs, listing("1", *map(priority_class, ("one", "two"))))
    server.script("DELETE", f"{jobs}/one", FORBIDDEN)
    server.script("DELETE", f"{jobs}/two", Answer(200, {}))
    refused: list[str] = []
    delete_first(api, PROFILE, NAME, refused)
    assert refused == [refusal("GET", quotas), refusal("DELETE", f"{jobs}/one")]
    assert len(server.requests("DELETE", f"{jobs}/two")) == 1
