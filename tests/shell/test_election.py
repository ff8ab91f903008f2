"""One candidate against a server that plays the others."""

import threading
from typing import Any

import pytest

from controller.core.lease import Terms, claimed
from controller.shell.election import Election
from controller.shell.logs import Journal
from controller.shell.signs import Signs
from queuecheck.kube import Api
from tests.fault_server import Answer, FaultServer, failure

LEASES = "/apis/coordination.k8s.io/v1/namespaces/koord-queue/leases"
LEASE = f"{LEASES}/koord-queue-queue"
TERMS = Terms(duration=3, deadline=2, period=0.5)


class Clock:
    """Both clocks; they go only when told to."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Heard:
    times = 0

    def __call__(self) -> None:
        self.times += 1


def lease(holder: str, version: int, at: float = 0.0) -> Answer:
    return Answer(
        200,
        {
            "metadata": {"name": "koord-queue-queue", "resourceVersion": str(version)},
            "spec": claimed({}, holder, TERMS, at),
        },
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def election(client: Api, clock: Clock) -> Election:
    return Election(
        api=client,
        namespace="koord-queue",
        name="koord-queue-queue",
        identity="me",
        terms=TERMS,
        journal=Journal("queue"),
        stop=threading.Event(),
        signs=Signs(),
        wall=clock,
        steady=clock,
    )


@pytest.fixture
def leader(election: Election, server: FaultServer, heard: Heard) -> Election:
    """One that has just made its lease."""
    server.script("POST", LEASES, lease("me", 1))
    election.begin(heard=heard)
    assert election.term() == 1
    return election


def sent(server: FaultServer, method: str) -> list[Any]:
    return [request.body for request in server.requests(method)]


def test_a_lease_that_is_not_there_is_made_with_one_question_and_one_write(
    leader: Election, server: FaultServer, heard: Heard
) -> None:
    assert [request.method for request in server.requests()] == ["GET", "POST"]
    (body,) = sent(server, "POST")
    assert body["spec"]["holderIdentity"] == "me"
    assert body["spec"]["leaseDurationSeconds"] == 3
    assert leader.permits()
    assert heard.times == 1


def test_the_leader_renews_with_one_write_guarded_by_what_it_wrote_last(
    leader: Election, server: FaultServer, clock: Clock, heard: Heard
) -> None:
    server.script("PATCH", LEASE, lease("me", 2), lease("me", 3))
    for _ in range(2):
        clock.now += 0.5
        leader.attempt()
    bodies = sent(server, "PATCH")
    assert [body["metadata"]["resourceVersion"] for body in bodies] == ["1", "2"]
    assert len(server.requests("GET")) == 1
    assert (leader.term(), heard.times) == (1, 1)


def test_a_leader_that_cannot_renew_stops_before_its_lease_ends(
    leader: Election, server: FaultServer, clock: Clock
) -> None:
    server.script("PATCH", LEASE, failure(500, "InternalError"))
    clock.now += 1.9
    leader.attempt()
    assert leader.permits()
    clock.now += 0.1
    assert not leader.permits()
    assert leader.term() is None


def test_the_time_of_a_renewal_counts_from_before_it_was_sent(
    leader: Election, server: FaultServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script("PATCH", LEASE, lease("me", 2))
    patch = Api.patch

    def slow(self: Api, *args: Any, **named: Any) -> Any:
        answer = patch(self, *args, **named)
        clock.now += 1.5  # the answer takes its time
        return answer

    monkeypatch.setattr(Api, "patch", slow)
    leader.attempt()
    clock.now += 0.4
    assert leader.permits()
    clock.now += 0.1
    assert not leader.permits()


def test_a_leader_that_was_frozen_leads_on_if_nobody_else_did(
    leader: Election, server: FaultServer, clock: Clock, heard: Heard
) -> None:
    server.script("PATCH", LEASE, lease("me", 2))
    clock.now += 60
    assert leader.term() is None
    leader.attempt()
    assert (leader.term(), heard.times) == (1, 2)


def test_a_leader_that_was_frozen_gives_way_to_the_one_that_leads_now(
    leader: Election, server: FaultServer, clock: Clock, heard: Heard
) -> None:
    server.script("PATCH", LEASE, failure(409, "Conflict"))
    server.script("GET", LEASE, lease("other", 7))
    clock.now += 60
    leader.attempt()
    assert (leader.term(), heard.times) == (None, 1)


def test_another_term_is_told_from_the_one_before(
    leader: Election, server: FaultServer, clock: Clock, heard: Heard
) -> None:
    server.script("PATCH", LEASE, failure(409, "Conflict"), lease("me", 9))
    server.script("GET", LEASE, lease("other", 7))
    leader.attempt()
    clock.now += 3
    leader.attempt()
    assert (leader.term(), heard.times) == (2, 2)


def test_a_candidate_waits_for_the_whole_duration_since_it_last_saw_a_change(
    election: Election, server: FaultServer, clock: Clock, heard: Heard
) -> None:
    server.script("GET", LEASE, lease("other", 1, at=5.0), lease("other", 2, at=6.0))
    server.script("PATCH", LEASE, lease("me", 3))
    election.begin(heard=heard)
    for _ in range(6):  # the second look sees a renewal
        clock.now += 0.5
        election.attempt()
        assert election.term() is None
    clock.now += 0.5
    election.attempt()
    assert election.term() == 1
    (body,) = sent(server, "PATCH")
    assert body["metadata"]["resourceVersion"] == "2"


def test_a_lease_in_the_own_name_is_taken_over_at_once(
    election: Election, server: FaultServer, heard: Heard
) -> None:
    server.script("GET", LEASE, lease("me", 1))
    server.script("PATCH", LEASE, lease("me", 2))
    election.begin(heard=heard)
    assert election.term() == 1


def test_of_two_that_are_quick_one_wins(
    election: Election, server: FaultServer, heard: Heard
) -> None:
    server.script("POST", LEASES, failure(409, "AlreadyExists"))
    election.begin(heard=heard)
    assert election.term() is None


def test_what_is_given_back_is_nobodys_and_leads_no_more(
    leader: Election, server: FaultServer
) -> None:
    server.script("PATCH", LEASE, lease("", 2))
    leader.give_back()
    (body,) = sent(server, "PATCH")
    assert body["spec"]["holderIdentity"] is None
    assert not leader.permits()


def test_who_does_not_lead_gives_nothing_back(
    election: Election, server: FaultServer, heard: Heard
) -> None:
    server.script("GET", LEASE, lease("other", 1))
    election.begin(heard=heard)
    election.give_back()
    assert sent(server, "PATCH") == []


@pytest.mark.parametrize("code", [0, 403, 500])
def test_no_answer_is_no_lead(
    election: Election, server: FaultServer, heard: Heard, code: int
) -> None:
    if code:
        server.script("GET", LEASE, failure(code, "Refused"))
    else:
        server.script("GET", LEASE, Answer(200, "no JSON"))
    election.begin(heard=heard)
    assert election.term() is None
