"""An implementation as child processes, played by a small program."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from queuecheck.cluster import Cluster
from queuecheck.cluster.ports import free_ports
from queuecheck.implementation import ImplementationError, instance
from queuecheck.implementation.descriptor import parse_descriptor
from queuecheck.implementation.processes import ProcessImplementation

PROGRAM = """
import http.server
import sys
from pathlib import Path

kubeconfig, config, address = sys.argv[1:4]
print("with", Path(kubeconfig).name, Path(config).read_text().strip(), flush=True)
print(Path(kubeconfig).read_text(), flush=True)
if "refused" in Path(config).read_text():
    raise SystemExit("no such setting")
host, port = address.rsplit(":", 1)


PAGE = b'# TYPE waiting counter\\nwaiting{queue="team",} 3\\n'


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = PAGE if self.path == "/metrics" else b"ok"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        print("asked", self.path, flush=True)


server = http.server.HTTPServer((host, int(port)), Pages)
print("serves", flush=True)
server.serve_forever()
"""


class FakeCluster:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @property
    def kubeconfig(self) -> Path:
        return self.kubeconfig_for("admin")

    def kubeconfig_for(self, user: str, *, account: str | None = None) -> Path:  # noqa: ARG002
        file = self._directory / f"{user}.kubeconfig"
        document = {
            "clusters": [{"name": "c", "cluster": {"server": "https://real", "insecure": True}}],
            "users": [{"name": user, "user": {"token": "secret"}}],
        }
        file.write_text(yaml.safe_dump(document), "utf-8")
        return file


def implementation(
    directory: Path,
    command: list[str],
    *,
    components: tuple[str, ...] = ("queue", "extension"),
    **changes: Any,
) -> ProcessImplementation:
    entries: list[dict[str, Any]] = [
        {
            "component": component,
            "command": command,
            "user": f"user-{component}",
            "ready": {"path": "/readyz"},
            "metrics": {"path": "/metrics"},
            **changes,
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
    return ProcessImplementation(
        described, cast("Cluster", FakeCluster(directory)), directory=directory
    )


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
    number = played._instances[component].pid
    assert number is not None
    return number


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
    played: ProcessImplementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance, "STOP_SECONDS", 60.0)
    played.hold("queue")
    child = played._instances["queue"]._child
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
    child = played._instances["queue"]._child
    assert child is not None
    child.wait(60)
    reason = played.alive()
    assert reason is not None
    assert reason.startswith("queue was ended by SIGKILL; its last lines:\n")
    assert "with user-queue.kubeconfig" in reason


def test_restore_undoes_what_a_scenario_did(played: ProcessImplementation) -> None:
    played.hold("extension")
    os.kill(pid(played, "queue"), signal.SIGKILL)
    child = played._instances["queue"]._child
    assert child is not None
    child.wait(60)
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


def test_one_component_is_stopped_and_started_by_itself(played: ProcessImplementation) -> None:
    queue, extension = pid(played, "queue"), pid(played, "extension")
    played.stop("queue")
    assert not Path(f"/proc/{queue}").exists()
    assert pid(played, "extension") == extension
    played.start("queue")
    assert pid(played, "queue") != queue
    played.restart("extension")
    assert pid(played, "extension") != extension
    played.kill("extension")
    assert played.alive() is None


def test_without_a_name_all_are_held_and_let_go(played: ProcessImplementation) -> None:
    played.hold()
    assert {state(pid(played, name)) for name in played.instances} == {"T"}
    played.release()
    assert "T" not in {state(pid(played, name)) for name in played.instances}


def test_another_configuration_is_given_to_what_runs_and_taken_back(
    played: ProcessImplementation,
) -> None:
    played.stop("extension")
    played.reconfigure({**played.config, "time": "5s"})
    mark = played.log_mark()
    assert '"time": "5s"' in played.logs()["queue"]
    played.start("extension")
    assert '"time": "5s"' in played.logs(since=mark)["extension"]
    mark = played.log_mark()
    played.restore()
    assert '"time"' not in played.logs(since=mark)["queue"]
    assert "with user-extension" in played.logs(since=mark)["extension"]


def test_another_configuration_starts_anew_only_those_that_read_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = ["{python}", str(program), "{kubeconfig}", "{config}", "{metrics_address}"]
    found = implementation(tmp_path, command)
    deaf = ["/dev/null" if word == "{config}" else word for word in command]
    extension = found._instances["extension"]
    extension.process = replace(extension.process, command=tuple(deaf))
    found.start()
    try:
        before = {name: pid(found, name) for name in found.instances}
        found.reconfigure({"kind": "Another"})
        assert pid(found, "extension") == before["extension"]
        assert pid(found, "queue") != before["queue"]
        found.restore()
        assert pid(found, "extension") == before["extension"]
    finally:
        found.stop()


def test_restore_leaves_alone_what_runs_as_described(played: ProcessImplementation) -> None:
    played.reconfigure(played.config)
    numbers = [pid(played, name) for name in played.instances]
    played.restore()
    assert [pid(played, name) for name in played.instances] == numbers


def test_a_second_instance_has_a_log_and_pages_of_its_own(played: ProcessImplementation) -> None:
    assert played.second("queue") == "queue-2"
    assert len(played.metrics("queue-2")) == 1
    assert "asked /metrics" in played.logs()["queue-2"]
    assert "asked /metrics" not in played.logs()["queue"]
    played.hold("queue")
    assert state(pid(played, "queue-2")) != "T"
    number = pid(played, "queue-2")
    played.kill("queue-2")
    assert not Path(f"/proc/{number}").exists()
    played.restore()
    assert played.instances == ("queue", "extension")
    assert state(pid(played, "queue")) != "T"


def test_no_third_instance_is_started(played: ProcessImplementation) -> None:
    played.second("queue")
    with pytest.raises(ImplementationError, match="queue has a second instance already"):
        played.second("queue")


def test_another_way_to_the_server_keeps_the_user(played: ProcessImplementation) -> None:
    mark = played.log_mark()
    played.reroute("http://127.0.0.1:1")
    said = played.logs(since=mark)["queue"]
    assert "server: http://127.0.0.1:1" in said
    assert "insecure" not in said
    assert "token: secret" in said
    mark = played.log_mark()
    played.restore()
    assert "server: https://real" in played.logs(since=mark)["queue"]


def test_another_way_to_the_server_by_tls_keeps_how_to_know_it(
    played: ProcessImplementation,
) -> None:
    mark = played.log_mark()
    played.reroute("https://127.0.0.1:1")
    assert "insecure: true" in played.logs(since=mark)["queue"]


def test_one_instance_alone_can_go_another_way(played: ProcessImplementation) -> None:
    numbers = {name: pid(played, name) for name in played.instances}
    mark = played.log_mark()
    played.reroute("http://127.0.0.1:1", "queue")
    assert "server: http://127.0.0.1:1" in played.logs(since=mark)["queue"]
    mark = played.log_mark()
    played.second("queue")
    assert "server: https://real" in played.logs()["queue-2"]
    played.restore()
    assert "server: https://real" in played.logs(since=mark)["queue"]
    assert pid(played, "extension") == numbers["extension"]


def test_an_attempt_to_start_is_told_and_touches_nothing_else(
    played: ProcessImplementation,
) -> None:
    numbers = [pid(played, name) for name in played.instances]
    refused = played.attempt({"refused": True})
    assert refused.exit_code == 1
    assert "no such setting" in refused.output
    assert "refused" in refused.file.read_text("utf-8")
    assert [pid(played, name) for name in played.instances] == numbers
    assert "refused" not in played.logs()["queue"]


def test_an_attempt_that_succeeds_is_ended_once_it_is_ready(
    played: ProcessImplementation,
) -> None:
    attempt = played.attempt("as: it stands", component="extension")
    assert attempt.exit_code is None
    assert "as: it stands" in attempt.output
    assert "asked /readyz" in attempt.output


@pytest.fixture
def settled(tmp_path: Path) -> Iterator[ProcessImplementation]:
    """One component whose pages are at a port of its own, and whose log says that it is ready."""
    (port,) = free_ports(1)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    found = implementation(
        tmp_path,
        ["{python}", str(program), "{kubeconfig}", "{config}", f"127.0.0.1:{port}"],
        components=("queue",),
        ready={"log": "serves"},
        metrics={"path": "/metrics", "port": port},
    )
    found.start()
    yield found
    found.stop()


def test_pages_at_a_port_of_the_programs_own_are_read_there(settled: ProcessImplementation) -> None:
    assert [sample.value for sample in settled.metrics()] == [3.0]


def test_what_the_log_said_before_makes_nothing_ready(settled: ProcessImplementation) -> None:
    settled.restart()
    assert [sample.value for sample in settled.metrics()] == [3.0]


def test_of_what_has_ports_of_its_own_there_is_no_second_instance(
    settled: ProcessImplementation,
) -> None:
    with pytest.raises(ImplementationError, match="queue has ports of its own"):
        settled.second("queue")


def test_an_attempt_takes_turns_with_what_has_the_same_ports(
    settled: ProcessImplementation,
) -> None:
    number = pid(settled, "queue")
    assert settled.attempt({"refused": True}).exit_code == 1
    assert settled.attempt({"kind": "accepted"}).exit_code is None
    assert pid(settled, "queue") != number
    assert len(settled.metrics()) == 1


def test_a_port_that_somebody_else_has_is_told(settled: ProcessImplementation) -> None:
    process = settled._instances["queue"].process
    (port,) = process.own_ports
    other = ProcessImplementation(
        replace(settled._descriptor, name="other"), settled._cluster, directory=settled._directory
    )
    with pytest.raises(ImplementationError, match=f"other 1: port {port}, which queue cannot do"):
        other.start()


def test_what_is_uninstalled_runs_no_more(played: ProcessImplementation) -> None:
    numbers = [pid(played, name) for name in played.instances]
    played.uninstall()
    assert not any(Path(f"/proc/{number}").exists() for number in numbers)
    assert played.alive() is None


def test_an_unknown_component_is_refused(played: ProcessImplementation) -> None:
    with pytest.raises(ImplementationError, match="no component jobs; it has queue, extension"):
        played.hold("jobs")
