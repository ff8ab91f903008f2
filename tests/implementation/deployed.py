"""An implementation of two Deployments, as tests describe it and put it on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from queuecheck.implementation.descriptor import Descriptor, parse_descriptor
from queuecheck.kube import KubeObject

COMPONENTS = ("queue", "extension")
CONFIG = {"kind": "Configuration", "time": "0s"}


def config_map(namespace: str) -> KubeObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "config", "namespace": namespace},
        "data": {"file": yaml.safe_dump(CONFIG)},
    }


def deployment(namespace: str, component: str) -> KubeObject:
    labels = {"app": component}
    spec: dict[str, Any] = {
        "nodeSelector": {"queuecheck.dev/slot": namespace},
        "containers": [
            {
                "name": "main",
                "image": "example.invalid/main",
                "volumeMounts": [{"name": "config", "mountPath": "/etc/main"}],
            }
        ],
        "volumes": [{"name": "config", "configMap": {"name": "config"}}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"the-{component}", "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def described(namespace: str, directory: Path, **changes: Any) -> Descriptor:
    entries: list[dict[str, Any]] = [
        {"component": each, "namespace": namespace, "name": f"the-{each}"} for each in COMPONENTS
    ]
    entries[0] |= {"config": {"configMap": "config", "key": "file"}}
    entries[0] |= {"metrics": {"path": "/metrics", "port": 8080}}
    return parse_descriptor(
        {
            "name": "played",
            "version": "1",
            "profile": "koord-queue",
            "features": [],
            "deployments": entries,
            **changes,
        },
        directory=directory,
    )
