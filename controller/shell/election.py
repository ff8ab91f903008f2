"""Leader election by a Lease: of several copies of a component, one decides and writes.

The others keep their caches and are ready. ``permits`` is asked before each single write: the
lease has to outlast the longest that the request may take. What remains is a process that is
stopped between the question and the request, and goes on after its lease has ended: that one
request is then refused only if the new leader has written the same object.
"""

import math
import threading
import time
from collections.abc import Callable
from typing import Protocol

from controller.core.instants import Instant
from controller.core.lease import Sighting, Spec, Terms, claimed, given_back, sighted
from controller.shell.logs import Journal
from controller.shell.signs import Signs
from queuecheck.kube import AlreadyExists, Api, ApiError, Conflict, KubeObject, NotFound
from queuecheck.kube.resource import LEASES

LAST_WORDS = 0.5


class Leadership(Protocol):
    """Whether this copy leads, as its worker asks."""

    def term(self) -> int | None:
        """None for one that does not lead; else a number that changes with every change of hands.

        The same number again means that nobody else has led in between.
        """
        ...

    def permits(self) -> bool:
        """Whether a write may be sent now."""
        ...

    def begin(self, *, heard: Callable[[], None]) -> None:
        """Takes the lead if it is free; ``heard`` is called whenever it was won later."""
        ...

    def run(self) -> None:
        """Keeps the lead, or waits for it, until the stop. In a thread of its own."""
        ...

    def give_back(self) -> None:
        """Leaves the lead to the next. Only after the last write, and after ``run``."""
        ...


class Alone:
    """Without leader election there is nobody else."""

    def term(self) -> int | None:
        """See Leadership."""
        return 0

    def permits(self) -> bool:
        """See Leadership."""
        return True

    def begin(self, *, heard: Callable[[], None]) -> None:
        """See Leadership."""

    def run(self) -> None:
        """See Leadership."""

    def give_back(self) -> None:
        """See Leadership."""


class Election:
    """One candidate for one Lease. Everything but the questions is for one thread at a time."""

    def __init__(
        self,
        *,
        api: Api,
        namespace: str,
        name: str,
        identity: str,
        terms: Terms,
        journal: Journal,
        stop: threading.Event,
        signs: Signs,
        wall: Callable[[], Instant] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = api.within(terms.grace)
        self._last_words = api.within(min(terms.grace, LAST_WORDS))
        self._namespace, self._name = namespace, name
        self._identity = identity
        self._terms = terms
        self._journal = journal
        self._stop = stop
        self._signs = signs
        self._wall, self._steady = wall, steady
        self._heard: Callable[[], None] = lambda: None
        self._sighting: Sighting | None = None
        self._version = ""
        self._wins = 0
        self._term: int | None = None
        self._until = -math.inf
        self._led = False  # as far as the log says
        self._told = ""

    def term(self) -> int | None:
        """See Leadership."""
        return self._term if self.permits() else None

    def permits(self) -> bool:
        """See Leadership."""
        return self._term is not None and self._steady() < self._until

    def begin(self, *, heard: Callable[[], None]) -> None:
        """See Leadership."""
        self._heard = heard
        self.attempt()

    def run(self) -> None:
        """See Leadership."""
        while not self._rested():
            self.attempt()

    def _rested(self) -> bool:
        """Whether there is no more to do after the pause between two attempts."""
        self._signs.give(asleep=self._terms.period)
        return self._stop.wait(self._terms.period)

    def attempt(self) -> None:
        """Renews the lease or takes it, if that is possible now; else it is the next time."""
        try:
            self._renew() if self._term is not None else self._apply()
        except ApiError as error:
            if not self.permits():
                self._tell(f"no lease: {error}", warning=True)
        if self._led and not self.permits():
            self._led = False
            self._tell("leads no longer", warning=True)

    def give_back(self) -> None:
        """See Leadership."""
        if self.permits() and self._sighting is not None:
            try:
                self._write(given_back(self._sighting.spec, self._wall()), api=self._last_words)
            except ApiError as error:
                self._journal.say(1, f"the lease was not given back: {error}")
        self._term = None

    def _renew(self) -> None:
        """As long as nobody else has written the lease, it is ours: the server sees to that."""
        assert self._sighting is not None
        try:
            self._claim(self._sighting.spec)
        except (Conflict, NotFound):
            self._apply()

    def _apply(self) -> None:
        """Reads the lease, and takes it if it is ours already, or free, or not there."""
        try:
            found = self._api.get(LEASES, self._name, namespace=self._namespace)
        except NotFound:
            self._term = None
            self._create()
            return
        spec = found.get("spec") or {}
        self._version = str(found["metadata"]["resourceVersion"])
        self._sighting = sighted(self._sighting, spec, self._steady())
        ours = self._sighting.holder == self._identity
        if not ours:
            self._term = None
        if ours or self._sighting.free(self._steady(), self._terms):
            try:
                self._claim(spec)
            except (Conflict, NotFound):
                self._journal.say(2, "somebody else was quicker to take the lease")
        else:
            self._tell(f"waits for the lease of {self._sighting.holder}")

    def _create(self) -> None:
        begun = self._steady()
        body = {
            "apiVersion": LEASES.api_version,
            "kind": LEASES.kind,
            "metadata": {"name": self._name, "namespace": self._namespace},
            "spec": claimed({}, self._identity, self._terms, self._wall()),
        }
        try:
            self._won(self._api.create(LEASES, body, namespace=self._namespace), begun)
        except AlreadyExists:
            self._journal.say(2, "somebody else was quicker to make the lease")

    def _claim(self, spec: Spec) -> None:
        begun = self._steady()
        self._won(self._write(claimed(spec, self._identity, self._terms, self._wall())), begun)

    def _write(self, spec: Spec, *, api: Api | None = None) -> KubeObject:
        return (api or self._api).patch(
            LEASES,
            self._name,
            {"spec": dict(spec)},
            namespace=self._namespace,
            resource_version=self._version,
        )

    def _won(self, answer: KubeObject, begun: float) -> None:
        """The lease is ours from ``begun``, a moment before it was asked for."""
        self._version = str(answer["metadata"]["resourceVersion"])
        self._sighting = Sighting(answer["spec"], begun)
        if self._term is None:
            self._wins += 1
        before, self._until = self._until, begun + self._terms.deadline
        self._term = self._wins
        # Whoever asked meanwhile and was told no has to hear of it.
        if self._steady() >= before and self.permits():
            self._led = True
            self._tell(f"leads, as {self._identity}")
            self._heard()

    def _tell(self, message: str, *, warning: bool = False) -> None:
        """Says what has changed, once."""
        if message == self._told:
            return
        self._told = message
        fields = {"lease": f"{self._namespace}/{self._name}"}
        self._journal.warn(message, fields) if warning else self._journal.say(0, message, fields)
