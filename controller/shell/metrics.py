"""What ``/metrics`` shows.

``job_schedule_attempts`` and ``queueunits_in_active_queue`` are a contract down to the name:
prometheus_client's own Counter would call the first ``…_total``, so a collector of ours gives both
as untyped families. A queue that is gone takes its series with it. Safe to use from all threads.
"""

import threading
from collections.abc import Callable, Iterator, Mapping

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import UnknownMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

ATTEMPTS = "job_schedule_attempts"
ACTIVE = "queueunits_in_active_queue"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)


class _Queues(Collector):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attempts: dict[tuple[str, str], int] = {}
        self._active: dict[str, int] = {}

    def attempt(self, queue: str, result: str) -> None:
        with self._lock:
            self._attempts[queue, result] = self._attempts.get((queue, result), 0) + 1

    def active(self, units: Mapping[str, int]) -> set[str]:
        with self._lock:
            gone = self._active.keys() - units.keys()
            gone |= {queue for queue, _ in self._attempts} - units.keys()
            self._active = dict(units)
            self._attempts = {key: n for key, n in self._attempts.items() if key[0] not in gone}
        return gone

    def collect(self) -> Iterator[Metric]:
        attempts = UnknownMetricFamily(
            ATTEMPTS, "Attempts to admit a unit, by their result.", labels=["queue", "result"]
        )
        active = UnknownMetricFamily(
            ACTIVE, "Units of the queue that ask for something.", labels=["queue"]
        )
        with self._lock:
            for (queue, result), number in sorted(self._attempts.items()):
                attempts.add_metric([queue, result], number)
            for queue, number in sorted(self._active.items()):
                active.add_metric([queue], number)
        yield attempts
        yield active


class Metrics:
    """All series of one process."""

    def __init__(self) -> None:
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._queues = _Queues()
        self._registry.register(self._queues)
        self._decisions = Histogram(
            "queuecheck_decision_seconds",
            "Time to decide on one queue or Job, without its calls.",
            ["component"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._calls = Counter(
            "queuecheck_api_calls",
            "Requests to the API server; code 0 is no answer.",
            ["component", "verb", "kind", "code"],
            registry=self._registry,
        )
        self._watches = Counter(
            "queuecheck_watch_restarts",
            "Watches that ended and were started again.",
            ["component", "kind"],
            registry=self._registry,
        )
        self._leads = Gauge(
            "leader_election_master_status",
            "Whether this copy leads, under the name that client-go has for it.",
            ["name"],
            registry=self._registry,
        )
        self._rounds = Counter(
            "queuecheck_preemption_rounds",
            "Attempts that marked at least one victim.",
            ["queue"],
            registry=self._registry,
        )
        self._victims = Counter(
            "queuecheck_preemption_victims",
            "Units that were marked.",
            ["queue"],
            registry=self._registry,
        )

    def attempt(self, queue: str, result: str) -> None:
        """One more attempt to admit a unit of the queue."""
        self._queues.attempt(queue, result)

    def set_active(self, units: Mapping[str, int]) -> None:
        """How many units ask in each queue that exists; the others' series go."""
        for queue in self._queues.active(units):
            self._rounds.remove_by_labels({"queue": queue})
            self._victims.remove_by_labels({"queue": queue})

    def decided(self, component: str, seconds: float) -> None:
        """One more decision, and how long it took."""
        self._decisions.labels(component).observe(seconds)

    def api_call(self, component: str, verb: str, kind: str, code: str) -> None:
        """One more request."""
        self._calls.labels(component, verb, kind, code).inc()

    def watch_restarted(self, component: str, kind: str) -> None:
        """One more watch that ended."""
        self._watches.labels(component, kind).inc()

    def lease(self, name: str, *, leads: Callable[[], bool]) -> None:
        """A lease that this copy holds when ``leads`` says so."""
        self._leads.labels(name).set_function(lambda: float(leads()))

    def marked(self, queue: str, victims: int) -> None:
        """One more round, with so many victims."""
        self._rounds.labels(queue).inc()
        self._victims.labels(queue).inc(victims)

    def exposition(self) -> bytes:
        """The text of ``/metrics``."""
        return prometheus_client.generate_latest(self._registry)
