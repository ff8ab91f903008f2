"""Programs and pages that are not what a descriptor says: one line each, and nothing goes on."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from queuecheck.cluster.ports import free_ports
from queuecheck.implementation import ImplementationError, instance, pages
from tests.implementation.test_processes import implementation


class Nonsense(http.server.BaseHTTPRequestHandler):
    """Answers ``/text`` with no metrics, and anything else with what is no HTTP."""

    def do_GET(self) -> None:
        if self.path == "/text":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>{not metrics")
        else:
            self.wfile.write(b"SSH-2.0-OpenSSH\r\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def nonsense() -> Iterator[int]:
    """The port of a server that speaks nonsense."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Nonsense) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def refused_start(directory: Path, command: list[str], **changes: object) -> str:
    """The message of a start that fails, after whatever was started has been ended."""
    found = implementation(directory, command, components=("all",), **changes)
    try:
        with pytest.raises(ImplementationError) as told:
            found.start()
    finally:
        found.stop()
        assert not found._instances["all"].runs
    return str(told.value)


def test_a_command_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not executable", "utf-8")
    for command in ("no-such-program", str(tmp_path / "text"), str(tmp_path)):
        told = refused_start(tmp_path, [command])
        assert told == f"played 1: all: {command} is not a program that can be run"


def test_a_command_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instance, "READY_SECONDS", 0.1)
    told = refused_start(tmp_path, ["sleep", "600"])
    assert told == (
        "played 1: all is not ready: no 200 from http://{metrics_address}/readyz within 0.1 s"
    )


def test_a_command_that_answers_but_not_http(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonsense: int
) -> None:
    monkeypatch.setattr(instance, "READY_SECONDS", 0.1)
    monkeypatch.setattr(pages, "is_taken", lambda _: False)
    ready = {"path": "/readyz", "port": nonsense}
    told = refused_start(tmp_path, ["sleep", "600"], ready=ready)
    assert told.startswith("played 1: all is not ready: no 200 from http://127.0.0.1:")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/text", "not the Prometheus text format: "),
        ("/garbage", "SSH-2.0-OpenSSH"),
        (None, "Connection refused"),
    ],
)
def test_a_metrics_page_that_is_none(
    tmp_path: Path,
    nonsense: int,
    path: str | None,
    said: str,
) -> None:
    (dead,) = free_ports(1)
    port = dead if path is None else nonsense
    found = implementation(
        tmp_path,
        ["sleep", "600"],
        components=("all",),
        ready={"log": "it starts"},
        metrics={"path": path or "/metrics", "port": port},
    )
    with pytest.raises(ImplementationError) as told:
        found._instances["all"].samples()
    assert str(told.value).startswith(f"played 1: metrics at http://127.0.0.1:{port}/")
    assert said in str(told.value)
    assert "\n" not in str(told.value)
