"""Flags, and every way not to start: one line on standard error, an exit code, nothing written."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.shell import process
from controller.shell.flags import main
from tests.fault_server import Answer, FaultServer, failure, write_kubeconfig


@pytest.fixture(autouse=True)
def _handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(process, "START_PATIENCE", 0.2)
    monkeypatch.setattr(process, "CRD_PATIENCE", 0.2)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    known = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in known.items():
        signal.signal(number, handler)


def start(*flags: str | Path) -> Result:
    return CliRunner().invoke(main, [str(flag) for flag in flags])


def complaint(result: Result) -> str:
    """The one line that is not of the log."""
    lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, result.output
    assert "Traceback" not in result.output
    return lines[0]


def test_help_is_quick_because_it_loads_nothing_that_it_does_not_need() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "controller", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "Examples:" in done.stdout
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert not loaded & {"kubernetes", "yaml", "prometheus_client", "tenacity", "urllib3"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (None, "No such file or directory"),
        ("{", "kubeconfig"),
        ("just text", "kubeconfig"),
    ],
)
def test_a_kubeconfig_that_cannot_be_used(tmp_path: Path, text: str | None, part: str) -> None:
    path = tmp_path / "a-file"
    if text is not None:
        path.write_text(text)
    result = start("--kubeconfig", path)
    assert result.exit_code == 2
    assert part in complaint(result)
    assert str(path) in complaint(result)


def test_a_directory_as_kubeconfig(tmp_path: Path) -> None:
    result = start("--kubeconfig", tmp_path)
    assert result.exit_code == 2
    assert "Is a directory" in complaint(result)


def test_an_unknown_context(server: FaultServer) -> None:
    result = start("--kubeconfig", server.kubeconfig, "--context", "elsewhere")
    assert result.exit_code == 2
    assert "elsewhere" in complaint(result)


def test_no_kubeconfig_outside_a_cluster() -> None:
    result = start()
    assert result.exit_code == 2
    assert "--kubeconfig" in complaint(result)


def test_a_bad_configuration_stops_before_the_cluster_is_touched(
    server: FaultServer, tmp_path: Path
) -> None:
    config = tmp_path / "controller.yaml"
    config.write_text(
        "apiVersion: scheduling.k8s.io/v1\nkind: KoordQueueConfiguration\n"
        "defaultReclaimProtectTime: 5 minutes\n"
    )
    result = start("--kubeconfig", server.kubeconfig, "--config", config)
    assert result.exit_code == 2
    assert f'{config}: defaultReclaimProtectTime: "5 minutes"' in complaint(result)
    assert server.requests() == []


@pytest.mark.parametrize(
    "flags",
    [
        ("--v", "ten"),
        ("--component", "scheduler"),
        ("--log-format", "xml"),
        ("--no-such-flag",),
        ("--metrics-bind-address", "8080"),
        ("--namespace", "Not A Name"),
    ],
)
def test_wrong_usage_is_code_2(server: FaultServer, flags: tuple[str, ...]) -> None:
    result = start("--kubeconfig", server.kubeconfig, *flags)
    assert result.exit_code == 2
    assert server.requests() == []


def test_a_taken_metrics_port(server: FaultServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        result = start("--kubeconfig", server.kubeconfig, "--metrics-bind-address", address)
    assert result.exit_code == 1
    assert f"{address}: Address already in use" in complaint(result)
    assert server.requests() == []


def test_a_server_that_cannot_be_reached(tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "nobody", "http://127.0.0.1:9")
    result = start("--kubeconfig", path)
    assert result.exit_code == 1
    assert "http://127.0.0.1:9 cannot be reached" in complaint(result)


def test_a_server_that_is_another_is_not_asked_twice(server: FaultServer, tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "tls", f"https://127.0.0.1:{server.port}")
    result = start("--kubeconfig", path)
    assert result.exit_code == 1
    assert "WRONG_VERSION_NUMBER" in complaint(result)
    assert "correct server or certificate-authority-data" in complaint(result)


def test_wrong_usage_is_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "controller", "--component", "scheduler"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: Invalid value for '--component': 'scheduler' is not one of")
    assert line.endswith("; see python -m controller --help")


def test_a_server_that_knows_no_such_user_is_not_asked_twice(server: FaultServer) -> None:
    server.script("GET", "/version", failure(401, "Unauthorized"))
    result = start("--kubeconfig", server.kubeconfig)
    assert result.exit_code == 1
    assert "refuses: 401" in complaint(result)
    assert len(server.requests()) == 1


def test_missing_crds_are_named_and_nothing_is_written(server: FaultServer) -> None:
    server.script("GET", "/version", Answer(200, {"gitVersion": "v1"}))
    result = start("--kubeconfig", server.kubeconfig, "--component", "extension")
    assert result.exit_code == 1
    assert "queueunits.scheduling.x-k8s.io is not installed" in complaint(result)
    assert {request.method for request in server.requests()} == {"GET"}


def test_lines_of_the_log_can_be_json(server: FaultServer) -> None:
    server.script("GET", "/version", Answer(200, {"gitVersion": "v1"}))
    result = start("--kubeconfig", server.kubeconfig, "--log-format", "json")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("error: ")]
    starts = next(one for one in map(json.loads, lines) if "starts" in one["message"])
    assert starts["server"] == server.url
    assert (starts["component"], starts["components"]) == ("process", "all")
    assert starts["level"] == "info"
