"""The fixtures that scenarios stand on: one stage for each process, one world for each scenario."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

import pytest

from queuecheck.cluster import ClusterError
from queuecheck.cluster.words import CAPABILITIES
from queuecheck.interruption import held_back
from queuecheck.kube import Api, ApiError
from queuecheck.plugin import options, record
from queuecheck.plugin.collection import SUITE
from queuecheck.plugin.suite import FAILED, SCENARIO, Suite, decide, needs_of
from queuecheck.timeline import HarnessError
from queuecheck.verdict import Outcome
from queuecheck.world import CleanupError, EnvironmentBroken, Stage, World

READY_SECONDS = 30.0  # a server that is merely slow is not lost


@pytest.fixture(scope="session")
def qc_stage(pytestconfig: pytest.Config) -> Iterator[Stage]:
    """A cluster with the implementation on it, ready for scenarios."""
    suite: Suite = pytestconfig.stash[SUITE]
    stage = Stage(
        run=str(pytestconfig.option.qc_run),
        worker=suite.worker,
        descriptor=suite.descriptor,
        cluster=options.cluster_choice(pytestconfig),
        budgets=options.budgets(pytestconfig),
        evidence_directory=suite.evidence_directory,
        canary=pytestconfig.option.qc_must_fail is None,
        keep=pytestconfig.option.qc_keep is not None,
    )
    try:
        stage.open()
        suite.meet(stage)
        yield stage
        if suite.failed:
            with suppress(ClusterError):  # they are of use, and no more than that
                stage.export_logs()
    finally:
        # A Ctrl-C that comes only now waits for that; a second one does not.
        with nullcontext() if suite.interrupted else held_back(once=True):
            try:
                stage.close()
            except KeyboardInterrupt:
                pytestconfig.stash[record.BROKEN_OFF] = _broken_off(pytestconfig)
                raise


def _broken_off(config: pytest.Config) -> str:
    ours = not options.cluster_choice(config).somebodys
    rest = "" if ours else f"; queuecheck clean --run {config.option.qc_run} takes the rest away"
    return f"not all was taken down: interrupted{rest}"


@pytest.fixture
def world(request: pytest.FixtureRequest, qc_stage: Stage) -> Iterator[World]:
    """The scenario's own world, taken away afterwards."""
    item: pytest.Item = request.node
    suite: Suite = request.config.stash[SUITE]
    scenario = item.stash[SCENARIO]
    for need in needs_of(item):
        if need in CAPABILITIES and need not in qc_stage.capabilities:
            decide(item, Outcome.SKIPPED, f"this cluster has no {need}")
    if suite.lost:
        raise EnvironmentBroken(suite.lost)
    with qc_stage.turn(alone=suite.plays_alone(item)):
        world = qc_stage.world(scenario.requirements[0], reproduce=suite.reproduce(scenario))
        keep = request.config.option.qc_keep
        try:
            with _noticing_loss(suite, world, ApiError, HarnessError):
                world.open()
        except BaseException as error:
            try:
                world.close(keep=keep == "all")
            except Exception as left:  # noqa: BLE001 - in the place of a Ctrl-C it would hide it
                error.add_note(str(left))
            raise
        try:
            yield world
        finally:
            failed = item.stash.get(FAILED, False)
            kept = keep == "all" or (keep == "failed" and failed)
            with _noticing_loss(suite, world, CleanupError, HarnessError):
                world.close(keep=kept, failed=failed)


@contextmanager
def _noticing_loss(suite: Suite, world: World, *kinds: type[Exception]) -> Iterator[None]:
    """In the place of such an error EnvironmentBroken, where the API server is lost."""
    try:
        yield
    except kinds as error:
        suite.lost = suite.lost or _loss(world.api)
        if suite.lost:
            raise EnvironmentBroken(suite.lost) from error
        raise


def _loss(api: Api) -> str:
    """Why no scenario will find the cluster again, or "" if it answers.

    Without this each of them would wait anew for a server that does not come back.
    """
    try:
        api.raw("/readyz", read_timeout=READY_SECONDS)
    except ApiError as error:
        # A server that answers lists its checks, a line each; those that fail begin with [-].
        failing = [line for line in error.message.splitlines() if line.startswith("[-]")]
        reason = ", ".join(failing) or error.message
        return f"the API server {api.server} was lost during the run: {reason}"
    return ""
