"""Everything that is on a cluster: every object of every kind that the server lists.

Two listings are compared to show that a run has left a cluster as it was. Apart are Events and
Leases, which come and go by themselves, what a node's status says, and resourceVersions; and a
ComponentStatus is no object, but a view of what is asked at that moment.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from queuecheck.kube import Api, Resource

APART = frozenset({"Event", "Lease", "ComponentStatus"})
TIME_TO_LIVE = "node.alpha.kubernetes.io/ttl"
PAUSE = 1.0
LOOKS = 90
Listing = dict[str, Any]


def listing(api: Api) -> Listing:
    """Each object by kind, namespace and name."""
    return {
        f"{resource.kind}.{resource.group} {_place(body)}": _lasting(body)
        for resource in sorted(_kinds(api))
        for body in api.list(resource).items
    }


def changes(before: Listing, after: Listing) -> list[str]:
    """A line for each object that is new, gone or another, in order of their places."""
    return [
        line
        for place in sorted(before.keys() | after.keys())
        for line in _changes(place, before.get(place), after.get(place))
    ]


def _changes(place: str, before: Any, after: Any) -> list[str]:
    if after is None:
        return [f"gone: {place}"]
    if before is None:
        return [f"new: {place}: {after}"]
    fields = sorted(before.keys() | after.keys())
    return [
        f"{place}: {field} was {before.get(field)}, is {after.get(field)}"
        for field in fields
        if before.get(field) != after.get(field)
    ]


def await_rest(api: Api) -> None:
    """Returns when the controllers of a new control plane have done what they do to every one.

    It is ready before that. They give each namespace an account and the authority's certificate,
    and each node a time to live. The rest (roles that are put together, for one) shows only by its
    end: two listings, a while apart, that are the same.
    """
    pause = threading.Event()
    before: Listing = {}
    for _ in range(LOOKS):
        found = listing(api)
        if found == before and _is_cared_for(found):
            return
        before = found
        pause.wait(PAUSE)
    raise AssertionError(f"the cluster does not come to rest: {changes(before, listing(api))}")


def _is_cared_for(found: Listing) -> bool:
    names = [body["metadata"]["name"] for body in found.values() if body["kind"] == "Namespace"]
    nodes = [body["metadata"] for body in found.values() if body["kind"] == "Node"]
    authorities = [found.get(f"ConfigMap. {name}/kube-root-ca.crt") for name in names]
    return (
        all(f"ServiceAccount. {name}/default" in found for name in names)
        and len({each["data"]["ca.crt"] if each else "" for each in authorities} - {""}) == 1
        and None not in authorities
        and all(TIME_TO_LIVE in (each.get("annotations") or {}) for each in nodes)
    )


def _kinds(api: Api) -> set[Resource]:
    versions = [("", "v1")]
    groups = json.loads(api.raw("/apis"))["groups"]
    versions += [(each["name"], each["preferredVersion"]["version"]) for each in groups]
    found = set()
    for group, version in versions:
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        for each in json.loads(api.raw(path))["resources"]:
            listed = "list" in each["verbs"] and "/" not in each["name"]
            if listed and each["kind"] not in APART:
                found.add(Resource(group, version, each["name"], each["kind"], each["namespaced"]))
    return found


def _lasting(body: dict[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in body["metadata"].items() if key != "resourceVersion"}
    lasting = {**body, "metadata": metadata}
    if body["kind"] == "Node":
        del lasting["status"]
        metadata.pop("managedFields", None)  # it tells when the status was written
    return lasting


def _place(body: dict[str, Any]) -> str:
    metadata = body["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}"
