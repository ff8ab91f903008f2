"""Putting files of objects onto an API server, and custom resources into use.

Applying twice changes nothing. A definition of a custom resource that is already there is left
alone if it keeps every field of ours (a newer one may well have more), and refused if it would
drop one: an API server prunes what a schema does not name without a word, and a controller whose
status field vanishes misbehaves in ways that are hard to trace.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from queuecheck.cluster.errors import ClusterError
from queuecheck.kube import (
    AlreadyExists,
    Api,
    ApiError,
    Changed,
    KubeObject,
    Listed,
    ListWatch,
    NotFound,
    Resource,
)
from queuecheck.kube.resource import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES

ESTABLISH_SECONDS = 30.0
ASK_EVERY = 0.02
YAML_SUFFIXES = frozenset({".yaml", ".yml"})
# What kustomize reads to put manifests together is none itself.
KUSTOMIZATIONS = frozenset({"kustomization.yaml", "kustomization.yml"})


def read_manifests(path: Path) -> list[KubeObject]:
    """Every object in a file, or in the files of a directory and those below it, by file name.

    Raises ClusterError for a file that is missing, not YAML, or holds something else.
    """
    files = [path] if path.is_file() else sorted(_files(path))
    if not files:
        raise ClusterError(f"{path}: no manifest there")
    return [document for file in files for document in _documents(file)]


def apply_manifests(api: Api, path: Path, *, field_manager: str = "queuecheck") -> None:
    """Creates what is missing and updates what differs.

    Definitions of custom resources come first, then namespaces, then the rest in the files' order.

    Returns when every custom resource can be listed, and the server says that it has the kind.
    Raises ClusterError, with the file's object in the message, for whatever the server refuses.
    """
    objects = read_manifests(path)
    definitions = [each for each in objects if each["kind"] == CUSTOM_RESOURCE_DEFINITIONS.kind]
    for definition in definitions:
        _define(api, definition, field_manager=field_manager)
    _await_established(api, definitions)
    resources: dict[str, dict[str, Resource]] = {}
    others = [each for each in objects if each["kind"] != CUSTOM_RESOURCE_DEFINITIONS.kind]
    for body in sorted(others, key=lambda each: each["kind"] != NAMESPACES.kind):
        version = body["apiVersion"]
        if version not in resources:
            resources[version] = served_resources(api, version)
        resource = resources[version].get(body["kind"])
        if resource is None:
            raise ClusterError(f"{_title(body)}: the server has no such kind")
        _put(api, resource, body, field_manager=field_manager)


def served_resources(api: Api, api_version: str) -> dict[str, Resource]:
    """The kinds that the server serves in one group and version; empty for an unknown one."""
    group, _, version = api_version.rpartition("/")
    path = f"/apis/{group}/{version}" if group else f"/api/{version}"
    try:
        answer = yaml.safe_load(api.raw(path))
    except NotFound:
        return {}
    return {
        each["kind"]: Resource(group, version, each["name"], each["kind"], each["namespaced"])
        for each in answer["resources"]
        if "/" not in each["name"]
    }


def lost_fields(ours: KubeObject, theirs: KubeObject) -> list[str]:
    """Paths that our definition of a custom resource has and theirs would prune.

    By version: ``v1alpha1.status.admissions[].replicas``; a version that they do not serve at all
    is one path.
    """
    served = {each["name"]: each for each in theirs["spec"]["versions"] if each.get("served")}
    lost: list[str] = []
    for version in ours["spec"]["versions"]:
        name = version["name"]
        if name not in served:
            lost.append(name)
            continue
        schema = version.get("schema", {}).get("openAPIV3Schema", {})
        other = served[name].get("schema", {}).get("openAPIV3Schema", {})
        lost += _pruned(schema, other, name)
        if _has_status(version) and not _has_status(served[name]):
            lost.append(f"{name} subresource status")
    return lost


def _files(directory: Path) -> Iterator[Path]:
    return (
        each
        for each in directory.rglob("*")
        if each.suffix in YAML_SUFFIXES and each.name not in KUSTOMIZATIONS
    )


def _documents(file: Path) -> Iterator[KubeObject]:
    try:
        documents = list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise ClusterError(f"{file}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ClusterError(f"{file}: not YAML: {' '.join(str(error).split())}") from error
    for document in documents:
        if document is None:
            continue
        if not isinstance(document, dict) or not {"apiVersion", "kind"} <= document.keys():
            raise ClusterError(f"{file}: a document without apiVersion and kind")
        if document["kind"] == "List":
            yield from document.get("items", ())
        else:
            yield document


def _define(api: Api, definition: KubeObject, *, field_manager: str) -> None:
    name = definition["metadata"]["name"]
    try:
        there = api.get(CUSTOM_RESOURCE_DEFINITIONS, name)
    except NotFound:
        _put(api, CUSTOM_RESOURCE_DEFINITIONS, definition, field_manager=field_manager)
        return
    lost = lost_fields(definition, there)
    if lost:
        shown = ", ".join(lost[:3]) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
        raise ClusterError(
            f"CustomResourceDefinition {name} is already there and would drop {shown}; "
            f"update it, or delete it and start again"
        )


def _put(api: Api, resource: Resource, body: KubeObject, *, field_manager: str) -> None:
    metadata = body["metadata"]
    name, namespace = metadata["name"], metadata.get("namespace")
    if resource.namespaced and namespace is None:
        namespace = "default"
    try:
        try:
            api.create(resource, body, namespace=namespace, field_manager=field_manager)
        except AlreadyExists:
            there = api.get(resource, name, namespace=namespace)
            if not _covers(there, body):
                api.patch(resource, name, body, namespace=namespace, field_manager=field_manager)
    except ApiError as error:
        raise ClusterError(f"{_title(body)}: {error.message or error}") from error


def _await_established(api: Api, definitions: Iterable[KubeObject]) -> None:
    """Established, one list that works, and named as served: none of them promises the next."""
    waiting = {each["metadata"]["name"]: each for each in definitions}
    if not waiting:
        return
    names = ", ".join(sorted(waiting))
    watch = ListWatch(api, CUSTOM_RESOURCE_DEFINITIONS)
    timer = threading.Timer(ESTABLISH_SECONDS, watch.stop)
    timer.daemon = True
    timer.start()
    left = set(waiting)
    try:
        for item in watch:
            if isinstance(item, Listed):
                seen: tuple[KubeObject, ...] = item.objects
            else:
                seen = (item.object,) if isinstance(item, Changed) else ()
            left -= {each["metadata"]["name"] for each in seen if _established(each)}
            if not left:
                break
    finally:
        timer.cancel()
        watch.stop()
    if left:
        raise ClusterError(f"{names}: not established within {ESTABLISH_SECONDS:g} s")
    for definition in waiting.values():
        _await_served(api, definition)


def _await_served(api: Api, definition: KubeObject) -> None:
    spec = definition["spec"]
    version = next(each["name"] for each in spec["versions"] if each.get("served"))
    names = spec["names"]
    resource = Resource(spec["group"], version, names["plural"], names["kind"])
    deadline = time.monotonic() + ESTABLISH_SECONDS
    while why := _why_not_served(api, resource):
        if time.monotonic() > deadline:
            raise ClusterError(f"{names['plural']}: {why}")
        time.sleep(ASK_EVERY)


def _why_not_served(api: Api, resource: Resource) -> str:
    """What may pass; "" where it is."""
    try:
        api.list(resource)
        kinds = served_resources(api, resource.api_version)
    except ApiError as error:
        if not (isinstance(error, NotFound) or error.transient):
            raise
        return f"cannot be listed: {error}"
    return "" if resource.kind in kinds else "the server does not say that it has such a kind"


def _has_status(version: KubeObject) -> bool:
    return "status" in version.get("subresources", {})


def _established(definition: KubeObject) -> bool:
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def _pruned(ours: Mapping[str, Any], theirs: Mapping[str, Any], path: str) -> list[str]:
    if theirs.get("x-kubernetes-preserve-unknown-fields"):
        return []
    lost: list[str] = []
    for name, schema in ours.get("properties", {}).items():
        below = f"{path}.{name}"
        other = theirs.get("properties", {}).get(name)
        if other is None and not isinstance(theirs.get("additionalProperties"), dict):
            lost.append(below)
        else:
            found = theirs["additionalProperties"] if other is None else other
            lost += _pruned(schema, found, below)
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        schema, other = ours.get(key), theirs.get(key)
        if isinstance(schema, dict):
            if isinstance(other, dict):
                lost += _pruned(schema, other, path + mark)
            elif not other:
                lost.append(path + mark)
    return lost


def _covers(there: Any, wanted: Any) -> bool:
    """Whether everything wanted is there, whatever else is."""
    if isinstance(wanted, dict):
        return isinstance(there, dict) and all(
            key in there and _covers(there[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(there, list)
            and len(there) == len(wanted)
            and all(_covers(one, other) for one, other in zip(there, wanted, strict=True))
        )
    return bool(there == wanted)


def _title(body: KubeObject) -> str:
    return f"{body['kind']} {body.get('metadata', {}).get('name', '')}".strip()
