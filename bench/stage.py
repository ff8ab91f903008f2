"""How long a worker takes until its first scenario: ``python bench/stage.py [WORKERS] [RUNS]``.

Each worker is a process of its own that brings up a control plane and the reference controller and
plays the canary. A row tells, for each, the seconds from the start of the processes until it was
ready, and how many of them its stage took (the rest is Python's own start).
"""

from __future__ import annotations

import subprocess
import sys
import time

READY = """
import pathlib, sys, tempfile, time
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import packaged_descriptor
from queuecheck.timeline import Budgets
from queuecheck.world import Stage
with tempfile.TemporaryDirectory() as directory:
    stage = Stage(run="bench", worker=sys.argv[1], descriptor=packaged_descriptor("reference"),
        cluster=ClusterChoice(), budgets=Budgets(), evidence_directory=pathlib.Path(directory))
    began = time.perf_counter()
    stage.open()
    print(time.perf_counter() - began, flush=True)
    sys.stdin.read()
    stage.close()
"""


def ready_after(workers: int) -> list[tuple[float, float]]:
    """Seconds until each of so many workers, started together, was ready; and of its stage."""
    began = time.perf_counter()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", READY, f"gw{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in range(workers)
    ]
    seconds = []
    for process in processes:
        assert process.stdout is not None
        stage = float(process.stdout.readline())
        seconds.append((time.perf_counter() - began, stage))
    for process in processes:
        process.communicate()
    return seconds


def main() -> None:
    """Prints a row for each run."""
    words = sys.argv[1:]
    workers = int(words[0]) if words else 2
    runs = int(words[1]) if len(words) > 1 else 5
    for _ in range(runs):
        row = (f"{ready:5.2f} (stage {stage:4.2f})" for ready, stage in ready_after(workers))
        print("  ".join(row), " seconds")


if __name__ == "__main__":
    main()
