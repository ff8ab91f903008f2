"""Manifests on a real API server: applied once, twice, and refused where they would not hold."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from queuecheck.cluster import ClusterError, apply_manifests, read_manifests
from queuecheck.cluster.manifests import lost_fields, served_resources
from queuecheck.kube import Api, KubeObject, Resource
from queuecheck.kube.resource import (
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    NAMESPACES,
)
from tests.fault_server import Answer, FaultServer, failure, listing

GIZMO: KubeObject = yaml.safe_load("""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.tests.queuecheck.dev}
spec:
  group: tests.queuecheck.dev
  scope: Namespaced
  names: {plural: PLURAL, singular: SINGULAR, kind: KIND}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer}
                labels: {type: object, additionalProperties: {type: string}}
            status:
              type: object
              properties:
                parts:
                  type: array
                  items:
                    type: object
                    properties:
                      name: {type: string}
                      takenAt: {type: string}
""")


def definition(singular: str) -> KubeObject:
    names = {"PLURAL": f"{singular}s", "SINGULAR": singular, "KIND": singular.capitalize()}
    text = yaml.safe_dump(GIZMO)
    for placeholder, name in names.items():
        text = text.replace(placeholder, name)
    body: KubeObject = yaml.safe_load(text)
    return body


def write(directory: Path, *objects: KubeObject, name: str = "1.yaml") -> Path:
    (directory / name).write_text(yaml.safe_dump_all(objects))
    return directory


def status_of(body: KubeObject) -> dict[str, Any]:
    schema = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    status: dict[str, Any] = schema["properties"]["status"]
    return status


def test_an_object_of_a_new_kind_can_be_applied_with_the_kind_itself(
    api: Api, tmp_path: Path
) -> None:
    gizmo = {
        "apiVersion": "tests.queuecheck.dev/v1",
        "kind": "Gizmo",
        "metadata": {"name": "one", "namespace": "default"},
        "spec": {"size": 1},
    }
    write(tmp_path, gizmo, name="1-object.yaml")
    write(tmp_path, definition("gizmo"), name="2-kind.yaml")
    apply_manifests(api, tmp_path)
    kind = Resource("tests.queuecheck.dev", "v1", "gizmos", "Gizmo")
    assert api.get(kind, "one", namespace="default")["spec"] == {"size": 1}


def test_applying_twice_changes_nothing(api: Api, tmp_path: Path) -> None:
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "twice", "namespace": "default"},
        "data": {"a": "1"},
    }
    write(tmp_path, definition("twice"), config)
    versions = []
    for _ in range(2):
        apply_manifests(api, tmp_path)
        crd = api.get(CUSTOM_RESOURCE_DEFINITIONS, "twices.tests.queuecheck.dev")
        written = api.get(CONFIG_MAPS, "twice", namespace="default")
        versions.append([each["metadata"]["resourceVersion"] for each in (crd, written)])
    assert versions[0] == versions[1]


def test_what_differs_is_updated(api: Api, tmp_path: Path) -> None:
    config: KubeObject = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "differs", "namespace": "default"},
        "data": {"a": "1"},
    }
    apply_manifests(api, write(tmp_path, config))
    config["data"]["a"] = "2"
    apply_manifests(api, write(tmp_path, config))
    assert api.get(CONFIG_MAPS, "differs", namespace="default")["data"] == {"a": "2"}


def test_a_namespace_is_made_before_what_lives_in_it(api: Api, tmp_path: Path) -> None:
    inside = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inside", "namespace": "t-late"},
    }
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "t-late"}}
    apply_manifests(api, write(tmp_path, inside, namespace))
    assert api.get(NAMESPACES, "t-late")
    assert api.get(CONFIG_MAPS, "inside", namespace="t-late")


def test_a_pruning_definition_that_is_there_is_refused_and_left_alone(
    api: Api, tmp_path: Path
) -> None:
    old = definition("pruner")
    del status_of(old)["properties"]["parts"]["items"]["properties"]["takenAt"]
    apply_manifests(api, write(tmp_path, old))
    before = api.get(CUSTOM_RESOURCE_DEFINITIONS, "pruners.tests.queuecheck.dev")
    with pytest.raises(ClusterError) as caught:
        apply_manifests(api, write(tmp_path, definition("pruner")))
    assert str(caught.value) == (
        "CustomResourceDefinition pruners.tests.queuecheck.dev is already there and would drop "
        "v1.status.parts[].takenAt; update it, or delete it and start again"
    )
    after = api.get(CUSTOM_RESOURCE_DEFINITIONS, "pruners.tests.queuecheck.dev")
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]


def test_what_the_server_refuses_is_named_with_its_reason(api: Api, tmp_path: Path) -> None:
    bad = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "Capital", "namespace": "default"},
    }
    with pytest.raises(ClusterError, match=r"^ConfigMap Capital: .*Invalid value"):
        apply_manifests(api, write(tmp_path, bad))


def test_a_kind_that_the_server_does_not_have_is_named(api: Api, tmp_path: Path) -> None:
    unknown = {"apiVersion": "nowhere.dev/v1", "kind": "Thing", "metadata": {"name": "x"}}
    with pytest.raises(ClusterError, match=r"^Thing x: the server has no such kind$"):
        apply_manifests(api, write(tmp_path, unknown))
    assert served_resources(api, "nowhere.dev/v1") == {}


def test_a_new_kind_is_there_when_the_server_says_so(
    server: FaultServer, client: Api, tmp_path: Path
) -> None:
    established = {"conditions": [{"type": "Established", "status": "True"}]}
    listed = listing("1", {**definition("late"), "status": established})
    kind = {"name": "lates", "kind": "Late", "namespaced": True}
    place = "/apis/tests.queuecheck.dev/v1"
    server.script("POST", CUSTOM_RESOURCE_DEFINITIONS.path(), Answer(201, {}))
    server.script("GET", CUSTOM_RESOURCE_DEFINITIONS.path(), listed)
    server.script("GET", f"{place}/lates", failure(404, "NotFound"), listing("1"))
    server.script("GET", place, Answer(200, {"resources": []}), Answer(200, {"resources": [kind]}))
    server.script("POST", f"{place}/namespaces/default/lates", Answer(201, {}))
    late = {"apiVersion": "tests.queuecheck.dev/v1", "kind": "Late", "metadata": {"name": "one"}}
    apply_manifests(client, write(tmp_path, definition("late"), late))
    assert len(server.requests("POST", f"{place}/namespaces/default/lates")) == 1


def test_subresources_are_no_kinds_of_their_own(api: Api) -> None:
    kinds = served_resources(api, "batch/v1")
    assert kinds["Job"] == Resource("batch", "v1", "jobs", "Job")
    assert set(kinds) == {"Job", "CronJob"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a: [", "1.yaml: not YAML: while parsing"),
        ("- 1\n", "1.yaml: a document without apiVersion and kind"),
        ("kind: Pod\n", "1.yaml: a document without apiVersion and kind"),
    ],
)
def test_a_file_that_is_no_manifest_is_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "1.yaml").write_text(content)
    with pytest.raises(ClusterError) as caught:
        read_manifests(tmp_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="nowhere: no manifest there"):
        read_manifests(tmp_path / "nowhere")


def test_documents_come_by_file_name_and_lists_are_opened(tmp_path: Path) -> None:
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}} for name in "abc"]
    both = {"apiVersion": "v1", "kind": "List", "items": pods[1:]}
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep", both, name="2.yml")
    write(tmp_path, pods[0], name="1.yaml")
    (tmp_path / "notes.txt").write_text("not: [yaml")
    (tmp_path / "kustomization.yaml").write_text("resources: [1.yaml]")
    assert [each["metadata"]["name"] for each in read_manifests(tmp_path)] == ["a", "b", "c"]


def lost(change: dict[str, Any] | None, *, at: tuple[str | int, ...]) -> list[str]:
    theirs = copy.deepcopy(definition("loser"))
    place: Any = theirs["spec"]
    for step in at[:-1]:
        place = place[step]
    if change is None:
        del place[at[-1]]
    else:
        place[at[-1]] = change
    return lost_fields(definition("loser"), theirs)


STATUS = ("versions", 0, "schema", "openAPIV3Schema", "properties", "status")
SPEC = ("versions", 0, "schema", "openAPIV3Schema", "properties", "spec")


def test_a_schema_of_their_own_may_have_more() -> None:
    theirs = definition("loser")
    status_of(theirs)["properties"]["more"] = {"type": "string"}
    assert lost_fields(definition("loser"), theirs) == []


@pytest.mark.parametrize(
    ("change", "at", "found"),
    [
        (None, STATUS, ["v1.status"]),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, STATUS, []),
        ({"type": "object"}, STATUS, ["v1.status.parts"]),
        ({"type": "object"}, (*SPEC, "properties", "labels"), ["v1.spec.labels{}"]),
        ({}, ("versions", 0, "subresources"), ["v1 subresource status"]),
        ("v2", ("versions", 0, "name"), ["v1"]),
        (False, ("versions", 0, "served"), ["v1"]),
    ],
)
def test_every_way_to_drop_a_field_is_found(
    change: Any, at: tuple[str | int, ...], found: list[str]
) -> None:
    assert lost(change, at=at) == found
