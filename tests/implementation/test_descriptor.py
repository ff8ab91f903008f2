"""Descriptors: what is read, and what is refused in one line."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from queuecheck import resources
from queuecheck.implementation import DescriptorError, load_descriptor, packaged_descriptor
from queuecheck.implementation.descriptor import parse_descriptor
from queuecheck.profiles import ProfileError


def descriptor(**changes: Any) -> dict[str, Any]:
    return {
        "name": "mine",
        "version": "1",
        "profile": "koord-queue",
        "features": ["block"],
        "processes": [{"component": "all", "command": ["mine", "{kubeconfig}"]}],
        **changes,
    }


def process(**changes: Any) -> dict[str, Any]:
    return descriptor(processes=[{"component": "all", "command": ["mine"], **changes}])


def deployed(extra: dict[str, Any] | None = None, /, **changes: Any) -> dict[str, Any]:
    entry = {"component": "all", "namespace": "there", "name": "mine", **changes}
    found = {**descriptor(deployments=[entry]), **(extra or {})}
    del found["processes"]
    return found


REFUSED = [
    (descriptor(feature=["block"]), "unknown key 'feature'; did you mean features?"),
    (descriptor(features=["blok"]), "features: unknown feature 'blok'; did you mean block?"),
    (descriptor(features="block"), "features: 'block' is not of type array"),
    (descriptor(name=3), "name: 3 is not of type string"),
    (descriptor(processes=[]), "processes: [] should be non-empty"),
    (process(comand=["x"]), "processes.0: unknown key 'comand'; did you mean command?"),
    (process(command="mine"), "processes.0.command: 'mine' is not of type array"),
    (
        process(command=["{kubconfig}"]),
        "processes.all.command: unknown placeholder {kubconfig}; did you mean kubeconfig?",
    ),
    (process(command=["mine", "a\0"]), "processes.0.command.1: 'a\\x00' does not match"),
    (process(user="a/b"), "processes.0.user: 'a/b' does not match"),
    (
        descriptor(config={"since": {"day": date(2026, 1, 2)}}),
        "config.since.day: JSON has no 2026-01-02; put it in quotes",
    ),
    (descriptor(config={"a": [1, math.nan]}), "config.a.1: JSON has no nan; put it in quotes"),
    (process(component="jobs"), "processes.0.component: 'jobs' is not one of ['queue', "),
    (process(ready={"port": 80}), "processes.0.ready: missing key 'path'"),
    (process(ready={"log": "", "path": "/"}), "processes.0.ready: unknown key 'path'"),
    (process(metrics={"path": "/", "port": 0}), "processes.0.metrics.port: 0 is less than"),
    ({"name": "mine"}, "missing key 'version'"),
    (["mine"], "it has to be a mapping with name, version, profile, features, and "),
    (
        descriptor(processes=[{"component": "all", "command": ["a"]}] * 2),
        "processes: component all is there twice",
    ),
    (
        descriptor(features=["hold-extension"]),
        "features: hold-extension needs a component extension, and there is all; leave it out",
    ),
    (
        deployed({"features": ["second-instance"]}),
        "features: second-instance needs a component queue, and there is all; leave it out",
    ),
    (
        {"name": "mine", "version": "1", "profile": "koord-queue", "features": []},
        "it needs either processes or deployments, and not both",
    ),
    (
        {**descriptor(), **deployed(), "processes": process()["processes"]},
        "it needs either processes or deployments, and not both",
    ),
    (deployed(nmae="x"), "deployments.0: unknown key 'nmae'; did you mean name?"),
    (
        deployed(config={"configMap": "c", "keys": "k"}),
        "deployments.0.config: unknown key 'keys'; did you mean key?",
    ),
    (deployed(metrics={"path": "/m"}), "deployments.0.metrics: missing key 'port'"),
    (
        deployed({"features": ["api-proxy"]}),
        "features: deployments cannot have api-proxy; leave it out",
    ),
    (
        deployed({"features": ["reconfigure"]}),
        "features: reconfigure needs a config, with configMap and key, of a deployment",
    ),
    (descriptor(verbs={"holt": ["x"]}), "verbs: unknown key 'holt'; did you mean hold?"),
    (descriptor(verbs={"hold": ["x"]}), "verbs: hold is a command, so release has to be one too"),
    (
        descriptor(verbs={"start": ["x"], "stop": ["x"], "restart": ["x"]}),
        "verbs: start is a command, so kill has to be one too",
    ),
    (
        descriptor(verbs={"start": ["x"], "stop": ["x"]}),
        "verbs: start is a command, so restart and kill have to be commands too",
    ),
    (
        descriptor(verbs={"kill": ["x", "{config}"]}),
        "verbs.kill: unknown placeholder {config}; did you mean kubeconfig?",
    ),
    (deployed({"config": {}}), "config: of deployments it is what the ConfigMap has; leave it"),
    (descriptor(manifests=["x"]), "manifests: they are for deployments, and there are none"),
]


@pytest.mark.parametrize(("bad", "message"), REFUSED, ids=[each for _, each in REFUSED])
def test_what_cannot_be_used_is_refused_in_one_line(bad: object, message: str) -> None:
    with pytest.raises(DescriptorError) as told:
        parse_descriptor(bad)
    assert str(told.value).startswith(message)
    assert "\n" not in str(told.value)


def test_an_unknown_profile_is_told_with_those_there_are() -> None:
    with pytest.raises(ProfileError, match="no profile 'kueue'; there is koord-queue"):
        parse_descriptor(descriptor(profile="kueue"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, ": No such file or directory"),
        (b"a: 1", ": unknown key 'a'"),
        (b"name: mine\na: [", ":3: not usable YAML: "),
        (b"\x7fELF\x00", ": not usable YAML: "),
        (b"name: \xff", ": it is not UTF-8 text"),
        (b"name: a\nversion: b\nname: c\n", ":3: not usable YAML: key 'name' is there twice"),
    ],
)
def test_the_file_is_named(tmp_path: Path, text: bytes | None, message: str) -> None:
    file = tmp_path / "mine.yaml"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(DescriptorError) as told:
        load_descriptor(file)
    assert str(told.value).startswith(f"implementation {file}{message}")
    assert "\n" not in str(told.value)


def test_the_queue_namespace_is_the_profiles_unless_named() -> None:
    assert parse_descriptor(descriptor()).queue_namespace == "koord-queue"
    assert parse_descriptor(descriptor(queueNamespace="mine")).queue_namespace == "mine"


def test_manifests_are_found_from_the_descriptors_directory(tmp_path: Path) -> None:
    found = parse_descriptor(deployed({"manifests": ["../install"]}), directory=tmp_path)
    assert found.manifests == (tmp_path / "../install",)


@pytest.mark.parametrize(
    "file", sorted(resources.implementations_root().glob("*.yaml")), ids=lambda file: file.stem
)
def test_ours_are_held_to_the_schema(file: Path) -> None:
    assert load_descriptor(file) == packaged_descriptor(file.stem)
