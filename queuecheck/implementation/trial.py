"""What comes of starting a component once with another configuration: a pod of its own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from queuecheck.implementation import rollout
from queuecheck.implementation.config_map import ConfigMap
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.verbs import Attempt
from queuecheck.implementation.watched import Watched
from queuecheck.implementation.workload import LEAST_GRACE, Workload
from queuecheck.kube import Api, ApiError, NotFound, Resource
from queuecheck.kube.resource import CONFIG_MAPS, PODS

ATTEMPT_SECONDS = 60.0


def run_trial(
    api: Api,
    workload: Workload,
    config_map: ConfigMap,
    *,
    config: Mapping[str, Any] | str,
    name: str,
) -> Attempt:
    """The pod and its ConfigMap are called ``name``, and gone when this returns."""
    namespace = workload.deployed.namespace
    found, key = workload.found, config_map.key
    file = rollout.config_file(found, workload.container, config_map=key.config_map, key=key.key)
    if file is None:
        raise ImplementationError(
            f"Deployment {namespace}/{workload.name}: container {workload.container} does not "
            f"mount {key.key} of ConfigMap {key.config_map}"
        )
    body = rollout.tried(found, name=name, config_map=key.config_map, instead=name)
    with ExitStack() as stack:  # both go, whatever fails
        stack.callback(_delete, api, CONFIG_MAPS, name, namespace)
        stack.callback(_delete, api, PODS, name, namespace, grace_seconds=LEAST_GRACE)
        config_map.created(name, config)
        api.create(PODS, body, namespace=namespace)
        code = _fate(api, namespace, name, workload.container)
        return Attempt(code, _log(api, namespace, name, workload.container), Path(file))


def _delete(
    api: Api, resource: Resource, name: str, namespace: str, *, grace_seconds: int | None = None
) -> None:
    with suppress(NotFound):
        api.delete(resource, name, namespace=namespace, grace_seconds=grace_seconds)


def _fate(api: Api, namespace: str, name: str, container: str) -> int | None:
    """Its exit code; None once it is ready, or when it still runs after the time."""
    watched = Watched(
        api, PODS, namespace=namespace, seconds=ATTEMPT_SECONDS, fields=f"metadata.name={name}"
    )
    for pods in watched:
        for pod in pods:
            code = rollout.exit_code(pod, container)
            if code is not None or rollout.is_ready(pod):
                return code
            if reason := rollout.hopeless(pod):
                raise ImplementationError(f"the attempt to start: {reason}")
    return None


def _log(api: Api, namespace: str, name: str, container: str) -> str:
    path = PODS.path(namespace=namespace, name=name, subresource="log")
    try:
        return api.raw(path, query={"container": container})
    except ApiError as error:
        return f"(its log cannot be read: {error})"
