from typing import Any

import pytest

from controller.core.cost import pod_cost
from controller.core.quantity import BadQuantity


def container(cpu: str, *, sidecar: bool = False) -> dict[str, Any]:
    more = {"restartPolicy": "Always"} if sidecar else {}
    return {"resources": {"requests": {"cpu": cpu}}, **more}


def test_containers_add_up() -> None:
    assert pod_cost({"containers": [container("1"), container("500m")]}) == {"cpu": 1500}


def test_sidecars_run_beside_the_containers() -> None:
    spec = {"initContainers": [container("1", sidecar=True)], "containers": [container("2")]}
    assert pod_cost(spec) == {"cpu": 3000}


def test_an_init_step_larger_than_the_rest_counts() -> None:
    spec = {"initContainers": [container("5")], "containers": [container("2")]}
    assert pod_cost(spec) == {"cpu": 5000}


def test_an_init_step_runs_beside_the_sidecars_declared_before_it_only() -> None:
    early, late = container("1", sidecar=True), container("3", sidecar=True)
    spec = {"initContainers": [early, container("5"), late], "containers": [container("1")]}
    assert pod_cost(spec) == {"cpu": 6000}
    spec = {"initContainers": [early, late, container("5")], "containers": [container("1")]}
    assert pod_cost(spec) == {"cpu": 9000}


def test_limits_stand_in_for_missing_requests_one_by_one() -> None:
    resources = {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "1Ki"}}
    assert pod_cost({"containers": [{"resources": resources}]}) == {"cpu": 1000, "memory": 1024}


def test_overhead_comes_on_top() -> None:
    spec = {"containers": [container("1")], "overhead": {"cpu": "250m", "memory": "1Mi"}}
    assert pod_cost(spec) == {"cpu": 1250, "memory": 2**20}


def test_pod_level_resources_replace_the_sum_where_the_api_server_knows_them() -> None:
    spec = {
        "containers": [{"resources": {"requests": {"cpu": "1", "example.com/gpu": "1"}}}],
        "resources": {"requests": {"cpu": "4", "example.com/gpu": "9"}},
    }
    assert pod_cost(spec) == {"cpu": 4000, "example.com/gpu": 1}


def test_pod_level_limits_stand_in_only_where_nobody_requests_anything() -> None:
    spec = {
        "containers": [container("1"), container("2")],
        "resources": {"limits": {"cpu": "8", "memory": "1Ki"}},
    }
    assert pod_cost(spec) == {"cpu": 3000, "memory": 1024}
    assert pod_cost({**spec, "containers": [{}]}) == {"cpu": 8000, "memory": 1024}


def test_no_resources_cost_nothing() -> None:
    assert pod_cost({"containers": [{}]}) == {}
    assert pod_cost({}) == {}


@pytest.mark.parametrize("spec", [{"containers": "x"}, {"containers": [None]}, {"overhead": 3}])
def test_what_has_the_wrong_shape_costs_nothing(spec: dict[str, Any]) -> None:
    assert pod_cost(spec) == {}


def test_a_bad_quantity_is_reported() -> None:
    with pytest.raises(BadQuantity, match="cpu"):
        pod_cost({"containers": [container("much")]})
