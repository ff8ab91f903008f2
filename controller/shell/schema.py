"""Whether the server stores what the controller writes, asked without writing anything.

A CRD that lacks a status field prunes it silently; without ``lastAllocateTime``, say, protection
would just be off. The server's OpenAPI v3 documents tell which fields it keeps.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from controller.shell.errors import StartError
from controller.shell.kinds import ELASTIC_QUOTAS, QUEUE_UNITS, QUEUES
from queuecheck.kube import NotFound, Resource

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Requirement:
    """A kind that must be served, and the fields of it that are written; ``[]`` is "each item"."""

    resource: Resource
    fields: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()


_UNIT_STATUS = (
    "status.phase",
    "status.message",
    "status.lastUpdateTime",
    "status.admissions[].name",
    "status.admissions[].replicas",
    "status.admissions[].running",
    "status.admissions[].reclaimState.replicas",
)
_ACTIVE = "status.queueItemDetails.active[]"
_QUEUE_STATUS = tuple(
    f"{_ACTIVE}.{field}" for field in ("name", "namespace", "priority", "position")
)
QUEUE_REQUIREMENTS = (
    Requirement(ELASTIC_QUOTAS),
    Requirement(QUEUES, ("spec.queuePolicy", "spec.priority", *_QUEUE_STATUS), ("status",)),
    Requirement(
        QUEUE_UNITS, (*_UNIT_STATUS, "status.attempts", "status.lastAllocateTime"), ("status",)
    ),
)
EXTENSION_REQUIREMENTS = (Requirement(QUEUE_UNITS, _UNIT_STATUS, ("status",)),)


class Unserved(StartError):
    """A kind, a field or a subresource is not there (yet: a new CRD is published after seconds)."""


def check(requirement: Requirement, read: Callable[[str], str]) -> None:
    """Raises Unserved naming field and CRD. ``read`` gives the text of a GET, or NotFound."""
    resource = requirement.resource
    crd = f"{resource.plural}.{resource.group}"
    try:
        document = json.loads(read(f"/openapi/v3/apis/{resource.api_version}"))
    except NotFound as error:
        raise Unserved(_absent(crd, resource)) from error
    except ValueError as error:
        raise Unserved(f"the server's OpenAPI document of {resource.api_version} is no JSON") from (
            error
        )
    schema = _schema(document, resource)
    if schema is None:
        raise Unserved(_absent(crd, resource))
    for field in requirement.fields:
        if not _keeps(document, schema, field.split(".")):
            raise Unserved(
                f"CRD {crd} has no field {field}: the server would drop it; apply the "
                "CustomResourceDefinition of this version (manifests/crds)"
            )
    for subresource in requirement.subresources:
        path = resource.path(namespace="{namespace}", name="{name}", subresource=subresource)
        plain = path.replace("%7B", "{").replace("%7D", "}")
        if plain not in document.get("paths", {}):
            raise Unserved(
                f"CRD {crd} has no subresource {subresource}; apply the "
                "CustomResourceDefinition of this version (manifests/crds)"
            )


def _absent(crd: str, resource: Resource) -> str:
    return (
        f"the server knows no {resource.kind} ({resource.api_version}): CRD {crd} is not "
        "installed; apply manifests/crds"
    )


def _schema(document: Document, resource: Resource) -> Document | None:
    wanted = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    for schema in document.get("components", {}).get("schemas", {}).values():
        if wanted in schema.get("x-kubernetes-group-version-kind", ()):
            found: Document = schema
            return found
    return None


def _keeps(document: Document, schema: Document, path: list[str]) -> bool:
    """Whether an object of the schema keeps a value at the path."""
    if not path:
        return True
    name, is_list = path[0].removesuffix("[]"), path[0].endswith("[]")
    for node in _variants(document, schema):
        if node.get("x-kubernetes-preserve-unknown-fields"):
            return True
        found = node.get("properties", {}).get(name, node.get("additionalProperties"))
        if not isinstance(found, dict):
            continue
        inner = found.get("items", {}) if is_list else found
        if _keeps(document, inner, path[1:]):
            return True
    return False


def _variants(document: Document, schema: Document) -> Iterator[Document]:
    """The schema itself, and what it refers to."""
    yield schema
    reference = schema.get("$ref", "")
    if reference:
        target = document.get("components", {}).get("schemas", {}).get(reference.rsplit("/", 1)[-1])
        if target is not None:
            yield from _variants(document, target)
    for part in schema.get("allOf", ()):
        yield from _variants(document, part)
