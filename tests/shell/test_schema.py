import copy
import json
from typing import Any

import pytest

from controller.shell.kinds import QUEUE_UNITS
from controller.shell.schema import Requirement, Unserved, check
from queuecheck.kube import NotFound

LEAF = {"type": "string"}
STATUS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "phase": LEAF,
        "lastAllocateTime": LEAF,
        "admissions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": LEAF,
                    "reclaimState": {"type": "object", "properties": {"replicas": LEAF}},
                },
            },
        },
    },
}
FIELDS = (
    "status.phase",
    "status.lastAllocateTime",
    "status.admissions[].reclaimState.replicas",
)
NEEDED = Requirement(QUEUE_UNITS, FIELDS, ("status",))
PATH = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/{namespace}/queueunits/{name}/status"


def document(status: Any) -> dict[str, Any]:
    return {
        "paths": {PATH: {}},
        "components": {
            "schemas": {
                "io.x-k8s.scheduling.v1alpha1.QueueUnit": {
                    "type": "object",
                    "properties": {"status": copy.deepcopy(status)},
                    "x-kubernetes-group-version-kind": [
                        {"group": "scheduling.x-k8s.io", "version": "v1alpha1", "kind": "QueueUnit"}
                    ],
                },
                "Status": copy.deepcopy(STATUS),
            }
        },
    }


def verify(served: dict[str, Any]) -> None:
    asked: list[str] = []

    def read(path: str) -> str:
        asked.append(path)
        return json.dumps(served)

    check(NEEDED, read)
    assert asked == ["/openapi/v3/apis/scheduling.x-k8s.io/v1alpha1"]


@pytest.mark.parametrize(
    "status",
    [
        STATUS,
        {"$ref": "#/components/schemas/Status"},
        {"allOf": [{"$ref": "#/components/schemas/Status"}], "default": {}},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    ],
)
def test_a_schema_that_keeps_every_field_is_accepted(status: dict[str, Any]) -> None:
    verify(document(status))


def test_a_field_that_would_be_pruned_is_named_with_its_crd() -> None:
    status = copy.deepcopy(STATUS)
    del status["properties"]["lastAllocateTime"]
    with pytest.raises(Unserved) as raised:
        verify(document(status))
    line = str(raised.value)
    assert "status.lastAllocateTime" in line
    assert "queueunits.scheduling.x-k8s.io" in line
    assert raised.value.exit_code == 1


def test_a_field_deep_in_a_list_is_looked_for_too() -> None:
    status = copy.deepcopy(STATUS)
    status["properties"]["admissions"]["items"]["properties"]["reclaimState"]["properties"] = {}
    with pytest.raises(Unserved, match=r"status\.admissions\[\]\.reclaimState\.replicas"):
        verify(document(status))


def test_a_kind_without_status_subresource_is_refused() -> None:
    served = document(STATUS)
    served["paths"] = {}
    with pytest.raises(Unserved, match="no subresource status"):
        verify(served)


def test_a_crd_that_is_not_installed_is_named() -> None:
    with pytest.raises(Unserved, match=r"queueunits.* is not installed"):
        verify({"components": {"schemas": {}}})

    def missing(path: str) -> str:
        raise NotFound(verb="GET", path=path, status=404, reason="NotFound", message="")

    with pytest.raises(Unserved, match="is not installed"):
        check(NEEDED, missing)


def test_a_document_that_is_no_json_is_refused() -> None:
    with pytest.raises(Unserved, match="no JSON"):
        check(NEEDED, lambda _: "<html>")
