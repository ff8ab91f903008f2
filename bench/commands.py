"""How long the commands that people wait for take: ``python bench/commands.py [RUNS]``.

Whole processes, wall-clock seconds, after one run that does not count; the target is 0.5 s each.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

QUEUECHECK = str(Path(sys.executable).with_name("queuecheck"))
COMMANDS = (
    (QUEUECHECK, "--help"),
    (QUEUECHECK, "run", "--help"),
    (QUEUECHECK, "run", "--show-config"),
    (QUEUECHECK, "list"),
    (QUEUECHECK, "explain", "KQ-RCL-02"),
    (QUEUECHECK, "doctor"),
    (sys.executable, "-m", "controller", "--help"),
)


def seconds(command: tuple[str, ...]) -> float:
    """One run, its output thrown away."""
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begun


def main() -> None:
    """Prints a line for each command."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(f"{'command':<40} {'min':>7} {'median':>7} {'max':>7}  seconds, {runs} runs")
    for command in COMMANDS:
        seconds(command)
        measured = [seconds(command) for _ in range(runs)]
        name = " ".join((Path(command[0]).name, *command[1:]))
        row = (min(measured), statistics.median(measured), max(measured))
        print(f"{name:<40} " + " ".join(f"{value:7.3f}" for value in row))


if __name__ == "__main__":
    main()
