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
from queuecheck.implementation.workload import END_SECONDS, LEAST_GRACE, Workload
from queuecheck.kube import Api, ApiError, NotFound
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
        stack.callback(_delete_config_map, api, namespace, name)
        stack.callback(_delete_pod, api, namespace, name)
        config_map.created(name, config)
        api.create(PODS, body, namespace=namespace)
        code = _fate(api, namespace, name, workload.container)
        return Attempt(code, _log(api, namespace, name, workload.container), Path(file))


def _delete_config_map(api: Api, namespace: str, name: str) -> None:
    with suppress(NotFound):
        api.delete(CONFIG_MAPS, name, namespace=namespace)


def _delete_pod(api: Api, namespace: str, name: str) -> None:
    """Returns when it is gone: until its kubelet has ended it, it is merely asked to leave."""
    try:
        api.delete(PODS, name, namespace=namespace, grace_seconds=LEAST_GRACE)
    except NotFound:
        return
    watched = _watched(api, namespace, name, seconds=END_SECONDS)
    if any(not pods for pods in watched):
        return
    standing = "; ".join(rollout.state(pod) for pod in watched.objects)
    raise ImplementationError(
        f"the attempt to start is not gone {END_SECONDS:g} s after it was deleted: "
        f"{standing or watched.interruption}"
    )


def _watched(api: Api, namespace: str, name: str, *, seconds: float) -> Watched:
    return Watched(api, PODS, namespace=namespace, seconds=seconds, fields=f"metadata.name={name}")


def _fate(api: Api, namespace: str, name: str, container: str) -> int | None:
    """Its exit code; None once it is ready, or when it still runs after the time."""
    for pods in _watched(api, namespace, name, seconds=ATTEMPT_SECONDS):
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
