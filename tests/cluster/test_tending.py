"""What follows and tends pods, when it has ended."""

from __future__ import annotations

import threading

import pytest

from queuecheck.cluster import owed as owed_module
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.owed import Owed
from queuecheck.cluster.tending import Tending
from queuecheck.kube import Api, ListWatch
from queuecheck.kube.resource import PODS
from tests.fault_server import FaultServer, Stream, listing

PATIENCE = 60.0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("failing", ["see", "again"])
def test_whoever_gives_a_command_is_told_what_has_ended_it(
    server: FaultServer, client: Api, failing: str
) -> None:
    server.script("GET", "/api/v1/pods", listing("9"))
    server.script("WATCH", "/api/v1/pods", Stream(end="silence"))
    called = threading.Event()

    def fail(_: object) -> None:
        called.set()
        raise ValueError("a defect")

    does = {"see": lambda _: None, "again": lambda _: None, failing: fail}
    tending = Tending(ListWatch(client, PODS), see=does["see"], again=does["again"])
    tending.start()
    tending.owe("uid-1")
    assert called.wait(PATIENCE)
    server.end_streams()
    tending.stop()
    with tending.lock, pytest.raises(ClusterError, match=r"nobody tends the pods .*a defect"):
        tending.command()


def test_nothing_is_tended_any_more_when_it_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owed_module, "AGAIN_SECONDS", 0.0)
    begun = threading.Event()
    done: list[str] = []

    def tend(uids: frozenset[str]) -> None:
        begun.set()
        threading.Event().wait(0.2)
        done.extend(uids)

    owed = Owed(tend)
    owed.add("uid-1")
    assert begun.wait(PATIENCE)
    owed.stop()
    assert done == ["uid-1"]
    owed.add("uid-2")
    assert done == ["uid-1"]
