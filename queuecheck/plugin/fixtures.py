"""The fixtures that scenarios stand on: one stage for each process, one world for each scenario."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from queuecheck.cluster.words import CAPABILITIES
from queuecheck.plugin.collection import SUITE
from queuecheck.plugin.suite import FAILED, SCENARIO, Suite, decide, needs_of
from queuecheck.timeline import Budgets
from queuecheck.verdict import Outcome
from queuecheck.world import Stage, World


@pytest.fixture(scope="session")
def qc_stage(pytestconfig: pytest.Config) -> Iterator[Stage]:
    """A cluster with the implementation on it, ready for scenarios."""
    suite: Suite = pytestconfig.stash[SUITE]
    stage = Stage(
        run=str(pytestconfig.option.qc_run),
        worker=suite.worker,
        descriptor=suite.descriptor,
        cluster=str(pytestconfig.option.qc_cluster),
        budgets=Budgets(scale=float(pytestconfig.option.qc_timeout_scale)),
        evidence_directory=suite.evidence_directory,
    )
    try:
        stage.open()
        suite.stage = stage.reason
        yield stage
    finally:
        stage.close()


@pytest.fixture
def world(request: pytest.FixtureRequest, qc_stage: Stage) -> Iterator[World]:
    """The scenario's own world, taken away afterwards."""
    item: pytest.Item = request.node
    suite: Suite = request.config.stash[SUITE]
    scenario = item.stash[SCENARIO]
    for need in needs_of(item):
        if need in CAPABILITIES and need not in qc_stage.capabilities:
            decide(item, Outcome.NOT_SUPPORTED, f"this cluster has no {need}")
    world = qc_stage.world(scenario.requirements[0], reproduce=suite.reproduce(scenario))
    try:
        world.open()
        yield world
    finally:
        keep = request.config.option.qc_keep
        kept = keep == "all" or (keep == "failed" and item.stash.get(FAILED, False))
        world.close(keep=kept)
