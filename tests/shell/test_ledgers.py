"""The queue component's keys: queues, and their lists."""

from typing import Any

from controller.core.decisions import Kind, Write
from controller.shell.ledgers import Listing, QueueWork

QUEUE: dict[str, Any] = {
    "metadata": {"namespace": "koord-queue", "name": "team", "uid": "queue"},
    "spec": {"queuePolicy": "Priority"},
}


def unit(name: str) -> dict[str, Any]:
    return {
        "metadata": {
            "namespace": "default",
            "name": name,
            "uid": name,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"quota.scheduling.koordinator.sh/name": "team"},
        },
        "spec": {"podSet": [{"name": "main"}]},
    }


def test_a_list_is_a_key_of_its_own_and_comes_after_its_queue() -> None:
    work = QueueWork(namespace="koord-queue", protection=0)
    work.apply(Kind.QUEUE, QUEUE, deleted=False)
    assert list(work.apply(Kind.UNIT, unit("low"), deleted=False)) == ["team", Listing("team")]
    assert list(work.keys()) == ["team", Listing("team")]
    assert work.label(Listing("team")) == "team"


def test_what_a_list_leads_to_is_its_own_write_only_and_not_before_its_time() -> None:
    work = QueueWork(namespace="koord-queue", protection=0)
    work.apply(Kind.QUEUE, QUEUE, deleted=False)
    work.apply(Kind.UNIT, unit("low"), deleted=False)
    (write,) = work.step(Listing("team"), 100.0, None).decisions
    assert isinstance(write, Write)
    assert write.target.kind is Kind.QUEUE
    work.apply(Kind.UNIT, unit("high"), deleted=False)
    later = work.step(Listing("team"), 100.1, None)
    assert not later.decisions
    assert later.wake_at is not None
    assert len(work.step(Listing("team"), later.wake_at, None).decisions) == 1
