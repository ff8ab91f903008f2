"""A ledger and a leadership that do as they are told, and a server that has what they look at."""

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from controller.core.decisions import Kind, Object, Ref, Write
from controller.shell.component import Component
from controller.shell.signs import Signs
from controller.shell.work import Step
from queuecheck.kube import KubeObject
from tests.fault_server import PATIENCE, FaultServer, Stream, listing

LIST = "/apis/scheduling.x-k8s.io/v1alpha1/queueunits"
QUEUES = "/apis/scheduling.x-k8s.io/v1alpha1/queues"
UNIT = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/queueunits/{}/status"
Start = Callable[..., Component[str]]


def unit(name: str, version: int, message: str = "") -> KubeObject:
    return {
        "metadata": {
            "namespace": "ns",
            "name": name,
            "uid": f"uid-{name}",
            "resourceVersion": str(version),
        },
        "status": {"message": message},
    }


class ScriptedWork:
    """Remembers what it is told; ``on_step`` decides.

    Whoever waits is woken when a step is noted, and again when ``on_step`` has returned: what that
    notes itself is there only then.
    """

    component = "queue"
    kinds: tuple[Kind, ...] = (Kind.UNIT,)

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.objects: dict[str, str] = {}
        self.steps: list[tuple[str, Any]] = []
        self.failures = 0
        self.on_step: Callable[[], Step] = Step

    def apply(self, kind: Kind, found: Object, *, deleted: bool) -> Iterable[str]:
        assert kind in self.kinds
        name = found["metadata"]["name"]
        with self.changed:
            if deleted:
                self.objects.pop(name, None)
            else:
                self.objects[name] = found["metadata"]["resourceVersion"]
            self.changed.notify_all()
        return [name]

    def step(self, key: str, now: float, resume: Any) -> Step:
        assert now > 0
        with self.changed:
            self.steps.append((key, resume))
            self.changed.notify_all()
        step = self.on_step()
        with self.changed:
            self.changed.notify_all()
        return step

    def keys(self) -> Iterable[str]:
        return list(self.objects)

    def failed(self) -> None:
        with self.changed:
            self.failures += 1
            self.changed.notify_all()

    def label(self, key: str) -> str:
        return f"queue of {key}"

    def active(self) -> Mapping[str, int] | None:
        return {"team": len(self.objects)}

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE), (self.objects, self.steps)


class ScriptedLeadership:
    """Leads when told to, or in a term from the first."""

    def __init__(self, *, term: int | None = None) -> None:
        self.now = term
        self.refuses = False
        self.returned = False
        self._heard: Callable[[], None] = lambda: None

    def lead(self, term: int | None) -> None:
        self.now, self.refuses = term, False
        self._heard()

    def term(self) -> int | None:
        return None if self.refuses else self.now

    def permits(self) -> bool:
        return self.term() is not None

    def begin(self, *, heard: Callable[[], None]) -> None:
        self._heard = heard

    def run(self) -> None:
        pass

    def give_back(self) -> None:
        self.returned = True


class ToldSigns(Signs):
    """Signs that a test can wait for, on a clock that goes only when told to."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda: self.now)
        self._asleep: defaultdict[str, float] = defaultdict(float)
        self._given = threading.Condition()

    def give(self, *, asleep: float = 0.0) -> None:
        super().give(asleep=asleep)
        with self._given:
            self._asleep[threading.current_thread().name] = asleep
            self._given.notify_all()

    def wait_for(self, thread: str, condition: Callable[[float], bool]) -> float:
        """How long the thread means to sleep, once that is such."""
        with self._given:
            told = self._given.wait_for(lambda: condition(self._asleep[thread]), PATIENCE)
            assert told, self._asleep
            return self._asleep[thread]


def sleeps(asleep: float) -> bool:
    """Whether a worker that leads has nothing to do for now; one that does not sleeps for ever."""
    return 0 < asleep < math.inf


def write_to(name: str) -> Write:
    """Gives a unit the message ``new``."""
    target = Ref(Kind.UNIT, "ns", name, f"uid-{name}")
    return Write(target, lambda _: {"status": {"message": "new"}}, "a test", "status")


def after(release: threading.Event) -> Callable[[], Step]:
    def step() -> Step:
        assert release.wait(PATIENCE)
        return Step()

    return step


def serve(server: FaultServer, *items: KubeObject, then: Stream | None = None) -> None:
    server.script("GET", LIST, listing("10", *items))
    server.script("WATCH", LIST, then or Stream("", "silence"))
