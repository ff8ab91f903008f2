"""What becomes of a world in the end, and what is written down of it."""

from __future__ import annotations

from pathlib import Path

from tests.world.played import PlayedGround


def test_what_was_made_goes_after_what_is_shared_is_as_it_was(tmp_path: Path) -> None:
    ground = PlayedGround(tmp_path)
    world = ground.world()
    world.open()
    assert world.proxy is not None
    world.close()
    assert ground.done == ["forget", "restore", "reset", "delete Namespace"]


def test_a_kept_world_leaves_the_next_one_what_they_share_as_it_was(tmp_path: Path) -> None:
    ground = PlayedGround(tmp_path)
    world = ground.world()
    world.open()
    assert world.proxy is not None
    world.close(keep=True)
    assert ground.done == ["forget", "restore", "reset"]
