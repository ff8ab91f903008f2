"""What a descriptor says of components that a cluster runs itself, as Deployments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from queuecheck.implementation.errors import DescriptorError

# What nobody can do to a Deployment: its pods reach the API server by their service account.
IMPOSSIBLE = frozenset({"api-proxy"})
OF_THE_CONFIGURATION = frozenset({"reconfigure", "config-file"})


@dataclass(frozen=True)
class ConfigKey:
    """The configuration file of a component: one key of a ConfigMap in its namespace."""

    config_map: str
    key: str


@dataclass(frozen=True)
class MetricsPage:
    """Where each of its pods shows its metrics."""

    path: str
    port: int


@dataclass(frozen=True)
class Deployed:
    """The Deployment that is one component, and the container in it whose log is the component's.

    Without a name it is the first container.
    """

    component: str
    namespace: str
    name: str
    container: str | None
    config: ConfigKey | None
    metrics: MetricsPage | None


def parse_deployments(data: Mapping[str, Any]) -> tuple[Deployed, ...]:
    """The Deployments of a descriptor that its schema has accepted. Raises DescriptorError."""
    deployments = tuple(_deployed(entry) for entry in data.get("deployments", ()))
    if not deployments:
        if "manifests" in data:
            raise DescriptorError("manifests: they are for deployments, and there are none")
        return ()
    if "config" in data:
        raise DescriptorError("config: of deployments it is what the ConfigMap has; leave it out")
    features = frozenset(data["features"])
    if impossible := features & IMPOSSIBLE:
        raise DescriptorError(f"features: deployments cannot have {min(impossible)}; leave it out")
    wanting = features & OF_THE_CONFIGURATION
    if wanting and all(each.config is None for each in deployments):
        raise DescriptorError(
            f"features: {min(wanting)} needs a config, with configMap and key, of a deployment"
        )
    return deployments


def _deployed(entry: Mapping[str, Any]) -> Deployed:
    config, metrics = entry.get("config"), entry.get("metrics")
    return Deployed(
        component=entry["component"],
        namespace=entry["namespace"],
        name=entry["name"],
        container=entry.get("container"),
        config=ConfigKey(config["configMap"], config["key"]) if config else None,
        metrics=MetricsPage(metrics["path"], metrics["port"]) if metrics else None,
    )
