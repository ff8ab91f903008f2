"""An implementation of two Deployments, as tests describe it and put it on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from queuecheck.implementation.descriptor import Descriptor, parse_descriptor
from queuecheck.kube import Api, ApiError, KubeObject, Resource
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS, PODS

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


def pods(api: Api, namespace: str, component: str) -> dict[str, KubeObject]:
    found = api.list(PODS, namespace=namespace, label_selector=f"app={component}").items
    return {each["metadata"]["uid"]: each for each in found}


def spec_of(api: Api, namespace: str, component: str) -> KubeObject:
    found: KubeObject = api.get(DEPLOYMENTS, f"the-{component}", namespace=namespace)["spec"]
    return found


def config_now(api: Api, namespace: str) -> Any:
    return yaml.safe_load(api.get(CONFIG_MAPS, "config", namespace=namespace)["data"]["file"])


def refuse(patching: pytest.MonkeyPatch, verb: str, resource: Resource, name: str) -> str:
    """From now on the server says no to that; how it is told."""
    real = getattr(Api, verb)

    def refusing(self: Api, asked: Resource, *words: Any, **others: Any) -> Any:
        if (asked, *words[:1]) == (resource, name):
            raise ApiError(verb=verb, path=name, status=403, reason="Forbidden", message="no")
        return real(self, asked, *words, **others)

    patching.setattr(Api, verb, refusing)
    return f"{verb} {name}: 403 Forbidden: no"


def lose_answer(
    patching: pytest.MonkeyPatch, verb: str, resource: Resource, error: BaseException
) -> None:
    """The server does what it is asked to, and then there is the error in place of its answer."""
    real = getattr(Api, verb)

    def losing(self: Api, asked: Resource, *words: Any, **others: Any) -> Any:
        answer = real(self, asked, *words, **others)
        if asked == resource:
            raise error
        return answer

    patching.setattr(Api, verb, losing)
