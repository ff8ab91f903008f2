"""Requests as they go out, and answers as they come in."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from kubernetes.client import Configuration

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
from queuecheck.kube.token import TokenFile
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


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0", 0.0), ("-7", None), ("nan", None), ("Fri, 31 Dec 1999 23:59:59 GMT", None)],
)
def test_retry_after_is_read_where_it_is_a_number_of_seconds(
    server: FaultServer, client: Api, header: str, seconds: float | None
) -> None:
    server.script("GET", JOB, failure(429, "TooManyRequests", Retry_After=header))
    with pytest.raises(ApiError) as raised:
        client.get(JOBS, "job", namespace="ns")
    assert (raised.value.retry_after, raised.value.transient) == (seconds, True)


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


def authorizations(server: FaultServer) -> list[str]:
    return [request.headers["authorization"] for request in server.requests()]


def renewed_in_a_file(kubeconfig: Path, token: str) -> Path:
    """The file beside the kubeconfig in which its user's token is from now on."""
    document = yaml.safe_load(kubeconfig.read_text())
    document["users"][0]["user"] = {"tokenFile": "token"}
    kubeconfig.write_text(yaml.safe_dump(document))
    file = kubeconfig.with_name("token")
    file.write_text(token)
    return file


def test_a_token_in_a_file_is_sent_as_it_was_renewed(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("queuecheck.kube.token.READ_AGAIN", 0.0)
    server.script("GET", "/version", Answer())
    file = renewed_in_a_file(server.kubeconfig, "first\n")
    api = Api.from_kubeconfig(server.kubeconfig)
    api.raw("/version")
    file.write_text("second\n")
    api.named("another").raw("/version")
    assert authorizations(server) == ["Bearer first", "Bearer second"]


def write_nothing(file: Path) -> None:
    file.write_text("")


def write_two_lines(file: Path) -> None:
    file.write_text("sec\nret")


def write_half_a_character(file: Path) -> None:
    file.write_bytes("sec…".encode()[:-1])


@pytest.mark.parametrize(
    "lost", [Path.unlink, write_nothing, write_two_lines, write_half_a_character]
)
def test_without_its_token_a_request_is_not_sent_until_the_token_is_back(
    server: FaultServer, lost: Callable[[Path], None]
) -> None:
    server.script("GET", "/version", Answer())
    file = renewed_in_a_file(server.kubeconfig, "first")
    api = Api.from_kubeconfig(server.kubeconfig)
    lost(file)
    with pytest.raises(Unreachable, match="token") as refused:
        api.raw("/version")
    assert "sec" not in str(refused.value)
    file.write_text("second")
    api.raw("/version")
    assert authorizations(server) == ["Bearer second"]


@pytest.mark.parametrize("token", ["", " \n", "sec\nret", "sec…", "\ufeffsecret"])
def test_a_kubeconfig_with_a_token_file_that_has_no_token_is_refused(
    server: FaultServer, token: str
) -> None:
    renewed_in_a_file(server.kubeconfig, token)
    with pytest.raises(KubeconfigError, match=r"the token file .*/token is") as refused:
        Api.from_kubeconfig(server.kubeconfig)
    assert "sec" not in str(refused.value)


@pytest.mark.parametrize("token", ["sec\nret", "secret\n", "sec…"])
def test_a_kubeconfig_with_a_token_that_cannot_be_sent_is_refused(
    server: FaultServer, token: str
) -> None:
    document = yaml.safe_load(server.kubeconfig.read_text())
    document["users"][0]["user"] = {"token": token}
    server.kubeconfig.write_text(yaml.safe_dump(document))
    with pytest.raises(KubeconfigError, match="the token of the user is none: a token is one line"):
        Api.from_kubeconfig(server.kubeconfig)


def test_the_token_of_a_pod_is_the_one_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("token", "cert"):
        (tmp_path / name).write_text("first")
        constant = f"kubernetes.config.incluster_config.SERVICE_{name.upper()}_FILENAME"
        monkeypatch.setattr(constant, str(tmp_path / name))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "9")
    monkeypatch.setattr("queuecheck.kube.token.READ_AGAIN", 0.0)
    settings = Api.in_cluster()._client.configuration
    for token in ("second", "third"):
        (tmp_path / "token").write_text(token)
        assert settings.auth_settings()["BearerToken"]["value"] == f"Bearer {token}"


def test_a_token_file_is_read_once_a_minute(tmp_path: Path) -> None:
    file = tmp_path / "token"
    now = 1000.0
    settings = Configuration()
    token = TokenFile(file, steady=lambda: now)
    sent = []
    for now in (1000.0, 1059.0, 1060.0, 1061.0):
        file.write_text(f"at {now}")
        token(settings)
        sent.append(settings.api_key["BearerToken"])
    assert sent == ["Bearer at 1000.0"] * 2 + ["Bearer at 1060.0"] * 2


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
