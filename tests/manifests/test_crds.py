"""The CRDs as kubectl and the real server see them."""

from __future__ import annotations

import copy
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from queuecheck import resources
from queuecheck.cluster import LocalCluster, read_manifests
from queuecheck.cluster.provision import provide
from queuecheck.kube import Api

UNIT: dict[str, Any] = {
    "apiVersion": "scheduling.x-k8s.io/v1alpha1",
    "kind": "QueueUnit",
    "metadata": {"name": "unit"},
    "spec": {
        "priority": 5,
        "consumerRef": {"kind": "Job", "name": "unit"},
        "podSet": [{"name": "main", "count": 2, "template": {"spec": {"containers": []}}}],
    },
}
Kubectl = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def kubectl(control_plane: LocalCluster, installed: Api, namespace: str) -> Kubectl:
    program = provide().kubectl
    assert program is not None

    def run(*arguments: str, body: object = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                str(program),
                f"--kubeconfig={control_plane.kubeconfig}",
                f"--namespace={namespace}",
                *arguments,
            ],
            input=yaml.safe_dump(body),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


def changed(*path: str | int, value: object) -> dict[str, Any]:
    body = copy.deepcopy(UNIT)
    at: Any = body
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return body


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (changed("spec", "podSet", 0, "count", value=-1), "spec.podSet[0].count"),
        (changed("spec", "podSet", 0, "count", value="two"), "spec.podSet[0].count"),
        (changed("spec", "podSet", value=[{"name": f"set-{n}"} for n in range(9)]), "spec.podSet"),
        (changed("spec", "podSet", value=[]), "spec.podSet"),
        (changed("spec", "podSet", value=[{"name": "a"}, {"name": "a"}]), "Duplicate"),
        (changed("spec", "podSet", 0, "name", value="n" * 64), "spec.podSet[0].name"),
        (changed("spec", "podset", value=[]), 'unknown field "spec.podset"'),
        (changed("spec", "priority", value=2**31), "spec.priority"),
        (changed("spec", "resource", value={"cpu": "two"}), "spec.resource"),
    ],
)
def test_a_unit_that_breaks_the_schema_is_refused_by_field(
    kubectl: Kubectl, body: dict[str, Any], said: str
) -> None:
    answer = kubectl("apply", "-f", "-", body=body)

    assert answer.returncode != 0
    assert said in answer.stderr


def test_a_pod_set_is_called_main_and_counts_one_by_default(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", body=changed("spec", "podSet", value=[{"template": {}}]))

    answer = kubectl("get", "queueunit", "unit", "-o", "jsonpath={.spec.podSet[0]}")

    assert yaml.safe_load(answer.stdout) == {"count": 1, "name": "main", "template": {}}


def test_units_are_listed_with_phase_priority_admissions_job_type_and_age(
    kubectl: Kubectl,
) -> None:
    kubectl("apply", "-f", "-", body=UNIT)
    status = {"status": {"phase": "Enqueued"}}
    kubectl(
        *("patch", "queueunit", "unit", "--subresource=status", "--type=merge"),
        f"--patch={yaml.safe_dump(status)}",
    )

    heads, row = kubectl("get", "qu").stdout.splitlines()

    assert heads.split() == ["NAME", "PHASE", "PRIORITY", "ADMISSIONS", "JOBTYPE", "AGE"]
    assert row.split()[:4] == ["unit", "Enqueued", "5", "Job"]


@pytest.mark.parametrize("amount", ["2", "500m", "1.5", "8Gi", "1E", "128e6", "0.1m", 4])
def test_a_quota_takes_any_quantity(kubectl: Kubectl, amount: object) -> None:
    body = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": "team"},
        "spec": {"min": {"cpu": amount}, "max": {"cpu": amount}},
    }

    answer = kubectl("apply", "-f", "-", body=body)

    assert answer.returncode == 0, answer.stderr


def test_a_quantity_that_is_none_is_refused(kubectl: Kubectl) -> None:
    body = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": "team"},
        "spec": {"max": {"cpu": "two"}},
    }

    answer = kubectl("apply", "-f", "-", body=body)

    assert answer.returncode != 0
    assert "spec.max.cpu" in answer.stderr


@pytest.mark.parametrize(
    "folder", ["examples/enabling", "examples/worked-example"], ids=["enabling", "worked example"]
)
def test_the_governing_texts_manifests_are_accepted_as_they_stand(
    control_plane: LocalCluster, installed: Api, folder: str
) -> None:
    program = provide().kubectl
    directory = resources.manifests_root() / folder

    answer = subprocess.run(
        [
            str(program),
            f"--kubeconfig={control_plane.kubeconfig}",
            *("apply", "--dry-run=server", "--validate=strict", "-f", str(directory)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert answer.returncode == 0, answer.stderr
    assert len(answer.stdout.splitlines()) == len(read_manifests(directory))
