"""What becomes of a world in the end, and what is written down of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from queuecheck.kube import ApiError, Resource
from queuecheck.world import CleanupError
from tests.world.played import PROFILE, PlayedApi, PlayedGround


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


def test_what_may_not_be_deleted_keeps_nothing_else_of_a_world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = PlayedGround(tmp_path)
    world = ground.world()
    world.open()

    def delete(_: PlayedApi, resource: Resource, name: str, **__: object) -> None:
        if resource == PROFILE.quotas:
            raise ApiError(verb="DELETE", path=name, status=403, reason="Forbidden", message="no")
        ground.done.append(f"delete {resource.kind}")

    found = SimpleNamespace(items=[{"metadata": {"name": "it"}}])
    monkeypatch.setattr(PlayedApi, "list", lambda *_, **__: found)
    monkeypatch.setattr(PlayedApi, "delete", delete)
    with pytest.raises(CleanupError) as told:
        world.close()
    assert str(told.value) == "delete what has to go first: DELETE it: 403 Forbidden: no"
    assert ground.done == ["restore", "reset", "delete Job", "delete Namespace"]


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
