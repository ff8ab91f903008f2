"""A run on a cluster that is not ours leaves it as it found it, however the run ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from queuecheck import resources
from queuecheck.kube import Api, Changed, Listed, ListWatch
from queuecheck.kube.resource import NAMESPACES
from queuecheck.world.names import REQUIREMENT_LABEL, RUN_LABEL
from tests.existing.listing import changes, listing
from tests.existing.somebodys import SECONDS, Somebodys, play

LONG = "KQ-OBS-10"  # ten idle seconds, in which a run can be ended
NOTHING = resources.CHECKOUT / "tests" / "vacuity" / "nothing.yaml"
SPARED = resources.CHECKOUT / "tests" / "vacuity" / "spared.yaml"


# A control plane is there already; a busy machine takes its time for the rest.
BEGIN_SECONDS = 120


def run(*words: str) -> tuple[str, ...]:
    return ("run", "--nodes", "simulated", *words)


def test_after_scenarios_that_pass(somebodys: Somebodys) -> None:
    before = listing(somebodys.admin)
    ids = ("--id", "KQ-SEQ-01", "--id", "KQ-QUE-16", "--id", "KQ-ROB-02")
    answer = play(somebodys.queuecheck(*run(*ids)))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert changes(before, listing(somebodys.admin)) == [], answer.stdout + answer.stderr


def test_after_scenarios_that_fail(somebodys: Somebodys) -> None:
    before = listing(somebodys.admin)
    words = ("--id", "KQ-SEQ-01", "--implementation", str(NOTHING), "--must-fail", str(SPARED))
    answer = play(somebodys.queuecheck(*run(*words, "--timeout-scale", "0.03")))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert changes(before, listing(somebodys.admin)) == [], answer.stdout + answer.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_after_an_interruption(somebodys: Somebodys, number: signal.Signals) -> None:
    before = listing(somebodys.admin)
    with in_the_middle(somebodys) as process:
        process.send_signal(number)
        said, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 5, said
    assert changes(before, listing(somebodys.admin)) == [], said


def test_after_a_kill_and_a_clean(somebodys: Somebodys) -> None:
    before = listing(somebodys.admin)
    with in_the_middle(somebodys) as process:
        process.kill()
        process.communicate(timeout=SECONDS)
    shown = play(somebodys.queuecheck("clean"))
    assert shown.returncode == 2
    assert "would go" in shown.stderr
    left = listing(somebodys.admin)
    assert len(left) > len(before)
    cleaned = play(somebodys.queuecheck("clean", "--yes"))
    assert cleaned.returncode == 0, cleaned.stdout + cleaned.stderr
    assert "all of it is gone" in cleaned.stdout
    assert changes(before, listing(somebodys.admin)) == [], cleaned.stdout
    again = play(somebodys.queuecheck("clean"))
    assert (again.returncode, "nothing of any run is there" in again.stdout) == (0, True)


@contextmanager
def in_the_middle(somebodys: Somebodys) -> Iterator[subprocess.Popen[str]]:
    """A run that is in the middle of a scenario."""
    process = subprocess.Popen(
        somebodys.queuecheck(*run("--id", LONG)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=resources.CHECKOUT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        await_scenario(somebodys.admin, process)
        yield process
    finally:
        process.kill()
        process.communicate()


def await_scenario(api: Api, process: subprocess.Popen[str]) -> None:
    """Returns when a scenario's namespace is there; a run that ends before has failed."""
    watch = ListWatch(api, NAMESPACES, label_selector=f"{RUN_LABEL},{REQUIREMENT_LABEL}")

    def stop_with_the_run() -> None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(BEGIN_SECONDS)
        watch.stop()

    threading.Thread(target=stop_with_the_run, daemon=True).start()
    try:
        for item in watch:
            seen = item.objects if isinstance(item, Listed) else ()
            if seen or (isinstance(item, Changed) and item.verb == "ADDED"):
                return
    finally:
        watch.stop()
    process.kill()
    assert process.stdout is not None
    pytest.fail(f"no scenario began; the run said: {process.stdout.read()}")
