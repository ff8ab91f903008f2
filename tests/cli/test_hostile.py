"""Descriptors that nobody should have written: refused before anything starts, in one line."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from queuecheck.cli import cli, one_line

HEAD = "name: mine\nversion: '1'\nprofile: koord-queue\nfeatures: [metrics]\n"
PROCESSES = "processes: [{component: all, command: [mine]}]\n"
BOMB = "config:\n  a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"  {name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
HOSTILE = {
    "an unknown key": (
        HEAD + "procesess: []\n",
        "unknown key 'procesess'; did you mean processes?",
    ),
    "a wrong type": (HEAD + "processes: mine\n", "processes: 'mine' is not of type array"),
    "a path that leads nowhere": (
        HEAD + "manifests: [../../../nowhere]\n"
        "deployments: [{component: all, namespace: a, name: b}]\n",
        "manifests: ../../../nowhere: no such file or directory",
    ),
    "an anchor bomb": (
        HEAD + PROCESSES + BOMB,
        "not usable YAML: its anchors unfold to more than 100000 values",
    ),
    "an anchor in itself": (
        HEAD + PROCESSES + "config: &c {again: *c}\n",
        "not usable YAML: an anchor contains itself",
    ),
    "brackets without end": (HEAD + "config: " + "[" * 9000, "not usable YAML: exceeded maximum"),
    "a tag that makes objects": (
        HEAD + "config: !!python/object/apply:os.system [true]\n",
        "not usable YAML: could not determine a constructor",
    ),
    "no YAML at all": ("\x00\x01", "not usable YAML: "),
    "nothing": ("", "it has to be a mapping with name, version, profile, features, and "),
    "a program text": ("#!/bin/sh\nexit 0\n", "it has to be a mapping with"),
}


def refused(*words: str) -> str:
    with pytest.raises(click.ClickException) as told:
        cli.main(list(words), prog_name="queuecheck", standalone_mode=False)
    assert told.value.exit_code == 2
    return one_line(told.value)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("command", ["run", "list"])
def test_it_is_refused_and_leaves_nothing(directory: Path, hostile: str, command: str) -> None:
    content, message = HOSTILE[hostile]
    (directory / "mine.yaml").write_text(content, "utf-8")
    told = refused(command, "--implementation", "mine.yaml")
    assert told.startswith("implementation mine.yaml")
    assert message in told
    assert len(told) < 300
    assert [each.name for each in directory.iterdir()] == ["mine.yaml"]


def test_a_file_of_100_megabytes_is_not_read(directory: Path) -> None:
    with (directory / "mine.yaml").open("wb") as file:
        os.truncate(file.fileno(), 100_000_000)
    assert refused("run", "--implementation", "mine.yaml") == (
        "implementation mine.yaml: more than 1 MB; is it the right file?"
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [(".", ": Is a directory"), ("/dev/zero", "/dev/zero: more than 1 MB")],
)
def test_what_is_no_file_is_named(path: str, message: str) -> None:
    assert message in refused("run", "--implementation", path)
