"""What a decision costs in a long queue: ``python bench/decisions.py``.

N equal units wait in a full queue; then one unit's ``running`` changes, and the queue is planned
again. The cost of taking in the change must not grow with N; that of the plan may, by little.
"""

from __future__ import annotations

import time
from typing import Any

from controller.core import QueueLedger
from controller.core.decisions import Kind

SIZES = (100, 1_000, 10_000)
QUOTA: dict[str, Any] = {
    "metadata": {
        "namespace": "bench",
        "name": "team",
        "uid": "quota",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "annotations": {"koord-queue/wait-for-pods-running": "true"},
    },
    "spec": {"max": {"cpu": "1"}},
}
QUEUE: dict[str, Any] = {
    "metadata": {
        "namespace": "koord-queue",
        "name": "team",
        "uid": "queue",
        "annotations": {"koord-queue/wait-for-pods-running": "true"},
    },
    "spec": {"queuePolicy": "Priority"},
}


def unit(number: int, **status: Any) -> dict[str, Any]:
    """A unit of one pod of 1 cpu; without a status it waits, refused by the filter."""
    pod = {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}
    return {
        "metadata": {
            "namespace": "bench",
            "name": f"unit-{number:06}",
            "uid": f"unit-{number}",
            "resourceVersion": str(number + 1),
            "creationTimestamp": f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}Z",
            "labels": {"quota.scheduling.koordinator.sh/name": "team"},
        },
        "spec": {"priority": number % 10, "podSet": [{"name": "main", "template": pod}]},
        "status": status
        or {
            "phase": "Enqueued",
            "attempts": 1,
            "message": "limited quotaName:team, limited resKey:cpu,; preempt failed",
        },
    }


def admitted(running: int) -> dict[str, Any]:
    """The unit that fills the queue."""
    entry = {"name": "main", "replicas": 1, "running": running}
    return unit(0, phase="Dequeued", admissions=[entry])


def main() -> None:
    """Prints a line for each size."""
    print(f"{'waiting':>8} {'fill':>10} {'change':>10} {'plan':>10}  milliseconds")
    for size in SIZES:
        ledger = QueueLedger(namespace="koord-queue")
        begun = time.perf_counter()
        ledger.apply(Kind.QUOTA, QUOTA, deleted=False)
        ledger.apply(Kind.QUEUE, QUEUE, deleted=False)
        ledger.apply(Kind.UNIT, admitted(0), deleted=False)
        for number in range(1, size + 1):
            ledger.apply(Kind.UNIT, unit(number), deleted=False)
        filled = time.perf_counter()
        ledger.plan("team", 0.0)
        begun_change = time.perf_counter()
        ledger.apply(Kind.UNIT, admitted(1), deleted=False)
        changed = time.perf_counter()
        ledger.plan("team", 0.0)
        planned = time.perf_counter()
        row = (filled - begun, changed - begun_change, planned - changed)
        print(f"{size:>8} " + " ".join(f"{1000 * value:10.2f}" for value in row))


if __name__ == "__main__":
    main()
