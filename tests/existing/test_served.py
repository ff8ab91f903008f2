"""Which fields a server keeps, told from the schemas that it publishes."""

from __future__ import annotations

from typing import Any

import pytest

from queuecheck.cluster.served import keeps, schema_of
from queuecheck.profiles import load_profile

QUEUES = load_profile("koord-queue").queues
ENTRY = {"type": "object", "properties": {"name": {"type": "string"}}}
SCHEMAS: dict[str, Any] = {
    "io.x.Meta": {"properties": {"uid": {"type": "string"}}},
    "io.x.Queue": {
        "x-kubernetes-group-version-kind": [
            {"group": QUEUES.group, "version": QUEUES.version, "kind": QUEUES.kind}
        ],
        "properties": {
            "metadata": {"allOf": [{"$ref": "#/components/schemas/io.x.Meta"}]},
            "spec": {
                "properties": {
                    "entries": {"type": "array", "items": ENTRY},
                    "limits": {"additionalProperties": {"type": "string"}},
                    "template": {"x-kubernetes-preserve-unknown-fields": True},
                    "closed": {"type": "object"},
                    "text": {"type": "string"},
                }
            },
        },
    },
}


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("spec.text", True),
        ("spec.nothing", False),
        ("status.phase", False),
        ("spec.entries[].name", True),
        ("spec.entries[].value", False),
        ("spec.limits.cpu", True),
        ("spec.template.spec.containers", True),
        ("spec.closed.inside", False),
        ("metadata.uid", True),
    ],
)
def test_a_field_is_kept_where_the_schema_has_a_place_for_it(path: str, *, kept: bool) -> None:
    schema = schema_of(SCHEMAS, QUEUES)
    assert schema is not None
    assert keeps(schema, path, SCHEMAS) is kept


def test_a_kind_that_is_not_published_has_no_schema() -> None:
    assert schema_of({"io.x.Meta": SCHEMAS["io.x.Meta"]}, QUEUES) is None
