"""Another controller on the cluster is named: by its lease, or by what it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import packaged_descriptor
from queuecheck.implementation.descriptor import parse_descriptor
from queuecheck.implementation.processes import ProcessImplementation
from queuecheck.world import EnvironmentBroken
from queuecheck.world.canary import check_alone
from queuecheck.world.examination import examine
from queuecheck.world.names import RUN_LABEL, canary_name
from tests.existing.somebodys import CONTEXT, TESTS, Somebodys

REFERENCE = packaged_descriptor("reference")
COMMAND = [
    *("{python}", "-m", "controller", "--component=all", "--namespace=koord-queue"),
    *("--kubeconfig={kubeconfig}", "--metrics-bind-address={metrics_address}"),
]
QUIET = 2.0
PATIENCE = 60.0


@contextmanager
def running(somebodys: Somebodys, directory: Path, *flags: str) -> Iterator[None]:
    """The reference as somebody else has installed it."""
    descriptor = parse_descriptor(
        {
            "name": "theirs",
            "version": "1",
            "profile": "koord-queue",
            "features": [],
            "processes": [
                {"component": "all", "command": [*COMMAND, *flags], "ready": {"path": "/readyz"}}
            ],
        }
    )
    theirs = ProcessImplementation(descriptor, somebodys.cluster, directory=directory)
    theirs.start()
    try:
        yield
    finally:
        theirs.close()


def alone(somebodys: Somebodys, namespace: str, seconds: float) -> None:
    check_alone(
        somebodys.admin,
        REFERENCE.profile,
        nodes=somebodys.cluster.nodes,
        namespace=namespace,
        labels={RUN_LABEL: TESTS},
        seconds=seconds,
    )


def test_one_that_holds_a_lease_is_named_before_anything_is_written(
    somebodys: Somebodys, tmp_path: Path
) -> None:
    with running(somebodys, tmp_path, "--identity=theirs"):
        choice = ClusterChoice("existing", somebodys.suite, CONTEXT, "simulated")
        (problem,) = examine(choice, REFERENCE).problems
    assert problem.startswith("another controller serves the same objects: theirs")
    assert "holds the lease koord-queue/koord-queue" in problem
    assert problem.endswith("; end it first")


@pytest.mark.usefixtures("swept")
def test_one_without_a_lease_is_named_by_what_it_writes(
    somebodys: Somebodys, tmp_path: Path
) -> None:
    with (
        running(somebodys, tmp_path, "--no-leader-elect"),
        pytest.raises(EnvironmentBroken) as told,
    ):
        alone(somebodys, canary_name(TESTS, "one"), PATIENCE)
    assert str(told.value).startswith("another controller serves the same objects: ")
    assert "took the canary over before the implementation was started" in str(told.value)


@pytest.mark.usefixtures("swept")
def test_nobody_is_nobody(somebodys: Somebodys) -> None:
    alone(somebodys, canary_name(TESTS, "none"), QUIET)
