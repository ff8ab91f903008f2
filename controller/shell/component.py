"""One component at work: watches fill one inbox, one worker owns the ledger and acts.

The worker takes in everything that has arrived, then gives one due key its turn, and so on; it
sleeps only when nothing is due. No key is looked at before the first list of every kind is in, and
none by a copy that does not lead: it follows the watches, and decides from the moment it leads,
after it has read anew what the one before may have written last.
A turn that cannot be finished is taken again later, from what is then known: nothing of it is
remembered but that it is owed.
"""

import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic

from controller.core.decisions import Kind, Ref
from controller.shell.agenda import Agenda
from controller.shell.election import Alone, Leadership
from controller.shell.events import EventWriter
from controller.shell.executor import Executor, Refused
from controller.shell.kinds import JOB_NAME_LABEL, RESOURCES, SELECTORS
from controller.shell.lifecycle import Lifecycle
from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.requests import Deposed, Postponed, Requests
from controller.shell.store import Change, Store, version_of
from controller.shell.work import Key, Work
from queuecheck.kube import (
    Api,
    ApiError,
    Interrupted,
    KubeObject,
    Listed,
    ListWatch,
    WatchItem,
)
from queuecheck.kube.resource import PODS

RESYNC = 600.0
# A wall clock may jump while we sleep; so never longer than this towards a wall-clock time.
LONGEST_SLEEP = 30.0
PUBLISH_EVERY = 0.1
TRY_AGAIN = 0.25


class Component(Generic[Key]):
    """``start`` it once; it ends with the lifecycle.

    ``namespaces`` says which kinds are watched in one namespace only; ``writer`` sends what is
    written, if that is not ``api``.
    """

    def __init__(
        self,
        work: Work[Key],
        *,
        api: Api,
        metrics: Metrics,
        lifecycle: Lifecycle,
        journal: Journal,
        leadership: Leadership | None = None,
        writer: Api | None = None,
        namespaces: Mapping[Kind, str] | None = None,
        resync: float = RESYNC,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = work.component
        self.ready = threading.Event()
        self._work = work
        self._api = api
        self._metrics = metrics
        self._lifecycle = lifecycle
        self._journal = journal
        self._leadership = leadership or Alone()
        self._caught_up: int | None = None
        self._catch_up_at = -math.inf
        self._wall, self._steady = wall, steady
        self._resync = resync
        self._store = Store()
        self._agenda: Agenda[Key] = Agenda()
        self._inbox: queue.SimpleQueue[tuple[Kind, WatchItem] | None] = queue.SimpleQueue()
        self._unseen = set(work.kinds)
        self._watches = {
            kind: ListWatch(
                api,
                RESOURCES[kind],
                namespace=(namespaces or {}).get(kind),
                label_selector=SELECTORS.get(kind),
                alive=lifecycle.signs.give,
            )
            for kind in work.kinds
        }
        self._worker: threading.Thread | None = None
        self._requests = Requests(
            component=self.name,
            metrics=metrics,
            journal=journal,
            stop=lifecycle.stop,
            signs=lifecycle.signs,
            permits=self._permits,
        )
        self._events = EventWriter(
            api=writer or api,
            # An event tells what was done while this copy led: also when it leads no longer.
            requests=Requests(
                component=self.name,
                metrics=metrics,
                journal=journal,
                stop=lifecycle.cut,
                signs=lifecycle.signs,
            ),
            journal=journal,
            component=self.name,
            signs=lifecycle.signs,
        )
        self._executor = Executor(
            component=self.name,
            api=writer or api,
            store=self._store,
            learn=self._learn,
            requests=self._requests,
            event_writer=self._events,
            metrics=metrics,
            journal=journal,
            clock=wall,
        )

    def start(self) -> None:
        """Starts the watches and the worker; a lease that is free is taken first."""
        self._leadership.begin(heard=lambda: self._inbox.put(None))
        self._caught_up = self._leadership.term()  # every list is yet to come
        self._lifecycle.spawn(f"{self.name}-election", self._leadership.run)
        for kind in self._watches:
            self._lifecycle.spawn(f"{self.name}-watch-{kind.value}", self._watcher(kind))
        self._lifecycle.spawn(f"{self.name}-events", self._events.run)
        self._worker = self._lifecycle.spawn(f"{self.name}-worker", self._run)

    def stop(self) -> None:
        """Wakes whatever sleeps, so that it sees the stop. From any thread."""
        for watch in self._watches.values():
            watch.stop()
        self._inbox.put(None)
        self._events.close()

    def resign(self) -> None:
        """Leaves the lead to the next, if the worker has sent its last write."""
        if self._worker is not None and not self._worker.is_alive():
            self._leadership.give_back()

    def _watcher(self, kind: Kind) -> Callable[[], None]:
        def watch() -> None:
            lost = False
            newest = 0
            for item in self._watches[kind]:
                if isinstance(item, Interrupted):
                    self._metrics.watch_restarted(self.name, kind.value)
                    message = f"watch of {kind.value} starts again: {item.reason}"
                    # One line that says so is enough, however long the outage.
                    self._journal.say(1, message) if lost else self._journal.warn(message)
                    lost = True
                else:
                    if lost:
                        self._journal.say(0, f"watch of {kind.value} is back")
                    lost = False
                    if isinstance(item, Listed) and version_of(item) < newest:
                        raise Restored(kind, newest, version_of(item))
                    newest = max(newest, version_of(item))
                    self._inbox.put((kind, item))

        return watch

    def _run(self) -> None:
        next_resync = self._steady() + self._resync
        published = 0.0
        while not self._lifecycle.stop.is_set():
            self._agenda.advance(wall=self._wall(), steady=self._steady())
            if self.ready.is_set() and self._steady() >= next_resync:
                next_resync = self._steady() + self._resync
                self._agenda.add(self._work.keys())
            idle = not self._unseen and not len(self._agenda)
            if idle or self._steady() - published >= PUBLISH_EVERY:
                self._publish()
                published = self._steady()
            leads = self._leads()
            self._absorb(self._patience(next_resync, leads=leads))
            # Asked again: another may have led while we slept.
            if leads and self._leads() and (key := self._agenda.take()) is not None:
                self._turn(key)

    def _leads(self) -> bool:
        """Whether decisions may be made: this copy leads, and knows all that was written before."""
        term = self._leadership.term()
        if term is None or self._unseen:
            return False
        due = term != self._caught_up and self._steady() >= self._catch_up_at
        if due and self._catch_up():
            self._caught_up = term
        return term == self._caught_up

    def _permits(self) -> bool:
        """Whether what was decided in the term that we have caught up with may still be written."""
        return self._leadership.permits() and self._leadership.term() == self._caught_up

    def _catch_up(self) -> bool:
        """Lists every kind anew: a watch may be behind the last writes of another leader."""
        try:
            for kind, watch in self._watches.items():
                answer = self._requests.send("list", watch.resource.kind, watch.list)
                self._apply(self._store.take(kind, answer))
        except (ApiError, Postponed) as error:
            self._journal.warn(f"cannot begin to lead: {error}")
            asked = error.at_least if isinstance(error, Postponed) else 0.0
            self._catch_up_at = self._steady() + max(TRY_AGAIN, asked)
            return False
        self._agenda.add(self._work.keys())
        return True

    def _patience(self, next_resync: float, *, leads: bool) -> float | None:
        """How long the worker may sleep: 0 with work to do, None for ever."""
        if self._unseen:
            return None
        if not leads:  # winning the lease wakes us
            wait = max(self._catch_up_at - self._steady(), 0.0)
            return None if self._leadership.term() is None else wait
        rest = self._agenda.rest(wall=self._wall(), steady=self._steady())
        resync = max(next_resync - self._steady(), 0.0)
        return resync if rest is None else min(rest, resync, LONGEST_SLEEP)

    def _absorb(self, patience: float | None) -> None:
        """Takes in what has arrived, after waiting for it if there is nothing else to do."""
        signs = self._lifecycle.signs
        signs.give(asleep=math.inf if patience is None else patience)
        try:
            items = [
                self._inbox.get(timeout=patience) if patience != 0 else self._inbox.get_nowait()
            ]
            # Only what is there now: a busy cluster must not keep the worker from its work.
            items += [self._inbox.get_nowait() for _ in range(self._inbox.qsize())]
        except queue.Empty:
            return
        finally:
            signs.give()
        for item in items:
            if item is not None:
                self._take(*item)

    def _take(self, kind: Kind, item: WatchItem) -> None:
        assert not isinstance(item, Interrupted)
        self._apply(self._store.take(kind, item))
        if kind in self._unseen:
            self._unseen.discard(kind)
            if not self._unseen:
                self._agenda.add(self._work.keys())
                self.ready.set()
                self._journal.say(0, "ready: every cache is complete")

    def _learn(self, target: Ref, found: KubeObject) -> None:
        self._apply(self._store.learn(target.kind, found))

    def _apply(self, changes: Iterable[Change]) -> None:
        for change in changes:
            self._agenda.add(self._work.apply(change.kind, change.object, deleted=change.deleted))

    def _turn(self, key: Key) -> None:
        try:
            self._steps(key)
        except Postponed as reason:
            self._work.failed()
            delay = self._agenda.postpone(key, steady=self._steady(), at_least=reason.at_least)
            self._journal.warn(f"postponed by {delay:.2f} s: {reason}", {"key": _shown(key)})
        except Deposed:
            self._work.failed()
            self._agenda.add([key])
        except Refused:
            self._work.failed()
            self._agenda.repeat(key, steady=self._steady())
        else:
            self._agenda.succeeded(key)

    def _steps(self, key: Key) -> None:
        resume: Any = None
        refused: Refused | None = None
        self._agenda.wake(key, None)
        wakes: list[float] = []
        while not self._lifecycle.stop.is_set():
            begun = self._steady()
            step = self._work.step(key, self._wall(), resume)
            self._metrics.decided(self.name, self._steady() - begun)
            if step.wake_at is not None:
                wakes.append(step.wake_at)
                self._agenda.wake(key, min(wakes))
            try:
                self._executor.run(step.decisions, queue=self._work.label(key))
            except Refused as error:
                refused = error
            if step.look_up:
                self._executor.look_up(step.look_up)
                continue
            resume = self._live_pods(key) if step.live_pods else step.resume
            if resume is None:
                break
        if refused is not None:
            raise refused

    def _live_pods(self, key: Any) -> tuple[KubeObject, ...]:
        namespace, name = key
        try:
            return self._requests.send(
                "list",
                PODS.kind,
                lambda: self._api.list(
                    PODS, namespace=namespace, label_selector=f"{JOB_NAME_LABEL}={name}"
                ),
            ).items
        except ApiError as error:
            self._journal.fail(f"refused: {error}")
            raise Postponed(error) from error

    def _publish(self) -> None:
        active = self._work.active()
        if active is not None:
            self._metrics.set_active(active)


class Restored(Exception):
    """The server is as it was before, restored from a backup, say: all that is known is of no use.

    The store takes what is older for stale. Only a new start forgets what was later.
    """

    def __init__(self, kind: Kind, newest: int, now: int) -> None:
        super().__init__(f"versions of {kind.value} have gone back from {newest} to {now}")


def _shown(key: object) -> str:
    return "/".join(key) if isinstance(key, tuple) else str(key)
