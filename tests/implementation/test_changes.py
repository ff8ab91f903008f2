"""What a killed run has changed is put back, as far as the server allows it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from queuecheck.implementation.changes import (
    MISLED,
    UNREADABLE,
    Change,
    find_changes,
    put_back,
)
from queuecheck.implementation.config_map import AS_FOUND
from queuecheck.implementation.installation import TAKEN_LABEL
from queuecheck.kube import Api
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS, PODS
from tests.fault_server import Answer, FaultServer, failure, listing

FORBIDDEN = failure(403, "Forbidden")
DONE = Answer(200, {})
CONFIG = Change(CONFIG_MAPS, "room", "config", '{"file": "time: 0s"}')
SCALED = Change(DEPLOYMENTS, "room", "queue", "2")
COPY = Change(DEPLOYMENTS, "room", "queue-2", None)
ELSEWHERE = replace(SCALED, namespace="other")
TAKEN = Change(DEPLOYMENTS, "room", "queue", '{"kind": "Deployment"}', taken=True)
ATTEMPT = Change(CONFIG_MAPS, "room", "queue-attempt", None)
CHANGES = (COPY, SCALED, ELSEWHERE, CONFIG)
READER = {
    "metadata": {"name": "queue"},
    "spec": {
        "selector": {"matchLabels": {"app": "queue"}},
        "template": {"spec": {"volumes": [{"configMap": {"name": "config"}}]}},
    },
}
PODS_PLACE = PODS.path(namespace="room")


def place(change: Change) -> str:
    return change.resource.path(namespace=change.namespace, name=change.name)


def refusal(verb: str, path: str) -> str:
    return f"{verb} {path}: 403 Forbidden: no"


@pytest.fixture
def server(server: FaultServer) -> FaultServer:
    """It takes every change, and two pods read the configuration."""
    for change in CHANGES:
        server.script("PATCH" if change.found else "DELETE", place(change), DONE)
    server.script("GET", DEPLOYMENTS.path(namespace="room"), listing("1", READER))
    pods = [{"metadata": {"name": name}} for name in ("one", "two")]
    server.script("GET", PODS_PLACE, listing("1", *pods))
    for name in ("one", "two"):
        server.script("DELETE", f"{PODS_PLACE}/{name}", DONE)
    return server


@pytest.fixture
def api(client: Api) -> Api:
    return client


def bodies(server: FaultServer, change: Change) -> list[Any]:
    return [each.body for each in server.requests("PATCH", place(change))]


def started(server: FaultServer) -> list[str]:
    return [
        each.path
        for each in server.requests()
        if each.method in {"POST", "PATCH"} and "/deployments" in each.path
    ]


def test_configuration_is_put_back_before_anything_is_started(
    server: FaultServer, api: Api
) -> None:
    assert put_back(api, CHANGES) == {}
    assert [(each.method, each.path) for each in server.requests() if each.method != "GET"] == [
        ("PATCH", place(CONFIG)),
        ("DELETE", f"{PODS_PLACE}/one"),
        ("DELETE", f"{PODS_PLACE}/two"),
        ("PATCH", place(CONFIG)),
        ("DELETE", place(COPY)),
        ("PATCH", place(SCALED)),
        ("PATCH", place(ELSEWHERE)),
    ]
    no_note = {"metadata": {"annotations": {AS_FOUND: None}}}
    assert bodies(server, CONFIG) == [{"data": {"file": "time: 0s"}}, no_note]
    assert bodies(server, SCALED) == [no_note | {"spec": {"replicas": 2}}]


@pytest.mark.parametrize("refused", [COPY, SCALED, ELSEWHERE], ids=str)
def test_what_is_refused_keeps_nothing_else_from_being_put_back(
    server: FaultServer, api: Api, refused: Change
) -> None:
    verb = "PATCH" if refused.found else "DELETE"
    server.script(verb, place(refused), FORBIDDEN)
    assert put_back(api, CHANGES) == {refused: refusal(verb, place(refused))}
    others = [each for each in CHANGES if each != refused]
    assert all(server.requests("PATCH" if each.found else "DELETE", place(each)) for each in others)


def test_nothing_is_started_beside_a_configuration_that_is_another(
    server: FaultServer, api: Api
) -> None:
    server.script("PATCH", place(CONFIG), FORBIDDEN)
    taken = replace(TAKEN, name="extension")
    assert put_back(api, (*CHANGES, taken)) == {
        CONFIG: refusal("PATCH", place(CONFIG)),
        SCALED: MISLED,
        taken: MISLED,
    }
    assert started(server) == [place(ELSEWHERE)]
    assert len(server.requests("DELETE", place(COPY))) == 1


def test_an_attempt_that_stays_keeps_nothing_from_being_started(
    server: FaultServer, api: Api
) -> None:
    server.script("DELETE", place(ATTEMPT), FORBIDDEN)
    assert put_back(api, (ATTEMPT, SCALED)) == {ATTEMPT: refusal("DELETE", place(ATTEMPT))}
    assert started(server) == [place(SCALED)]


def test_as_long_as_a_pod_has_read_another_configuration_the_note_stays(
    server: FaultServer, api: Api
) -> None:
    server.script("DELETE", f"{PODS_PLACE}/one", FORBIDDEN)
    assert put_back(api, [CONFIG]) == {CONFIG: refusal("DELETE", f"{PODS_PLACE}/one")}
    assert len(server.requests("DELETE", f"{PODS_PLACE}/two")) == 1
    assert bodies(server, CONFIG) == [{"data": json.loads(str(CONFIG.found))}]


@pytest.mark.parametrize(
    ("damaged", "note"),
    [
        (replace(CONFIG, found='{"file": '), f"annotation {AS_FOUND}"),
        (replace(CONFIG, found="null"), f"annotation {AS_FOUND}"),
        (replace(ELSEWHERE, found="many"), f"annotation {AS_FOUND}"),
        (replace(TAKEN, found=""), "ConfigMap queuecheck-taken-queue"),
        (replace(TAKEN, found="[]"), "ConfigMap queuecheck-taken-queue"),
    ],
    ids=str,
)
def test_a_note_that_is_damaged_is_told_and_keeps_nothing_else_from_being_put_back(
    server: FaultServer, api: Api, damaged: Change, note: str
) -> None:
    assert put_back(api, (damaged, COPY)) == {damaged: f"{UNREADABLE} {note}"}
    assert server.requests("DELETE", place(COPY))
    assert started(server) == []
    assert bodies(server, damaged) == []


@pytest.mark.parametrize("data", [None, {}, {"deployment.json": "{"}])
def test_a_deployment_that_was_taken_away_is_seen_though_what_was_kept_of_it_is_damaged(
    server: FaultServer, api: Api, data: dict[str, str] | None
) -> None:
    metadata = {"name": "queuecheck-taken-queue", "labels": {TAKEN_LABEL: "true"}}
    server.script(
        "GET",
        CONFIG_MAPS.path(namespace="room"),
        listing("1", {"metadata": metadata} | ({} if data is None else {"data": data})),
    )
    server.script("GET", DEPLOYMENTS.path(namespace="room"), listing("1"))
    server.script("GET", PODS_PLACE, listing("1"))
    (found,) = find_changes(api, "room")
    assert str(found) == "Deployment room/queue was taken away"


def test_what_is_gone_needs_not_be_put_back(server: FaultServer, api: Api) -> None:
    server.script("PATCH", place(SCALED), failure(404, "NotFound"))
    assert put_back(api, [SCALED]) == {}
