"""What is found and taken away is a run's, and nothing of anybody else."""

from __future__ import annotations

from typing import Any

import pytest

from queuecheck.cluster.awaiting import Objects, await_objects
from queuecheck.kube import Api, Resource
from queuecheck.kube.resource import NAMESPACES, PRIORITY_CLASSES
from queuecheck.profiles import load_profile
from queuecheck.world.names import (
    DEPLOYMENT_NAMESPACES_NOTE,
    QUEUE_NAMESPACE_NOTE,
    RUN_LABEL,
    STARTED_NOTE,
    Names,
    canary_name,
    is_of_run,
    run_namespace,
)
from queuecheck.world.remains import find_remains, homes, remove_remains
from tests.existing.listing import changes, listing
from tests.existing.somebodys import Somebodys

PROFILE = load_profile("koord-queue")
RUN = "bcd23"
NAMES = Names(RUN, "KQ-RCL-02", "a3")
HOME = "koord-queue"
METADATA = {"annotations", "finalizers", "labels"}
TEAM = NAMES.unique("team")


def make(
    api: Api,
    resource: Resource,
    name: str,
    *,
    namespace: str | None = None,
    run: str | None = None,
    **fields: Any,
) -> None:
    """An object with these fields, those of its metadata among them."""
    body = {"apiVersion": resource.api_version, "kind": resource.kind}
    metadata = {"name": name, "labels": {} if run is None else {RUN_LABEL: run}}
    for key, value in fields.items():
        (metadata if key in METADATA else body)[key] = value
    api.create(resource, {**body, "metadata": metadata}, namespace=namespace)


def make_run(api: Api) -> None:
    """As a run leaves it that is killed in a scenario, and its implementation with it."""
    notes = {STARTED_NOTE: "2026-11-30T12:00:00Z", QUEUE_NAMESPACE_NOTE: "koord-queue"}
    make(api, NAMESPACES, run_namespace(RUN), run=RUN, annotations=notes)
    make(api, NAMESPACES, NAMES.namespace, run=RUN)
    make(api, PROFILE.quotas, TEAM, namespace=NAMES.namespace, run=RUN)
    make(api, PRIORITY_CLASSES, f"qc-{RUN}-p1", run=RUN, value=1)
    make(
        api,
        PROFILE.resource("QueueUnit"),
        "lingering",
        namespace=NAMES.namespace,
        finalizers=["queuecheck.dev/lingers"],
    )
    for name in (TEAM, canary_name(RUN, "a")):
        make(api, PROFILE.queues, name, namespace=HOME)


def test_all_of_a_run_goes_and_nothing_else(somebodys: Somebodys) -> None:
    api = somebodys.admin
    theirs = ("team-bcd24-kq-rcl-02-a3", "team-a", "team")
    for name in theirs:
        make(api, PROFILE.queues, name, namespace=HOME)
    before = listing(api)
    make_run(api)
    remains = find_remains(api, PROFILE, run=RUN)
    left = remove_remains(api, PROFILE, remains)
    after = listing(api)
    for name in theirs:
        api.delete(PROFILE.queues, name, namespace=HOME)
    assert left == []
    assert changes(before, after) == []
    assert [f"{each}" for each in remains] == [
        f"PriorityClass qc-{RUN}-p1",
        f"Namespace {NAMES.namespace}",
        f"Queue {HOME}/{canary_name(RUN, 'a')}",
        f"Queue {HOME}/{TEAM}",
        f"Namespace {run_namespace(RUN)}",
    ]


def test_what_a_run_has_changed_is_looked_for_where_its_deployments_are(
    somebodys: Somebodys,
) -> None:
    api = somebodys.admin
    notes = {DEPLOYMENT_NAMESPACES_NOTE: "their-system other-system"}
    make(api, NAMESPACES, run_namespace(RUN), run=RUN, annotations=notes)
    found = homes(api, PROFILE)
    assert remove_remains(api, PROFILE, find_remains(api, PROFILE, run=RUN)) == []
    assert found == ("koord-queue", "other-system", "their-system")


def test_a_run_that_was_never_there_leaves_nothing_to_find(somebodys: Somebodys) -> None:
    assert find_remains(somebodys.admin, PROFILE, run="zzzzz") == ()


def says_why_it_stays(namespaces: Objects) -> bool:
    conditions = namespaces[NAMES.namespace]["status"].get("conditions", ())
    why = ("NamespaceFinalizersRemaining", "True")
    return any((each["type"], each["status"]) == why for each in conditions)


def test_what_others_keep_there_is_told(somebodys: Somebodys) -> None:
    api = somebodys.admin
    make(api, NAMESPACES, NAMES.namespace, run=RUN)
    units = PROFILE.resource("QueueUnit")
    theirs = ["example.com/theirs"]
    make(api, units, "kept", namespace=NAMES.namespace, finalizers=theirs)
    api.delete(NAMESPACES, NAMES.namespace)
    await_objects(api, NAMESPACES, says_why_it_stays, what="why it stays", seconds=60)
    (left,) = remove_remains(api, PROFILE, find_remains(api, PROFILE, run=RUN), seconds=1)
    api.patch(units, "kept", {"metadata": {"finalizers": None}}, namespace=NAMES.namespace)
    assert left.startswith(f"namespace {NAMES.namespace}: ")
    assert "example.com/theirs" in left
    assert remove_remains(api, PROFILE, find_remains(api, PROFILE, run=RUN)) == []


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        (TEAM, True),
        (Names(RUN, "KQ-SEQ-01", "bb12").unique("x" * 80), True),
        (canary_name(RUN, "a"), True),
        ("team-bcd24-kq-rcl-02-a3", False),
        (f"team-{RUN}", False),
        (f"team-{RUN}-kq-rcl-02-a3-copy", False),
    ],
)
def test_a_name_tells_its_run(name: str, *, ours: bool) -> None:
    assert is_of_run(name, RUN) is ours
