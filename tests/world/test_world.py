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


def test_evidence_is_written_also_where_the_implementation_cannot_be_asked(tmp_path: Path) -> None:
    ground = PlayedGround(tmp_path)
    world = ground.world()
    ground.implementation.answers = False
    evidence = world.take_evidence(error="it went wrong")
    assert evidence.problem == ""
    files = [each for each in evidence.directory.iterdir() if each.is_file()]
    said = {each.name: each.read_text("utf-8") for each in files}
    assert said["logs.txt"] == "no logs: cannot read the log: refused\n"
    assert said["implementation.txt"] == "played 1: cannot read the log: refused\n"
    assert said["error.txt"] == "it went wrong\n"
    assert "timeline.ndjson" in said
