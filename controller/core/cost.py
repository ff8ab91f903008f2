"""What one pod of a template is charged: the scheduler's formula.

Containers and restartable init containers (sidecars) run together and add up. An ordinary init
container runs beside the sidecars declared before it; the largest such step counts if it exceeds
the sum. Limits stand in for missing requests. Pod-level requests replace the sum where given,
pod-level limits stand in where neither they nor any container says anything. The overhead comes on
top.
"""

from collections.abc import Mapping
from typing import Any

from controller.core.decisions import Object
from controller.core.quantity import amounts, largest, total

# The API server knows pod-level values for these resources only.
_POD_LEVEL = ("cpu", "memory")


def pod_cost(spec: Object) -> dict[str, int]:
    """The charge of one pod in counting units; raises BadQuantity for a quantity that is none."""
    running = [_requests(item) for item in _items(spec, "containers")]
    peak: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    for item in _items(spec, "initContainers"):
        wanted = _requests(item)
        step = total((sidecars, wanted))
        if item.get("restartPolicy") == "Always":
            running.append(wanted)
            sidecars = step
        peak = largest(peak, step)
    cost = largest(total(running), peak)
    whole = _mapping(spec, "resources")
    cost = {**_pod_level(whole, "limits"), **cost, **_pod_level(whole, "requests")}
    return total((cost, amounts(_mapping(spec, "overhead"))))


def _pod_level(resources: Object, key: str) -> dict[str, int]:
    return {
        resource: number
        for resource, number in amounts(_mapping(resources, key)).items()
        if resource in _POD_LEVEL or resource.startswith("hugepages-")
    }


def _requests(holder: Object) -> dict[str, int]:
    resources = _mapping(holder, "resources")
    return amounts({**_mapping(resources, "limits"), **_mapping(resources, "requests")})


def _items(holder: Object, key: str) -> list[Mapping[str, Any]]:
    found = holder.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _mapping(holder: Object, key: str) -> Mapping[str, Any]:
    found = holder.get(key)
    return found if isinstance(found, dict) else {}
