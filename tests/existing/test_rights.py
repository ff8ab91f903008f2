"""The roles that we ship allow what scenarios do, and nothing that none of them does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import Any

import pytest

from queuecheck import resources
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import packaged_descriptor
from queuecheck.world.examination import DEPLOYMENTS_ROLE, needed_rights
from queuecheck.world.rights import Right, rights_of, told
from tests.existing.somebodys import Somebodys, play

HOME = "koord-queue"
PATIENCE = 60.0
ROLES = resources.manifests_root() / "suite-rbac"
# On nodes with a kubelet, of which there is none here; and test_rights_on_deployments has the rest.
ELSEWHERE = {
    Right("pods/resize", "", "", "", "patch"),
    *rights_of([DEPLOYMENTS_ROLE], queue_namespace=HOME),
}
# Between them they do all that any scenario does, each for the sake of one right or two.
IDS = (
    "KQ-JOB-07",  # a Job that is changed
    "KQ-JOB-09",  # pods that linger
    "KQ-JOB-10",  # a unit that lingers
    "KQ-JOB-14",  # a RuntimeClass
    "KQ-QUE-13",  # a Queue that is changed
    "KQ-QUE-15",  # a Queue that is deleted
    "KQ-QUE-17",  # a Queue beside the queue namespace
    "KQ-RCL-14",  # no pods can be created
    "KQ-SEQ-03",  # the governing text's commands
    "KQ-VIC-01",  # a unit without a Job, reported for
)


def rights() -> tuple[Right, ...]:
    return rights_of(sorted(ROLES.rglob("*.yaml")), queue_namespace=HOME)


@pytest.mark.timeout(600)
def test_nothing_is_forbidden_and_no_rule_is_idle(somebodys: Somebodys) -> None:
    before = len(somebodys.requests())
    ids = [word for name in IDS for word in ("--id", name)]
    answer = play(somebodys.queuecheck("run", "--nodes", "simulated", *ids))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    idle = set(rights()) - ELSEWHERE
    pause = threading.Event()
    end = time.monotonic() + PATIENCE
    while True:
        requests = [each for each in somebodys.requests()[before:] if "objectRef" in each]
        idle -= {_most_specific(each, rights()) for each in requests}
        if not idle or time.monotonic() > end:
            break
        pause.wait(0.5)  # what came last may not be written down yet
    assert [_told(each) for each in requests if _forbidden(each)] == []
    assert told(sorted(idle)) == ""


def test_rights_are_told_by_object() -> None:
    assert told(
        [
            Right("nodes", "", "", "", "patch"),
            Right("nodes", "", "", "", "list"),
            Right("queueunits/status", "x.io", "", "", "patch"),
            Right("serviceaccounts/token", "", "koord-queue", "queue", "create"),
        ]
    ) == (
        "list and patch nodes; patch queueunits.x.io/status; "
        "create serviceaccounts/token queue in koord-queue"
    )


def test_only_the_roles_in_the_queue_namespace_move_with_it() -> None:
    moved = rights_of(sorted(ROLES.rglob("*.yaml")), queue_namespace="elsewhere")
    assert {each.namespace for each in moved} == {"", "elsewhere"}


def test_the_role_for_processes_is_that_of_the_reference() -> None:
    role = rights_of([ROLES / "optional" / "processes.yaml"], queue_namespace=HOME)
    reference = needed_rights(
        ClusterChoice("existing", nodes="simulated"), packaged_descriptor("reference")
    )
    assert set(role) <= set(reference)
    assert set(reference) == set(rights()) - set(
        rights_of([DEPLOYMENTS_ROLE], queue_namespace=HOME)
    )


def _most_specific(request: dict[str, Any], granted: Iterable[Right]) -> Right | None:
    """The right that the request needs: one for its namespace and object before one for all."""
    fitting = [right for right in granted if _fits(request, right)]
    return max(fitting, key=lambda right: (right.namespace, right.name), default=None)


def _fits(request: dict[str, Any], right: Right) -> bool:
    place = request["objectRef"]
    subresource = place.get("subresource")
    return (
        request["verb"] == right.verb
        and place.get("apiGroup", "") == right.group
        and "/".join(filter(None, (place["resource"], subresource))) == right.resource
        and right.namespace in {"", place.get("namespace")}
        and right.name in {"", place.get("name")}
    )


def _forbidden(request: dict[str, Any]) -> bool:
    """By a role: admission answers with the same code."""
    return bool(request["annotations"]["authorization.k8s.io/decision"] == "forbid")


def _told(request: dict[str, Any]) -> str:
    return f"{request['verb']} {request['requestURI']}"
