"""A scripted cluster: writes that come in at set times, on a clock that only waiting moves."""

import threading
from collections.abc import Callable
from typing import Any

from queuecheck.kube import KubeObject
from queuecheck.timeline import Budgets, Claims, State, Subject, Timeline

NAMESPACE = "team"
BUDGETS = {
    "create": 5.0,
    "admit": 5.0,
    "mark": 5.0,
    "reclaim": 5.0,
    "settle": 0.25,
    "absent": 5.0,
    "quiet": 2.0,
}


class ScriptedClock:
    """Waiting plays the next entry that is due; time passes in no other way."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._script: list[tuple[float, int, Callable[[], object]]] = []

    def now(self) -> float:
        return self._now

    def at(self, seconds: float, action: Callable[[], object]) -> None:
        self._script.append((1000.0 + seconds, len(self._script), action))
        self._script.sort(key=lambda entry: entry[:2])

    def wait(self, condition: threading.Condition, timeout: float) -> None:  # noqa: ARG002
        end = self._now + timeout
        if self._script and self._script[0][0] <= end:
            due, _, action = self._script.pop(0)
            self._now = max(self._now, due)
            action()
        else:
            self._now = end


class Stage:
    """A timeline with its clock, and claims about it."""

    def __init__(self, *, cross_kind_order: bool = True, command: str = "") -> None:
        self.clock = ScriptedClock()
        self.timeline = Timeline(self.clock)
        self.claims = Claims(
            self.timeline,
            budgets=Budgets.from_mapping(BUDGETS),
            cross_kind_order=cross_kind_order,
            command=command,
        )

    def write(
        self,
        kind: str,
        name: str,
        version: int,
        *,
        at: float | None = None,
        verb: str = "MODIFIED",
        uid: str = "",
        **fields: Any,
    ) -> None:
        """An object comes in at a time, or now."""
        found = thing(kind, name, version, uid=uid, **fields)
        if at is None:
            self.timeline.observe(kind, verb, found)  # type: ignore[arg-type]
        else:
            self.clock.at(at, lambda: self.timeline.observe(kind, verb, found))  # type: ignore[arg-type]


def thing(kind: str, name: str, version: int, *, uid: str = "", **fields: Any) -> KubeObject:
    metadata = {
        "name": name,
        "namespace": NAMESPACE,
        "uid": uid or f"{kind}-{name}",
        "resourceVersion": str(version),
    }
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


def unit(name: str) -> Subject:
    return Subject("Unit", NAMESPACE, name)


def job(name: str) -> Subject:
    return Subject("Job", NAMESPACE, name)


def has(subject: Subject, **fields: Any) -> State:
    """The object carries these top-level fields."""
    said = " and ".join(f"{key} {value}" for key, value in fields.items())
    return State(
        subject,
        f"{subject.label} has {said}",
        lambda found: found is not None and all(found.get(k) == v for k, v in fields.items()),
        tuple(fields),
    )
