"""What only a kubelet can tell, as an API server passes it on: logs, pages, ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from queuecheck.implementation import ImplementationError, Sample
from queuecheck.implementation.config_map import ConfigMap
from queuecheck.implementation.deployed import ConfigKey, Deployed, MetricsPage
from queuecheck.implementation.trial import run_trial
from queuecheck.implementation.workload import Workload
from queuecheck.kube import Api, KubeObject
from tests.fault_server import Answer, FaultServer, Stream, event, failure, listing

PODS = "/api/v1/namespaces/there/pods"
MAPS = "/api/v1/namespaces/there/configmaps"
DEPLOYMENT = "/apis/apps/v1/namespaces/there/deployments/mine"
DEPLOYED = Deployed(
    "queue", "there", "mine", None, ConfigKey("config", "file"), MetricsPage("/metrics", 8080)
)
STAMP = "2026-01-01T00:00:0"
SECOND = 1_767_225_600_000_000_000


def deployment(copies: int = 1) -> KubeObject:
    container = {"name": "main", "volumeMounts": [{"name": "v", "mountPath": "/etc/c"}]}
    volume = {"name": "v", "configMap": {"name": "config"}}
    return {
        "metadata": {"name": "mine", "namespace": "there", "generation": 1},
        "spec": {
            "replicas": copies,
            "selector": {"matchLabels": {"app": "a"}},
            "template": {"spec": {"containers": [container], "volumes": [volume]}},
        },
    }


def pod(name: str, **status: Any) -> KubeObject:
    ready = [{"type": "Ready", "status": "True"}]
    return {
        "metadata": {"name": name, "uid": f"uid-{name}", "resourceVersion": "2"},
        "status": {"phase": "Running", "conditions": ready, **status},
    }


@pytest.fixture
def server(server: FaultServer) -> FaultServer:
    server.script("GET", DEPLOYMENT, Answer(200, deployment()))
    server.script("PATCH", DEPLOYMENT, Answer(200, deployment(0)))
    server.script("GET", PODS, listing("1", pod("a"), pod("b")))
    server.script("WATCH", PODS, Stream("", end="silence"))
    config = {"metadata": {"name": "config"}, "data": {"file": "kind: Configuration"}}
    server.script("GET", f"{MAPS}/config", Answer(200, config))
    return server


@pytest.fixture
def api(client: Api) -> Api:
    return client


@pytest.fixture
def workload(api: Api) -> Workload:
    return Workload(api, DEPLOYED, instance="queue", name="mine", owner="mine 1")


def says(server: FaultServer, name: str, *lines: str) -> None:
    server.script("GET", f"{PODS}/{name}/log", Answer(200, "".join(f"{each}\n" for each in lines)))


def test_lines_of_all_pods_come_in_the_order_in_which_they_were_written(
    server: FaultServer, workload: Workload
) -> None:
    says(server, "a", f"{STAMP}1.5Z one", f"{STAMP}3.0Z three")
    says(server, "b", f"{STAMP}2.0Z two")
    assert workload.pods.log() == "one\ntwo\nthree\n"
    (asked,) = server.requests("GET", f"{PODS}/a/log")
    assert asked.query == {"container": "main", "timestamps": "true"}


def test_a_log_is_read_on_from_the_last_line_before_a_mark(
    server: FaultServer, workload: Workload
) -> None:
    says(server, "a", f"{STAMP}1.5Z one")
    mark = workload.pods.log_position()
    assert mark == SECOND + 1_500_000_000
    says(server, "a", f"{STAMP}1.5Z one", f"{STAMP}1.500000001Z two")
    assert workload.pods.log(after=mark) == "two\n"
    assert server.requests("GET", f"{PODS}/a/log")[-1].query["sinceTime"] == f"{STAMP}1Z"


def test_what_a_pod_has_said_is_kept_when_a_verb_takes_it_away(
    server: FaultServer, workload: Workload
) -> None:
    says(server, "a", f"{STAMP}1Z one")
    workload.ask_to_end()
    server.script("GET", PODS, listing("3"))
    assert workload.pods.log() == "one\n"
    assert workload.pods.log_position() == SECOND + 1_000_000_000


def test_a_pod_that_has_not_started_has_said_nothing(
    server: FaultServer, workload: Workload
) -> None:
    server.script("GET", f"{PODS}/a/log", failure(400, "BadRequest"))
    says(server, "b", f"{STAMP}1Z one")
    assert workload.pods.log() == "one\n"


def test_metrics_come_by_the_proxy_to_each_ready_pod(
    server: FaultServer, workload: Workload
) -> None:
    server.script("GET", PODS, listing("1", pod("a"), pod("b", conditions=[])))
    server.script("GET", f"{PODS}/a%3A8080/proxy/metrics", Answer(200, 'waiting{queue="x"} 3\n'))
    assert workload.samples() == [Sample("waiting", {"queue": "x"}, 3.0)]
    server.script("GET", f"{PODS}/a%3A8080/proxy/metrics", failure(503, "ServiceUnavailable"))
    with pytest.raises(ImplementationError, match=r"^metrics of pod a:8080: GET .* 503 "):
        workload.samples()


def test_a_pod_whose_image_is_not_there_ends_the_wait_at_once(
    server: FaultServer, workload: Workload
) -> None:
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
    stuck = pod("a", conditions=[], containerStatuses=[{"name": "main", "state": waiting}])
    server.script("GET", PODS, listing("1", stuck))
    with pytest.raises(ImplementationError) as told:
        workload.wait_ready()
    assert str(told.value) == (
        "mine 1: Deployment there/mine: pod a: container main: ImagePullBackOff: no such image"
    )


def test_an_end_is_told_with_the_last_lines_of_the_container_that_ended(
    server: FaultServer, workload: Workload
) -> None:
    ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
    crashed = {"name": "main", "restartCount": 1, "lastState": ended}
    server.script("GET", PODS, listing("1", pod("a", containerStatuses=[crashed])))
    says(server, "a", f"{STAMP}1Z out of luck")
    assert workload.why_gone() == (
        "queue: pod a: container main ended with exit code 1, Error; its last lines:\nout of luck"
    )
    assert server.requests("GET", f"{PODS}/a/log")[-1].query["previous"] == "true"


def test_an_attempt_that_ends_gives_its_exit_code_and_all_that_it_said(
    server: FaultServer, api: Api, workload: Workload
) -> None:
    ended = {"name": "main", "state": {"terminated": {"exitCode": 2}}}
    first = pod("try", phase="Pending", conditions=[])
    last = pod("try", phase="Failed", conditions=[], containerStatuses=[ended])
    server.script("POST", MAPS, Answer(201, {"metadata": {"name": "try"}}))
    server.script("POST", PODS, Answer(201, first))
    server.script("GET", PODS, listing("1", first))
    server.script("WATCH", PODS, Stream(event("MODIFIED", last), end="silence"))
    server.script("GET", f"{PODS}/try/log", Answer(200, "error: no such setting\n"))
    attempt = run_trial(
        api,
        workload,
        ConfigMap(api, "there", ConfigKey("config", "file")),
        config={"kind": "Wrong"},
        name="try",
    )
    assert (attempt.exit_code, attempt.output) == (2, "error: no such setting\n")
    assert attempt.file == Path("/etc/c/file")
    (made,) = server.requests("POST", MAPS)
    assert json.loads(made.body["data"]["file"]) == {"kind": "Wrong"}
    (tried,) = server.requests("POST", PODS)
    assert tried.body["spec"]["volumes"] == [{"name": "v", "configMap": {"name": "try"}}]
    assert server.requests("DELETE", f"{PODS}/try")
    assert server.requests("DELETE", f"{MAPS}/try")


def test_a_key_that_the_config_map_does_not_have_is_named(api: Api) -> None:
    with pytest.raises(ImplementationError) as told:
        ConfigMap(api, "there", ConfigKey("config", "fiel"))
    assert str(told.value) == "ConfigMap there/config has no key fiel; it has file"
