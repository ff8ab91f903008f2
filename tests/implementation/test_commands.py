"""Commands in place of verbs: a program of the test's own that writes down what it is asked."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from queuecheck.cluster import Cluster
from queuecheck.implementation import Implementation, ImplementationError, implement
from queuecheck.implementation.descriptor import parse_descriptor

PROGRAM = """
import sys
from pathlib import Path

verb, instance, *rest = sys.argv[1:]
if verb == "logs":
    sys.stdout.write(Path("asked").read_text())
elif verb == "metrics":
    print(f'waiting{{of="{instance}"}} 3')
elif verb == "uninstall":
    sys.exit("one\\ntwo\\nno such release")
else:
    said = [verb, instance, *(Path(each).read_text() for each in rest)]
    with Path("asked").open("a") as file:
        file.write(" ".join(" ".join(said).split()) + "\\n")
"""
CONFIG = {"kind": "Configuration"}


class FakeCluster:
    capabilities = frozenset({"simulated-nodes"})

    def __init__(self, directory: Path) -> None:
        self.kubeconfig = directory / "admin.kubeconfig"
        self.kubeconfig.write_text(yaml.safe_dump({"clusters": []}), "utf-8")


def commanded(directory: Path, verbs: dict[str, list[str]]) -> Implementation:
    sleep = ["{python}", "-c", "import time; time.sleep(60)"]
    descriptor = parse_descriptor(
        {
            "name": "played",
            "version": "1",
            "profile": "koord-queue",
            "features": [],
            "config": CONFIG,
            "processes": [{"component": each, "command": sleep} for each in ("queue", "extension")],
            "verbs": verbs,
        }
    )
    return implement(descriptor, cast("Cluster", FakeCluster(directory)), directory=directory)


def own(directory: Path, *verbs: str) -> dict[str, list[str]]:
    program = directory / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    extra: dict[str, list[str]] = {"reconfigure": ["{config}"]}
    return {
        each: ["{python}", str(program), each, "{instance}", *extra.get(each, [])] for each in verbs
    }


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Implementation]:
    verbs = own(tmp_path, "hold", "release", "reconfigure", "logs", "metrics", "uninstall")
    found = commanded(tmp_path, verbs)
    found.start()
    yield found
    found.close()


def asked(directory: Path) -> list[str]:
    return (directory / "asked").read_text("utf-8").splitlines()


def test_a_command_is_run_for_each_instance(tmp_path: Path, played: Implementation) -> None:
    played.hold()
    played.release("queue")
    assert asked(tmp_path) == ["hold queue", "hold extension", "release queue"]


def test_what_was_held_is_released_when_the_scenario_ends(
    tmp_path: Path, played: Implementation
) -> None:
    played.hold("extension")
    played.restore()
    played.restore()
    assert asked(tmp_path) == ["hold extension", "release extension"]


def test_the_configuration_is_a_file_and_goes_back_to_its_own(
    tmp_path: Path, played: Implementation
) -> None:
    played.reconfigure({**CONFIG, "time": "5s"})
    played.restore()
    assert asked(tmp_path)[0] == 'reconfigure queue { "kind": "Configuration", "time": "5s" }'
    assert asked(tmp_path)[2] == 'reconfigure queue { "kind": "Configuration" }'
    assert len(asked(tmp_path)) == 4


def test_what_it_prints_is_the_log_from_a_mark_on(played: Implementation) -> None:
    played.hold("queue")
    mark = played.log_mark()
    played.release("queue")
    assert played.logs(since=mark) == dict.fromkeys(("queue", "extension"), "release queue\n")


def test_what_it_prints_is_a_metrics_page(played: Implementation) -> None:
    (sample,) = played.metrics("queue")
    assert (sample.name, sample.labels, sample.value) == ("waiting", {"of": "queue"}, 3.0)


def test_other_verbs_are_done_as_ever(tmp_path: Path, played: Implementation) -> None:
    played.restart("queue")
    assert played.alive() is None
    assert played.restart_count == 1
    assert not (tmp_path / "asked").exists()


def test_a_command_that_fails_is_told_with_its_last_words(played: Implementation) -> None:
    with pytest.raises(ImplementationError) as told:
        played.uninstall()
    assert str(told.value).startswith("played 1: uninstall of queue: ")
    assert str(told.value).endswith("ended with exit code 1; it said:\none\ntwo\nno such release")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-program"], "no-such-program is not a program that can be run"),
        (["sleep", "60"], "sleep has not ended within 0.2 s"),
    ],
)
def test_a_command_that_cannot_be_run_or_hangs_is_one_line(
    tmp_path: Path, command: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("queuecheck.implementation.commands.COMMAND_SECONDS", 0.2)
    found = commanded(tmp_path, {"kill": command})
    with pytest.raises(ImplementationError) as told:
        found.kill("queue")
    assert str(told.value) == f"played 1: kill of queue: {message}"


def test_a_file_that_is_no_program_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "broken"
    file.write_bytes(b"\0")
    file.chmod(0o755)
    found = commanded(tmp_path, {"kill": [str(file)]})
    with pytest.raises(ImplementationError) as told:
        found.kill("queue")
    assert str(told.value) == f"played 1: kill of queue: {file}: Exec format error"


@pytest.mark.parametrize("at_once", [True, False], ids=["as it begins", "while it runs"])
def test_an_interruption_ends_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, at_once: bool
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    came: list[bool] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *words: Any, **how: Any) -> None:
            super().__init__(*words, **how)
            started.append(self)
            if at_once:
                self._interrupt()

        def communicate(self, *args: Any, **options: Any) -> Any:
            if not came:
                self._interrupt()
            return super().communicate(*args, **options)

        def _interrupt(self) -> None:
            came.append(True)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("queuecheck.implementation.commands.subprocess.Popen", Interrupted)
    found = commanded(tmp_path, {"kill": ["sleep", "60"]})
    with pytest.raises(KeyboardInterrupt):
        found.kill("queue")
    (process,) = started
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("act", "undone"),
    [
        (lambda found: found.hold("queue"), ["release queue"]),
        (
            lambda found: found.reconfigure({**CONFIG, "time": "5s"}),
            [
                f'reconfigure {each} {{ "kind": "Configuration" }}'
                for each in ("queue", "extension")
            ],
        ),
    ],
    ids=["hold", "reconfigure"],
)
def test_what_an_interrupted_command_has_done_is_undone(
    tmp_path: Path,
    played: Implementation,
    act: Callable[[Implementation], object],
    undone: list[str],
) -> None:
    class Interrupted(subprocess.Popen[bytes]):
        def communicate(self, *args: Any, **options: Any) -> Any:
            super().communicate(*args, **options)
            patching.undo()
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr("queuecheck.implementation.commands.subprocess.Popen", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            act(played)
    played.restore()
    assert asked(tmp_path)[1:] == undone


def test_an_end_by_a_command_was_asked_for_until_it_is_taken_back(tmp_path: Path) -> None:
    kill = "import os; os.kill(int(open('pid').read()), 9)"
    found = commanded(tmp_path, {"kill": ["{python}", "-c", kill]})
    found.start()
    processes = cast("Any", found)._inner._instances
    (tmp_path / "pid").write_text(str(processes["queue"].pid), "utf-8")
    found.kill("queue")
    processes["queue"]._child.wait(60)
    assert found.alive() is None
    assert not processes["queue"].runs
    found.restore()
    assert processes["queue"].runs
    found.close()
