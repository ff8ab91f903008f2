"""A world without a cluster: everything that it asks for is played."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from queuecheck.cluster import Cluster
from queuecheck.implementation import Implementation, ImplementationError, LogMark, Sample
from queuecheck.kube import Api, Resource
from queuecheck.profiles import load_profile
from queuecheck.timeline import Budgets, Feed
from queuecheck.world import Ground, Names, World, cleanup
from tests.fault_server import PATIENCE

PROFILE = load_profile("koord-queue")


class Hanging:
    """An action that does not end before it is let go.

    However busy the machine is, no clean-up reaches its deadline before it has begun.
    """

    def __init__(self, patching: pytest.MonkeyPatch) -> None:
        began = self._began = threading.Event()
        self._go_on = threading.Event()
        self._thread = threading.current_thread()

        class Thread(threading.Thread):
            def start(self) -> None:
                super().start()
                assert began.wait(PATIENCE)

        played = SimpleNamespace(Thread=Thread, Lock=threading.Lock)
        patching.setattr(cleanup, "threading", played)

    def __call__(self) -> None:
        self._thread = threading.current_thread()
        self._began.set()
        self._go_on.wait()

    def end(self) -> None:
        """Returns when whoever called it has ended, too."""
        self._go_on.set()
        self._thread.join(PATIENCE)


class PlayedApi:
    """Takes everything, and says what it was asked to delete."""

    def __init__(self, done: list[str]) -> None:
        self._done = done

    def named(self, _user_agent: str) -> PlayedApi:
        return self

    def create(self, _resource: Resource, body: Mapping[str, Any], **_: Any) -> Any:
        return body

    def list(self, _resource: Resource, **_: Any) -> Any:
        return SimpleNamespace(items=[])

    def delete(self, resource: Resource, _name: str, **_: Any) -> None:
        self._done.append(f"delete {resource.kind}")


class PlayedFeed:
    def join(self, *_: Any, **__: Any) -> None:
        pass

    def leave(self, *_: Any, **__: Any) -> None:
        pass


class PlayedImplementation:
    name = "played 1"
    queue_namespace = "koord-queue"
    features: frozenset[str] = frozenset()
    restart_count = 0
    answers = True

    def __init__(self, done: list[str], restore: Callable[[], object]) -> None:
        self._done = done
        self._restore = restore

    def start(self) -> None:
        pass

    def close(self) -> None:
        pass

    def restore(self) -> None:
        self._restore()
        self._done.append("restore")

    def log_mark(self) -> LogMark:
        return LogMark({})

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:  # noqa: ARG002
        self._answer()
        return {"queue": "nothing to do"}

    def metrics(self) -> Sequence[Sample]:
        self._answer()
        return []

    def alive(self) -> str | None:
        self._answer()
        return None

    def _answer(self) -> None:
        if not self.answers:
            raise ImplementationError("cannot read the log: refused")


class PlayedProxy:
    def __init__(self, done: list[str]) -> None:
        self._done = done

    def forget(self) -> None:
        self._done.append("forget")


class PlayedGround:
    """``done`` is what worlds on it have asked for; ``restore`` is what a restore waits for."""

    def __init__(self, evidence: Path, *, restore: Callable[[], object] = lambda: None) -> None:
        self.done: list[str] = []
        self.implementation = PlayedImplementation(self.done, restore)
        nodes = SimpleNamespace(reset=lambda: self.done.append("reset"))
        cluster = SimpleNamespace(nodes=nodes, capabilities=frozenset(), reason="a played cluster")
        self.ground = Ground(
            run="tests",
            profile=PROFILE,
            cluster=cast("Cluster", cluster),
            implementation=cast("Implementation", self.implementation),
            budgets=Budgets(),
            cross_kind_order=True,
            evidence_directory=evidence,
            api=cast("Api", PlayedApi(self.done)),
            feed=cast("Feed", PlayedFeed()),
            proxy=lambda: cast("Any", PlayedProxy(self.done)),
        )

    def world(self) -> World:
        names = Names("tests", "KQ-QTA-01", "a1")
        return World(self.ground, names, reproduce="run it", priority_class=str)
