"""Requests as they go out, and answers as they come in."""

from pathlib import Path

import pytest

from queuecheck.kube import (
    AlreadyExists,
    Api,
    ApiError,
    Conflict,
    Gone,
    KubeconfigError,
    NotFound,
    Unreachable,
)
from queuecheck.kube.resource import JOBS, PODS
from tests.fault_server import Answer, FaultServer, failure, listing, write_kubeconfig

JOB = "/apis/batch/v1/namespaces/ns/jobs/job"


def test_a_request_does_not_look_at_the_environment_that_others_may_be_changing(
    server: FaultServer, client: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script("GET", JOB, Answer(200, "{}"))

    def changed_meanwhile() -> dict[str, str]:
        raise KeyError("PYTEST_CURRENT_TEST")

    monkeypatch.setattr("kubernetes.client.configuration.getproxies", changed_meanwhile)
    assert client.get(JOBS, "job", namespace="ns") == {}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (failure(404, "NotFound"), NotFound),
        (failure(409, "Conflict"), Conflict),
        (failure(409, "AlreadyExists"), AlreadyExists),
        (failure(410, "Expired"), Gone),
        (failure(422, "Invalid"), ApiError),
        (Answer(502, "<html>bad gateway</html>"), ApiError),
    ],
)
def test_a_refusal_raises_the_class_that_callers_react_to(
    server: FaultServer, client: Api, answer: Answer, kind: type[ApiError]
) -> None:
    server.script("GET", JOB, answer)
    with pytest.raises(ApiError) as raised:
        client.get(JOBS, "job", namespace="ns")
    assert type(raised.value) is kind
    assert raised.value.status == answer.status


def test_retry_after_is_read(server: FaultServer, client: Api) -> None:
    server.script("GET", JOB, failure(429, "TooManyRequests", Retry_After="7"))
    with pytest.raises(ApiError) as raised:
        client.get(JOBS, "job", namespace="ns")
    assert (raised.value.retry_after, raised.value.transient) == (7.0, True)


def test_the_version_that_guards_a_merge_patch_is_in_its_body(
    server: FaultServer, client: Api
) -> None:
    server.script("PATCH", f"{JOB}/status", Answer())
    patch = {"metadata": {"labels": {"a": "b"}}, "status": {"active": 1}}
    client.patch(
        JOBS,
        "job",
        patch,
        namespace="ns",
        subresource="status",
        resource_version="7",
        field_manager="me",
    )
    (request,) = server.requests("PATCH")
    assert request.body == {
        "metadata": {"labels": {"a": "b"}, "resourceVersion": "7"},
        "status": {"active": 1},
    }
    assert request.headers["content-type"] == "application/merge-patch+json"
    assert request.query == {"fieldManager": "me"}
    assert patch["metadata"] == {"labels": {"a": "b"}}


def test_the_version_that_guards_a_json_patch_is_its_first_operation(
    server: FaultServer, client: Api
) -> None:
    server.script("PATCH", JOB, Answer())
    change = {"op": "add", "path": "/spec/suspend", "value": True}
    client.patch(JOBS, "job", [change], namespace="ns", resource_version="7")
    (request,) = server.requests("PATCH")
    assert request.headers["content-type"] == "application/json-patch+json"
    assert request.body[0]["path"] == "/metadata/resourceVersion"
    assert request.body[0]["value"] == "7"
    assert request.body[1:] == [change]


def test_deletion_is_guarded_by_the_uid(server: FaultServer, client: Api) -> None:
    server.script("DELETE", JOB, Answer())
    client.delete(JOBS, "job", namespace="ns", uid="u1")
    assert server.requests("DELETE")[0].body["preconditions"] == {"uid": "u1"}


def test_items_of_a_list_are_complete_objects(server: FaultServer, client: Api) -> None:
    server.script("GET", "/api/v1/pods", listing("1", {"metadata": {"name": "a"}}))
    assert client.list(PODS).items[0] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
    }


def test_the_user_agent_and_the_token_are_sent(server: FaultServer, client: Api) -> None:
    server.script("GET", "/version", Answer())
    client.raw("/version")
    (request,) = server.requests()
    assert request.headers["user-agent"] == "a-test"
    assert request.headers["authorization"] == "Bearer t"


def test_no_proxy_is_honoured_for_loopback(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    server.script("GET", "/version", Answer(200, "direct"))
    assert Api.from_kubeconfig(server.kubeconfig).raw("/version") == "direct"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_answer_is_unreachable_with_a_short_reason(
    server: FaultServer, tmp_path: Path, scheme: str
) -> None:
    port = server.port if scheme == "https" else 9  # TLS to a plain server; nobody listens
    kubeconfig = write_kubeconfig(tmp_path / "other", f"{scheme}://127.0.0.1:{port}")
    with pytest.raises(Unreachable) as raised:
        Api.from_kubeconfig(kubeconfig).raw("/version")
    assert raised.value.transient
    assert "\n" not in raised.value.message
    assert "object at" not in raised.value.message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (None, "No such file or directory"),
        ("{", ""),
        ("42", ""),
        ("{}", ""),
        ("apiVersion: v1\nkind: Config\ncontexts: []\nclusters: []\nusers: []\n", "context"),
    ],
)
def test_a_kubeconfig_that_cannot_be_used_says_so(
    tmp_path: Path, text: str | None, part: str
) -> None:
    path = tmp_path / "kubeconfig"
    if text is not None:
        path.write_text(text)
    with pytest.raises(KubeconfigError) as raised:
        Api.from_kubeconfig(path)
    assert str(path) in str(raised.value)
    assert part in str(raised.value)


def test_an_unknown_context_is_named(server: FaultServer) -> None:
    with pytest.raises(KubeconfigError, match="there is no context 'elsewhere'; there is here"):
        Api.from_kubeconfig(server.kubeconfig, context="elsewhere")
