"""The controller's manifests: that they fit each other, the image and what it may do."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from queuecheck import __version__, resources
from queuecheck.cluster import read_manifests
from queuecheck.kube import KubeObject

ROOT = resources.manifests_root()
CHECKOUT = resources.CHECKOUT
ENTRIES = ("controller", "controller/base", "controller/two-replicas")
COMPONENTS = ("queue", "extension")
PERMISSIONS = frozenset({"ServiceAccount", "Role", "RoleBinding", "ClusterRole"})


def composed(directory: Path) -> list[KubeObject]:
    """What kustomize puts together there, but for its patches and counts."""
    kustomization = yaml.safe_load((directory / "kustomization.yaml").read_text("utf-8"))
    found: list[KubeObject] = []
    for resource in kustomization["resources"]:
        path = (directory / resource).resolve()
        found += composed(path) if path.is_dir() else read_manifests(path)
    return found


def kustomized(entry: str) -> list[KubeObject]:
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("there is no kubectl to render with")
    answer = run(program, "kustomize", str(ROOT / entry))
    assert answer.returncode == 0, answer.stderr
    return [each for each in yaml.safe_load_all(answer.stdout) if each]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def key(body: KubeObject) -> tuple[str, str, str]:
    metadata = body["metadata"]
    return body["kind"], metadata.get("namespace", ""), metadata["name"]


@pytest.fixture(params=COMPONENTS)
def deployment(request: pytest.FixtureRequest) -> KubeObject:
    return next(
        each
        for each in composed(ROOT / "controller")
        if each["kind"] == "Deployment" and each["metadata"]["name"] == request.param
    )


def pod(deployment: KubeObject) -> dict[str, Any]:
    spec: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("part", ["crds", "rbac", "controller/base"])
def test_every_file_of_a_part_is_composed(part: str) -> None:
    listed = yaml.safe_load((ROOT / part / "kustomization.yaml").read_text("utf-8"))["resources"]
    files = {each.name for each in (ROOT / part).glob("*.yaml")} - {"kustomization.yaml"}
    assert {each for each in listed if not each.startswith("..")} == files


def test_nothing_is_there_twice() -> None:
    keys = [key(each) for each in composed(ROOT / "controller")]
    assert len(keys) == len(set(keys))


def test_without_the_definitions_everything_else_is_the_same() -> None:
    whole = {key(each) for each in composed(ROOT / "controller")}
    base = {key(each) for each in composed(ROOT / "controller" / "base")}
    assert {kind for kind, _, _ in whole - base} == {"CustomResourceDefinition"}
    assert not base - whole


def test_it_has_the_rights_that_the_suite_gives_it() -> None:
    ours = {key(each): each for each in composed(ROOT / "controller" / "base")}
    given = {key(each): each for each in read_manifests(ROOT / "rbac")}
    assert given.items() <= ours.items()
    assert {key for key in ours if key[0] in PERMISSIONS} <= given.keys()


@pytest.mark.parametrize("component", COMPONENTS)
def test_what_a_component_only_watches_it_may_not_get_one_by_one(component: str) -> None:
    rights = {
        resource: set(rule["verbs"])
        for body in read_manifests(ROOT / "rbac" / f"{component}.yaml")
        for rule in body.get("rules", [])
        for resource in rule["resources"]
    }
    assert rights["pods"] == {"list", "watch"}
    assert rights.get("elasticquotas", {"list", "watch"}) == {"list", "watch"}
    assert "jobs/finalizers" not in rights
    assert ("delete" in rights["queueunits"]) is (component == "extension")


def test_a_deployment_finds_what_it_refers_to(deployment: KubeObject) -> None:
    there = {key(each): each for each in composed(ROOT / "controller")}
    namespace = deployment["metadata"]["namespace"]
    assert ("Namespace", "", namespace) in there
    assert ("ServiceAccount", namespace, pod(deployment)["serviceAccountName"]) in there
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    for volume in pod(deployment).get("volumes", ()):
        configuration = there["ConfigMap", namespace, volume["configMap"]["name"]]
        (mount,) = pod(deployment)["containers"][0]["volumeMounts"]
        files = {f"{mount['mountPath']}/{name}" for name in configuration["data"]}
        assert f"--config={next(iter(files))}" in pod(deployment)["containers"][0]["args"]


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_budget_and_the_metrics_service_select_each_component(component: str) -> None:
    there = {key(each): each for each in composed(ROOT / "controller")}
    labels = there["Deployment", "koord-queue", component]["spec"]["template"]["metadata"]["labels"]
    budget = there["PodDisruptionBudget", "koord-queue", component]["spec"]
    assert budget["selector"]["matchLabels"].items() <= labels.items()
    assert budget["maxUnavailable"] == 1
    assert there["Service", "koord-queue", "metrics"]["spec"]["selector"].items() <= labels.items()


def test_its_flags_are_the_controllers(deployment: KubeObject) -> None:
    answer = run(sys.executable, "-m", "controller", "--help")
    for argument in pod(deployment)["containers"][0]["args"]:
        assert argument.split("=")[0] in answer.stdout


def test_its_image_is_of_this_version(deployment: KubeObject) -> None:
    assert pod(deployment)["containers"][0]["image"] == f"queuecheck-controller:{__version__}"


def test_a_pod_has_no_more_rights_on_its_node_than_it_needs(deployment: KubeObject) -> None:
    (container,) = pod(deployment)["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    context = pod(deployment)["securityContext"]
    assert context["runAsNonRoot"] is True
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    dockerfile = (CHECKOUT / "Dockerfile").read_text("utf-8")
    assert f"USER {context['runAsUser']}:{context['runAsGroup']}" in dockerfile


def test_the_image_has_what_the_controller_imports() -> None:
    dockerfile = (CHECKOUT / "Dockerfile").read_text("utf-8")
    (installed,) = re.findall(r'"\$pip" install (click .*) \\', dockerfile)
    modules = {"PyYAML": "yaml"}
    names = {modules.get(each, each) for each in installed.split()}
    brought_along = {"urllib3"}  # by kubernetes
    assert names | brought_along == set(imported("controller", "queuecheck/kube"))


def imported(*directories: str) -> Iterator[str]:
    for directory in directories:
        for file in (CHECKOUT / directory).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module:
                    names.append(node.module)
                tops = {name.split(".")[0] for name in names}
                yield from tops - sys.stdlib_module_names - {"controller", "queuecheck"}


@pytest.mark.parametrize("entry", ENTRIES)
def test_kustomize_composes_the_same(entry: str) -> None:
    rendered = {key(each): each for each in kustomized(entry)}
    assert rendered.keys() == {key(each) for each in composed(ROOT / entry)}
    labels = rendered["Namespace", "", "koord-queue"]["metadata"]["labels"]
    assert labels == {"pod-security.kubernetes.io/enforce": "restricted"}
    copies = {
        rendered["Deployment", "koord-queue", each]["spec"]["replicas"] for each in COMPONENTS
    }
    assert copies == {2 if entry.endswith("two-replicas") else 1}
