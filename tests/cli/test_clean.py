"""``queuecheck clean``: what it keeps until everything is as it was, and how it tells of it."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner, Result

from queuecheck.cli import cli
from queuecheck.cli.clean import would
from queuecheck.kube.resource import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    NODES,
    PODS,
    PRIORITY_CLASSES,
)
from queuecheck.world.names import DEPLOYMENT_NAMESPACES_NOTE, RUN_LABEL, STARTED_NOTE
from queuecheck.world.remains import Remnant
from tests.fault_server import Answer, FaultServer, Stream, failure, listing

RUN = "x7k2p"
OWN = f"qc-{RUN}"
ELSEWHERE = "batch-system"
FORBIDDEN = failure(403, "Forbidden")
NOTHING = listing("1")
CHANGED = f"Deployment {ELSEWHERE}/the-queue had 2 copies"


def named(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "resourceVersion": "4", **metadata}}


def its_own() -> dict[str, Any]:
    notes = {STARTED_NOTE: "2026-11-30T12:00:00Z", DEPLOYMENT_NAMESPACES_NOTE: ELSEWHERE}
    return named(OWN, labels={RUN_LABEL: RUN}, annotations=notes)


@pytest.fixture
def left(server: FaultServer) -> FaultServer:
    """A killed run's own namespace, and a Deployment elsewhere that it has scaled to 0."""
    server.script("GET", NAMESPACES.path(), listing("1", its_own()))
    server.script("WATCH", NAMESPACES.path(), Stream(end="silence"))
    server.script("GET", NAMESPACES.path(name=ELSEWHERE), Answer(200, named(ELSEWHERE)))
    server.script("GET", NODES.path(), NOTHING)
    for home in ("koord-queue", ELSEWHERE, OWN):
        for resource in (CONFIG_MAPS, DEPLOYMENTS, PODS):
            server.script("GET", resource.path(namespace=home), NOTHING)
    scaled = named("the-queue", annotations={"queuecheck.dev/as-found": "2"})
    server.script("GET", DEPLOYMENTS.path(namespace=ELSEWHERE), listing("1", scaled))
    place = DEPLOYMENTS.path(namespace=ELSEWHERE, name="the-queue")
    server.script("PATCH", place, Answer(200, scaled))
    server.script("DELETE", NAMESPACES.path(name=OWN), Answer(200, {}))
    return server


def clean(server: FaultServer, *words: str) -> Result:
    place = ("--kubeconfig", str(server.kubeconfig), "--context", "here")
    return CliRunner().invoke(cli, ["clean", *place, "--yes", *words])


def it_goes(server: FaultServer) -> None:
    """The run's own namespace is in the lists of before, and in none of afterwards."""
    before = listing("1", its_own())
    server.script("GET", NAMESPACES.path(), before, before, listing("9"))


def test_one_run_is_not_forgotten_while_what_it_changed_is_not_put_back(left: FaultServer) -> None:
    answer = clean(left, "--run", RUN)
    assert answer.exit_code == 3
    assert answer.stderr == (
        f"queuecheck: Namespace {OWN} stays: a run has changed the controller ({CHANGED}): "
        "clean without --run puts it back\n"
    )
    assert "nothing of" not in answer.stdout
    assert left.requests("DELETE") == left.requests("PATCH") == []


def test_what_a_run_changed_elsewhere_is_put_back_and_then_it_is_forgotten(
    left: FaultServer,
) -> None:
    it_goes(left)
    answer = clean(left)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.splitlines()[1:] == [
        f"run {RUN}, begun 2026-11-30T12:00:00Z",
        f"  Namespace {OWN}",
        CHANGED,
        "all of it is gone",
    ]
    assert answer.stderr == (
        f"queuecheck: 1 thing of run {RUN} would go, and 1 thing of the controller would be put "
        "back\n"
    )
    (patch,) = left.requests("PATCH")
    assert patch.body["spec"] == {"replicas": 2}
    assert [each.path for each in left.requests("DELETE")] == [NAMESPACES.path(name=OWN)]


@pytest.mark.parametrize("words", [(), ("--run", RUN)])
def test_a_user_who_may_not_look_there_does_not_make_others_blind(
    left: FaultServer, words: tuple[str, ...]
) -> None:
    for resource in (CONFIG_MAPS, DEPLOYMENTS):
        left.script("GET", resource.path(namespace=ELSEWHERE), FORBIDDEN)
    answer = clean(left, *words)
    assert answer.exit_code == 3
    assert answer.stderr == (
        f"queuecheck: Namespace {OWN} stays: the run may have changed something in {ELSEWHERE}, "
        "where this user may not list configmaps, deployments\n"
    )
    assert left.requests("DELETE") == []


def test_a_user_who_may_look_at_deployments_alone_sees_those(left: FaultServer) -> None:
    left.script("GET", CONFIG_MAPS.path(namespace=ELSEWHERE), FORBIDDEN)
    answer = clean(left)
    assert answer.exit_code == 3
    assert CHANGED in answer.stdout
    assert "where this user may not list configmaps\n" in answer.stderr
    assert len(left.requests("PATCH")) == 1


def test_where_a_namespace_is_gone_nothing_can_be_changed_any_more(left: FaultServer) -> None:
    for resource in (CONFIG_MAPS, DEPLOYMENTS):
        left.script("GET", resource.path(namespace=ELSEWHERE), FORBIDDEN)
    left.script("GET", NAMESPACES.path(name=ELSEWHERE), failure(404, "NotFound"))
    it_goes(left)
    assert clean(left).exit_code == 0


def test_who_may_not_look_where_no_run_had_deployments_misses_nothing(left: FaultServer) -> None:
    for resource in (CONFIG_MAPS, DEPLOYMENTS):
        left.script("GET", resource.path(namespace="koord-queue"), FORBIDDEN)
    it_goes(left)
    assert clean(left).exit_code == 0


def test_what_may_not_be_deleted_is_told_and_the_rest_goes(left: FaultServer) -> None:
    labels = {RUN_LABEL: RUN}
    classes = [named(f"{OWN}-p{number}", labels=labels) for number in (1, 2)]
    places = [PRIORITY_CLASSES.path(name=each["metadata"]["name"]) for each in classes]
    left.script("GET", DEPLOYMENTS.path(namespace=ELSEWHERE), NOTHING)
    left.script("GET", PRIORITY_CLASSES.path(), listing("1", *classes), listing("9", classes[0]))
    left.script("WATCH", PRIORITY_CLASSES.path(), Stream(end="silence"))
    left.script("DELETE", places[0], FORBIDDEN)
    left.script("DELETE", places[1], Answer(200, {}))
    answer = clean(left)
    assert answer.exit_code == 3
    told = f"PriorityClass {OWN}-p1: DELETE {places[0]}: 403 Forbidden: no"
    assert f"queuecheck: {told}\n" in answer.stderr
    # The namespace that names the run stays as long as something of it does.
    assert [each.path for each in left.requests("DELETE")] == places


def test_what_may_not_be_put_back_is_told_and_its_run_not_forgotten(left: FaultServer) -> None:
    ours = named(f"{OWN}-p1", labels={RUN_LABEL: RUN})
    place = DEPLOYMENTS.path(namespace=ELSEWHERE, name="the-queue")
    left.script("PATCH", place, FORBIDDEN)
    left.script("GET", PRIORITY_CLASSES.path(), listing("1", ours), listing("9"))
    left.script("DELETE", PRIORITY_CLASSES.path(name=f"{OWN}-p1"), Answer(200, {}))
    answer = clean(left)
    assert answer.exit_code == 3
    assert answer.stderr.splitlines()[1:] == [
        f"queuecheck: {CHANGED}: PATCH {place}: 403 Forbidden: no",
        f"queuecheck: Namespace {OWN} stays: it says where the controller is not as it was",
    ]
    assert [each.path for each in left.requests("DELETE")] == [
        PRIORITY_CLASSES.path(name=f"{OWN}-p1")
    ]


def remnants(*runs: str) -> tuple[Remnant, ...]:
    return tuple(Remnant(0, PRIORITY_CLASSES, "", f"qc-{run}-p1", run) for run in runs)


@pytest.mark.parametrize(
    ("runs", "changes", "asked"),
    [
        (("a",), 0, "1 thing of run a would go"),
        (("a", "a"), 0, "2 things of run a would go"),
        (("a", "b", ""), 0, "3 things of 2 runs would go"),
        (("",), 0, "1 thing would go"),
        ((), 1, "1 thing of the controller would be put back"),
        ((), 2, "2 things of the controller would be put back"),
        (
            ("a", "b"),
            2,
            "2 things of 2 runs would go, and 2 things of the controller would be put back",
        ),
    ],
)
def test_only_what_there_is_is_asked_about(runs: tuple[str, ...], changes: int, asked: str) -> None:
    assert would(remnants(*runs), changes) == asked


def test_what_a_proxy_answers_is_one_line_that_cannot_move_the_terminal(
    server: FaultServer,
) -> None:
    server.script("GET", NAMESPACES.path(), Answer(502, "<html>\n<b>Bad \x1b[2Jgateway</b>\n"))
    answer = clean(server)
    assert answer.exit_code == 3
    assert answer.stderr == (
        f"queuecheck: cluster here at {server.url}: GET {NAMESPACES.path()}: 502 : "
        "<html> <b>Bad \ufffd[2Jgateway</b>\n"
    )


def test_what_objects_are_called_cannot_move_the_terminal(left: FaultServer) -> None:
    note = {"queuecheck.dev/as-found": "\x1b[2J2"}
    place = DEPLOYMENTS.path(namespace=ELSEWHERE)
    left.script("GET", place, listing("1", named("the-queue", annotations=note)))
    assert "\x1b" not in clean(left).output
