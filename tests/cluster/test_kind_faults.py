"""What keeps kind from making a cluster, told in a line."""

from __future__ import annotations

import json

import pytest

from queuecheck.cluster import docker
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.kind_faults import MEGABYTE, Machine, meaning, shortages
from queuecheck.cluster.kind_images import NODE_IMAGES, image_of, kind_version, too_old

HOST = "unix:///run/somewhere.sock"


def test_an_engine_that_answers_says_what_it_has() -> None:
    info = {"ServerVersion": "28.2.2", "Architecture": "x86_64", "MemTotal": 8 * 1024 * MEGABYTE}
    found = docker.read_info(json.dumps(info), "", host=HOST)
    assert (found.version, found.machine, found.memory) == ("28.2.2", "amd64", 8589934592)
    assert found.local


@pytest.mark.parametrize(
    ("output", "errors", "told"),
    [
        ("", "Cannot connect to the Docker daemon at …", "no Docker engine answers at unix:///run"),
        (
            json.dumps({"ServerErrors": ["Cannot connect to the Docker daemon"]}),
            "",
            "start Docker, name another engine in DOCKER_HOST, or take --cluster local",
        ),
        (
            json.dumps({"ServerErrors": ["permission denied while trying to connect"]}),
            "",
            "refuses this user: put the user into the group docker",
        ),
        ("", "dial unix /var/run/docker.sock: connect: permission denied", "refuses this user"),
    ],
)
def test_an_engine_that_does_not_is_told_with_what_to_do(
    output: str, errors: str, told: str
) -> None:
    with pytest.raises(ClusterError, match=told):
        docker.read_info(output, errors, host=HOST)


@pytest.mark.parametrize(
    ("instances", "memory", "nodes", "told"),
    [
        (1024, 8000, 3, []),
        (None, None, 3, []),
        (30, 8000, 1, ["fs.inotify.max_user_instances is 30, and 1 node of kind needs "]),
        (128, 16000, 9, ["fs.inotify.max_user_instances is 128, and 9 nodes of kind need "]),
        (1024, 1000, 1, ["1000 MB of memory are free, and 1 node of kind needs "]),
        (30, 1000, 2, ["fs.inotify.max_user_instances is 30", "1000 MB of memory are free"]),
    ],
)
def test_what_is_short_is_told_with_how_much_is_needed(
    instances: int | None, memory: int | None, nodes: int, told: list[str]
) -> None:
    machine = Machine(instances, None if memory is None else memory * MEGABYTE)
    found = list(shortages(machine, nodes=nodes))
    assert len(found) == len(told)
    assert all(text.startswith(start) for text, start in zip(found, told, strict=True))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            'ERROR: failed to create cluster: failed to pull image "kindest/node:v9": …',
            "the node image kindest/node:v9 is not here and cannot be pulled",
        ),
        (
            'ERROR: node(s) already exist for a cluster with the name "qc"',
            "a cluster named qc is there already",
        ),
        ("… fsnotify: too many open files …", "sysctl fs.inotify.max_user_instances=1024"),
        (
            'ERROR: failed to create cluster: could not find a log line that matches "Reached …"',
            "this kind and the node image kindest/node:v9 do not fit together",
        ),
        ("write /x: no space left on device", "no room left on the disk of Docker"),
        ("Creating …\nERROR: something new\nStack …", "ERROR: something new"),
        ("", "kind failed without a word"),
    ],
)
def test_what_kind_said_is_told_in_a_line(said: str, told: str) -> None:
    found = meaning(said, name="qc", image="kindest/node:v9")
    assert told in found
    assert "\n" not in found


def test_a_version_names_a_node_image() -> None:
    assert image_of("1.36") == NODE_IMAGES[36].name
    assert image_of("v1.36.1") == NODE_IMAGES[36].name


@pytest.mark.parametrize("version", ["1.20", "2.1", "new", "1.36.9", ""])
def test_a_version_without_a_node_image_is_told(version: str) -> None:
    with pytest.raises(ClusterError, match="--kind-image"):
        image_of(version)


def test_kinds_version_is_read_as_it_prints_it() -> None:
    assert kind_version("kind v0.33.0 go1.26.1 linux/amd64\n") == (0, 33)
    assert kind_version("kind version 0.9.0-alpha") == (0, 9)
    with pytest.raises(ClusterError, match="no number"):
        kind_version("hello")


@pytest.mark.parametrize(
    ("version", "image", "fits"),
    [
        ((0, 32), "kindest/node:v1.36.1@sha256:abc", True),
        ((0, 31), "kindest/node:v1.36.1@sha256:abc", False),
        ((0, 31), "mirror.example:5000/node:v1.36.9", False),
        ((0, 17), "kindest/node:v1.38.0", False),
        ((0, 17), "kindest/node:v1.25.3", True),
        ((0, 17), "mine:latest", True),
        ((1, 0), "kindest/node:v1.37.0", True),
    ],
)
def test_a_kind_is_too_old_for_images_of_later_releases(
    version: tuple[int, int], image: str, fits: bool
) -> None:
    assert (too_old(version, image) == "") is fits
