"""An implementation of two Deployments, on simulated nodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml

from queuecheck.cluster import Cluster, LocalCluster
from queuecheck.implementation.deployments import DeploymentImplementation
from queuecheck.kube import Api
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS
from tests.implementation.deployed import (
    COMPONENTS,
    config_map,
    deployment,
    described,
)


@pytest.fixture
def room(control_plane: LocalCluster, namespace: str) -> Iterator[str]:
    """The namespace, whose pods find a node that runs them."""
    control_plane.nodes.open_slot(namespace, pods=20)
    control_plane.nodes.run(namespace)
    yield namespace
    control_plane.nodes.close_slot(namespace)


@pytest.fixture
def installed_by_hand(api: Api, room: str) -> str:
    api.create(CONFIG_MAPS, config_map(room), namespace=room)
    for component in COMPONENTS:
        api.create(DEPLOYMENTS, deployment(room, component), namespace=room)
    return room


@pytest.fixture
def played(
    control_plane: LocalCluster, installed_by_hand: str, tmp_path: Path
) -> Iterator[DeploymentImplementation]:
    found = DeploymentImplementation(
        described(installed_by_hand, tmp_path), cast("Cluster", control_plane)
    )
    found.start()
    yield found
    found.close()


@pytest.fixture
def brought(control_plane: LocalCluster, room: str, tmp_path: Path) -> DeploymentImplementation:
    """Not started yet, with manifests of all that it is."""
    objects = [config_map(room), *(deployment(room, each) for each in COMPONENTS)]
    (tmp_path / "all.yaml").write_text(yaml.safe_dump_all(objects), "utf-8")
    return DeploymentImplementation(
        described(room, tmp_path, manifests=["all.yaml"]), cast("Cluster", control_plane)
    )
