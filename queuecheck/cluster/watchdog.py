"""Ends processes and removes directories as soon as whoever asked for it is gone.

Run as a program, on the standard library alone. It reads orders, one a line, from a pipe whose
other end only its owner holds; when the owner ends, for whatever reason (SIGKILL included), the
pipe closes, and the watchdog ends every process group and removes every directory it still has on
its list. ``prctl(PR_SET_PDEATHSIG)`` would do without a second process, but it fires when the
*thread* that forked ends, and exists on Linux only.

    + PID STARTED    watch over the group of this process
    - PID            it has ended
    d DIRECTORY      remove it, at the very end
    x DIRECTORY      it has been removed
"""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

GRACE_SECONDS = 1.0


def started(pid: int) -> str:
    """When the process began, in ticks since boot: with the pid, its identity. "" if unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    return stat.rsplit(")", 1)[1].split()[19]


def main() -> None:
    """Follows orders until the pipe closes, then clears up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    processes: dict[int, str] = {}
    directories: list[str] = []
    for line in sys.stdin:
        order, _, rest = line.rstrip("\n").partition(" ")
        if order == "+":
            pid, _, began = rest.partition(" ")
            processes[int(pid)] = began
        elif order == "-":
            processes.pop(int(rest), None)
        elif order == "d":
            directories.append(rest)
        elif order == "x" and rest in directories:
            directories.remove(rest)
    end(processes)
    remove(directories)


def end(processes: dict[int, str]) -> None:
    """TERM, a bounded wait, KILL: newest first, groups as a whole."""
    groups = [pid for pid, began in reversed(processes.items()) if started(pid) == began]
    for pid in groups:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and any(is_there(pid) for pid in groups):
        time.sleep(0.02)
    for pid in groups:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def is_there(group: int) -> bool:
    """Whether any process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def remove(directories: list[str]) -> None:
    """Removes what is still there; a process that is just ending may write once more."""
    if not directories:
        return
    import shutil  # noqa: PLC0415  (slow to import, and most often not needed)

    for directory in directories:
        for _ in range(20):
            shutil.rmtree(directory, ignore_errors=True)
            if not Path(directory).exists():
                break
            time.sleep(0.05)


if __name__ == "__main__":
    main()
