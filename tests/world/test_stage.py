"""What the scenarios of one worker share: how it comes, and how it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import packaged_descriptor
from queuecheck.timeline import Budgets
from queuecheck.world import CleanupError, EnvironmentBroken, Ground, Stage, cleanup, world
from tests.world.played import Hanging, PlayedGround


def stage_of(tmp_path: Path, *, kind: type[Stage] = Stage) -> Stage:
    return kind(
        run="tests",
        worker="",
        descriptor=packaged_descriptor("reference"),
        cluster=ClusterChoice(provider="local"),
        budgets=Budgets(),
        evidence_directory=tmp_path,
    )


def standing_on(ground: PlayedGround, tmp_path: Path) -> Stage:
    class Standing(Stage):
        @property
        def _opened(self) -> Ground:
            return ground.ground

    return stage_of(tmp_path, kind=Standing)


def test_no_world_begins_beside_the_clean_up_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "RESTORE_SECONDS", 0.05 - cleanup.DEADLINE)
    hanging = Hanging()
    ground = PlayedGround(tmp_path, restore=hanging)
    stage = standing_on(ground, tmp_path)
    first = stage.world("KQ-QTA-01", reproduce="run it")
    first.open()
    with pytest.raises(CleanupError, match=r"^not done within 0.05 s: restore the implementation;"):
        first.close()
    with pytest.raises(EnvironmentBroken, match=r"before has not ended: restore the impl"):
        stage.world("KQ-QTA-02", reproduce="run it")
    hanging.end()
    stage.world("KQ-QTA-02", reproduce="run it").open()
