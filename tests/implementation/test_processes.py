"""An implementation as child processes, played by a small program."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from queuecheck.cluster import Cluster
from queuecheck.implementation import ImplementationError
from queuecheck.implementation.descriptor import parse_descriptor
from queuecheck.implementation.processes import ProcessImplementation

PROGRAM = """
import http.server
import sys
from pathlib import Path

kubeconfig, config, address = sys.argv[1:4]
print("with", Path(kubeconfig).name, Path(config).read_text().strip(), flush=True)
host, port = address.rsplit(":", 1)


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = b'waiting{queue="team",} 3\\n' if self.path == "/metrics" else b"ok"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        print("asked", self.path, flush=True)


http.server.HTTPServer((host, int(port)), Pages).serve_forever()
"""


class FakeCluster:
    kubeconfig = Path("/admin.kubeconfig")

    def kubeconfig_for(self, user: str) -> Path:
        return Path(f"/{user}.kubeconfig")


def implementation(
    directory: Path, command: list[str], *, components: tuple[str, ...] = ("queue", "extension")
) -> ProcessImplementation:
    entries: list[dict[str, Any]] = [
        {
            "component": component,
            "command": command,
            "user": f"user-{component}",
            "ready": {"path": "/readyz"},
            "metrics": {"path": "/metrics"},
        }
        for component in components
    ]
    described = parse_descriptor(
        {
            "name": "played",
            "version": "1",
            "profile": "koord-queue",
            "features": [],
            "config": {"kind": "Configuration"},
            "processes": entries,
        }
    )
    return ProcessImplementation(described, cast("Cluster", FakeCluster()), directory=directory)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[ProcessImplementation]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = ["{python}", str(program), "{kubeconfig}", "{config}", "{metrics_address}"]
    found = implementation(tmp_path, command)
    found.start()
    yield found
    found.stop()


def pid(played: ProcessImplementation, component: str) -> int:
    child = played._components[component].child
    assert child is not None
    assert child.pid is not None
    return child.pid


def state(number: int) -> str:
    return Path(f"/proc/{number}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0]


def test_each_component_gets_its_users_kubeconfig_and_the_configuration(
    played: ProcessImplementation,
) -> None:
    logs = played.logs()
    assert 'with user-queue.kubeconfig {\n  "kind": "Configuration"\n}' in logs["queue"]
    assert "with user-extension.kubeconfig" in logs["extension"]


def test_metrics_are_the_samples_of_every_component(played: ProcessImplementation) -> None:
    samples = played.metrics()
    assert [(each.name, each.labels, each.value) for each in samples] == [
        ("waiting", {"queue": "team"}, 3.0)
    ] * 2


def test_a_held_component_stands_still_and_the_other_goes_on(
    played: ProcessImplementation,
) -> None:
    played.hold("queue")
    assert state(pid(played, "queue")) == "T"
    assert state(pid(played, "extension")) != "T"
    played.release("queue")
    assert state(pid(played, "queue")) != "T"
    assert len(played.metrics()) == 2


def test_a_held_component_stops_without_waiting_for_the_kill(
    played: ProcessImplementation,
) -> None:
    played.hold("queue")
    child = played._components["queue"].child
    assert child is not None
    played.stop()
    assert child.exit_code == -signal.SIGTERM


def test_kill_is_a_crash_that_was_asked_for(played: ProcessImplementation) -> None:
    number = pid(played, "queue")
    played.kill()
    assert not Path(f"/proc/{number}").exists()
    assert played.alive() is None
    played.start()
    assert pid(played, "queue") != number
    assert played.restart_count == 2


def test_an_end_that_nobody_asked_for_is_told_with_the_last_lines(
    played: ProcessImplementation,
) -> None:
    assert played.alive() is None
    os.kill(pid(played, "queue"), signal.SIGKILL)
    child = played._components["queue"].child
    assert child is not None
    child.wait(5)
    reason = played.alive()
    assert reason is not None
    assert reason.startswith("queue was ended by SIGKILL; its last lines:\n")
    assert "with user-queue.kubeconfig" in reason


def test_restore_undoes_what_a_scenario_did(played: ProcessImplementation) -> None:
    played.hold("extension")
    os.kill(pid(played, "queue"), signal.SIGKILL)
    child = played._components["queue"].child
    assert child is not None
    child.wait(5)
    played.restore()
    assert played.alive() is None
    assert len(played.metrics()) == 2


def test_a_log_is_read_from_a_mark_on(played: ProcessImplementation) -> None:
    mark = played.log_mark()
    assert set(played.logs(since=mark).values()) == {""}
    played.metrics()
    assert "asked /metrics" in played.logs(since=mark)["queue"]
    assert "with" not in played.logs(since=mark)["queue"]


def test_a_program_that_ends_at_once_is_told_with_its_words(tmp_path: Path) -> None:
    command = ["{python}", "-c", "print('no such cluster'); raise SystemExit(3)"]
    found = implementation(tmp_path, command, components=("all",))
    with pytest.raises(ImplementationError) as told:
        found.start()
    assert str(told.value) == (
        "played 1: all ended with exit code 3; its last lines:\nno such cluster"
    )


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = implementation(tmp_path, ["no-such-program"], components=("all",))
    with pytest.raises(ImplementationError, match="no-such-program is not a program"):
        found.start()


def test_an_unknown_component_is_refused(played: ProcessImplementation) -> None:
    with pytest.raises(ImplementationError, match="no component jobs; it has queue, extension"):
        played.hold("jobs")
