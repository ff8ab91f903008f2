"""Which fields of a kind a server keeps, read from what it publishes for everybody.

An API server drops what a kind's schema does not name, without a word. Its OpenAPI documents hold
those schemas, and reading them needs no right that an authenticated user does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from queuecheck.kube import Api, NotFound, Resource

KIND = "x-kubernetes-group-version-kind"
ANYTHING = "x-kubernetes-preserve-unknown-fields"


def dropped_fields(api: Api, resource: Resource, fields: Iterable[str]) -> list[str] | None:
    """Those of the paths, ``status.admissions[].name``, that do not read back once written.

    None where the server publishes no schema of the kind.
    """
    try:
        text = api.raw(f"/openapi/v3/apis/{resource.api_version}")
    except NotFound:
        return None
    schemas = (json.loads(text).get("components") or {}).get("schemas") or {}
    schema = schema_of(schemas, resource)
    return None if schema is None else [path for path in fields if not keeps(schema, path, schemas)]


def schema_of(schemas: Mapping[str, Any], resource: Resource) -> Mapping[str, Any] | None:
    """The schema of the kind among those of its group and version."""
    wanted = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    for schema in schemas.values():
        if wanted in (schema.get(KIND) or ()):
            found: Mapping[str, Any] = schema
            return found
    return None


def keeps(schema: Mapping[str, Any], path: str, schemas: Mapping[str, Any]) -> bool:
    """Whether a value at the path would be kept."""
    for step in path.replace("[]", ".[]").split("."):
        schema = _resolved(schema, schemas)
        if schema.get(ANYTHING):
            return True
        below = schema.get("items") if step == "[]" else _property(schema, step)
        if not isinstance(below, Mapping):
            return False
        schema = below
    return True


def _property(schema: Mapping[str, Any], name: str) -> Any:
    properties = schema.get("properties") or {}
    return properties.get(name, schema.get("additionalProperties"))


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    references = [schema, *(schema.get("allOf") or ())]
    for reference in references:
        name = str(reference.get("$ref", "")).rpartition("/")[2]
        if name in schemas:
            found: Mapping[str, Any] = schemas[name]
            return found
    return schema
