"""``queuecheck workload``: the images for nodes of somebody else's."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from queuecheck.cli import cli
from queuecheck.cluster.workload import Workload


def written(*words: str, file: Path) -> list[str]:
    """The names of the images in the archive."""
    answer = CliRunner().invoke(cli, ["workload", "--output", str(file), *words])
    assert answer.exit_code == 0, answer.output
    with tarfile.open(file) as packed:
        manifest = packed.extractfile("manifest.json")
        assert manifest is not None
        return [tag for each in json.load(manifest) for tag in each["RepoTags"]]


@pytest.mark.parametrize("words", [(), ("--repository", "registry.example:5000/team/work")])
def test_the_images_are_those_that_a_run_asks_for(words: tuple[str, ...], tmp_path: Path) -> None:
    asked = Workload(words[1], pulled=True) if words else Workload()
    found = written("--machine", "amd64", *words, file=tmp_path / "workload.tar")
    assert sorted(found) == sorted([asked.runs, asked.succeeds, asked.fails])


@pytest.mark.parametrize("name", ["work:latest", "Team/work", "https://registry/work", ""])
def test_what_is_no_repository_is_refused(name: str, tmp_path: Path) -> None:
    words = ["workload", "--output", str(tmp_path / "w.tar"), "--repository", name]
    answer = CliRunner().invoke(cli, words)
    assert answer.exit_code == 2
    assert "is no repository" in answer.output
    assert not (tmp_path / "w.tar").exists()


def test_every_line_of_the_examples_stands_by_itself() -> None:
    lines = CliRunner().invoke(cli, ["workload", "--help"]).output.splitlines()
    assert "docker load -i workload.tar" in [line.strip() for line in lines]
