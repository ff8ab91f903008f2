"""What the scenarios of one worker share: how it comes, and how it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck.cluster import ClusterError
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import packaged_descriptor
from queuecheck.timeline import Budgets
from queuecheck.world import CleanupError, EnvironmentBroken, Ground, Stage, cleanup, stage, world
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


class HalfWay:
    """A cluster that cannot be started, nor stopped."""

    trouble: BaseException = ClusterError("no port is free")

    def __init__(self, **_: object) -> None:
        pass

    def start(self) -> None:
        raise self.trouble

    def stop(self) -> None:
        raise OSError("no space left on device")


def test_what_fails_first_is_told_before_what_cannot_be_taken_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "LocalCluster", HalfWay)
    with pytest.raises(EnvironmentBroken) as told:
        stage_of(tmp_path).open()
    assert str(told.value) == "no port is free\nno space left on device"


def test_an_interruption_stays_one_whatever_cannot_be_taken_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HalfWay, "trouble", KeyboardInterrupt())
    monkeypatch.setattr(stage, "LocalCluster", HalfWay)
    with pytest.raises(KeyboardInterrupt) as told:
        stage_of(tmp_path).open()
    assert told.value.__notes__ == ["no space left on device"]


def test_no_world_begins_beside_the_clean_up_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "RESTORE_SECONDS", 0.05 - cleanup.DEADLINE)
    hanging = Hanging()
    ground = PlayedGround(tmp_path, restore=hanging)
    standing = standing_on(ground, tmp_path)
    first = standing.world("KQ-QTA-01", reproduce="run it")
    first.open()
    with pytest.raises(CleanupError, match=r"^not done within 0.05 s: restore the implementation;"):
        first.close()
    with pytest.raises(EnvironmentBroken, match=r"before has not ended: restore the impl"):
        standing.world("KQ-QTA-02", reproduce="run it")
    hanging.end()
    standing.world("KQ-QTA-02", reproduce="run it").open()
