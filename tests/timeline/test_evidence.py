import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from queuecheck.secrecy import MASK, known, mask
from queuecheck.timeline import Failure, write_evidence
from tests.timeline.stage import NAMESPACE, Stage, thing

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ0ZWFtIn0.c2lnbmF0dXJl"
FAILURE = Failure(claim="never", sentence="it is so", reason="it was so")


def everything(directory: Path) -> str:
    return "\n".join(path.read_text() for path in directory.rglob("*") if path.is_file())


def test_the_directory_holds_objects_events_timeline_failure_and_texts(tmp_path: Path) -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    stage.write("Unit", "a", 2, x=2)
    stage.write("Event", "e", 3, reason="Preempted", message="m")
    stage.timeline.gap("Unit", NAMESPACE, "410")
    written = write_evidence(
        tmp_path / "e", stage.timeline, failure=FAILURE, texts={"controller.log": "line"}
    )
    assert written.problem == ""
    assert (tmp_path / "e" / "failure.txt").read_text().startswith("it is so: it was so")
    assert (tmp_path / "e" / "controller.log").read_text() == "line\n"
    assert "Preempted" in (tmp_path / "e" / "events.txt").read_text()
    found = yaml.safe_load((tmp_path / "e" / "objects" / "Unit_team_a.yaml").read_text())
    assert found["x"] == 2
    lines = (tmp_path / "e" / "timeline.ndjson").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    assert "began" in entries[0]
    assert [entry.get("resourceVersion") for entry in entries[1:]] == [1, 2, 3, None]
    assert entries[-1]["gap"] == "410"


def test_a_deleted_object_is_kept_and_said_to_be_deleted(tmp_path: Path) -> None:
    stage = Stage()
    stage.write("Unit", "a", 1)
    stage.write("Unit", "a", 2, verb="DELETED")
    write_evidence(tmp_path, stage.timeline)
    assert (tmp_path / "objects" / "Unit_team_a.yaml").read_text().startswith("# deleted at +0ms")


def test_no_secret_object_is_written(tmp_path: Path) -> None:
    stage = Stage()
    stage.write("Secret", "s", 1, data={"x": "aGlkZGVu"})
    write_evidence(tmp_path, stage.timeline)
    assert "aGlkZGVu" not in everything(tmp_path)
    assert not list((tmp_path / "objects").iterdir())


def test_secret_values_in_objects_and_texts_are_masked(tmp_path: Path) -> None:
    stage = Stage()
    stage.write(
        "Pod",
        "p",
        1,
        spec={
            "env": [{"name": "API_TOKEN", "value": "hidden-1"}, {"name": "HOME", "value": "/x"}],
            "args": ["--token=hidden-2", f"use {TOKEN}"],
            "password": "hidden-3",
        },
    )
    stage.write("Event", "e", 2, message="Authorization: Bearer hidden-4444")
    log = 'token: hidden-5\n{"password": "hidden 6 x", "n": 1}\npassword=hidden-7\n'
    key = "-----BEGIN RSA PRIVATE KEY-----\nhidden-8\n-----END RSA PRIVATE KEY-----\n"
    write_evidence(tmp_path, stage.timeline, failure=FAILURE, texts={"log": log + key})
    text = everything(tmp_path)
    assert "hidden" not in text
    assert TOKEN not in text
    assert "/x" in text
    assert '"n": 1' in text


def test_what_is_known_to_be_secret_is_nowhere(tmp_path: Path) -> None:
    stage = Stage()
    planted = "planted-and-like-no-secret"
    stage.write("Job", "low", 1, spec={"args": [planted]})
    stage.write("Event", "e", 2, reason="Said", message=f"it is {planted}")
    failure = replace(FAILURE, reason=planted)
    secrets = known([planted])
    write_evidence(
        tmp_path, stage.timeline, failure=failure, texts={"log": planted}, secrets=secrets
    )
    text = everything(tmp_path)
    assert text.count(MASK) >= 5
    assert planted not in text


def test_managed_fields_are_dropped(tmp_path: Path) -> None:
    stage = Stage()
    found = thing("Unit", "a", 1)
    found["metadata"]["managedFields"] = [{"manager": "noise"}]
    stage.timeline.observe("Unit", "ADDED", found)
    write_evidence(tmp_path, stage.timeline)
    assert "noise" not in everything(tmp_path)
    assert found["metadata"]["managedFields"]


def test_a_name_cannot_lead_out_of_the_directory(tmp_path: Path) -> None:
    stage = Stage()
    write_evidence(tmp_path / "e", stage.timeline, texts={"../../out": "x", "a/b.log": "y"})
    assert [path.name for path in tmp_path.iterdir()] == ["e"]
    assert (tmp_path / "e" / "a-b.log").exists()


def test_a_full_disk_is_one_line_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    written = write_evidence(tmp_path, Stage().timeline, failure=FAILURE)
    assert written.problem == f"evidence in {tmp_path} is incomplete: No space left on device"


def test_half_a_character_spoils_no_file(tmp_path: Path) -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x="half \ud83d")
    stage.write("Event", "e", 2, reason="Preempted", message="half \ud83d")
    failure = replace(FAILURE, reason="half \ud83d")
    written = write_evidence(
        tmp_path, stage.timeline, failure=failure, texts={"controller.log": "half \ud83d"}
    )
    assert written.problem == ""
    assert everything(tmp_path).count("half ?") == 6
    assert yaml.safe_load((tmp_path / "objects" / "Unit_team_a.yaml").read_text())["x"] == "half ?"


def test_what_cannot_be_written_at_all_is_one_line_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(*_: object, **__: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(yaml, "dump", odd)
    stage = Stage()
    stage.write("Unit", "a", 1)
    written = write_evidence(tmp_path, stage.timeline, failure=FAILURE)
    assert written.problem == f"evidence in {tmp_path} is incomplete: RecursionError: too deep"


def test_a_directory_that_cannot_be_made_is_one_line_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    written = write_evidence(tmp_path / "file" / "e", Stage().timeline)
    assert "Not a directory" in written.problem


@given(st.sampled_from(["token", "password", "API_KEY", "client-secret"]), st.integers(0, 4))
def test_masking_twice_is_masking_once(word: str, shape: int) -> None:
    text = [
        f"{word}: abc",
        f"{word}=abc def",
        f'{{"{word}": "a b c", "x": 1}}',
        f"'{word}': 'abc'",
        f"Authorization: Bearer abcdefgh {word}",
    ][shape]
    once = mask(text)
    assert "abc" not in once
    assert mask(once) == once
    assert MASK in once
