"""Raw objects to values. Nothing here raises: objects come from anybody.

What cannot be read is treated as absent, except quantities: a unit with a bad one gets a
``problem``, a quota with a bad one limits that resource to zero (better too little than too much).
Inside an object only plain dictionaries and lists are looked into, as a JSON decoder makes them.
"""

import re
from collections.abc import Mapping
from typing import Any

from controller.core.cost import pod_cost
from controller.core.decisions import Kind, Object, Ref
from controller.core.instants import from_text
from controller.core.model import Admission, PodSet, Quota, Unit
from controller.core.quantity import BadQuantity, amount
from controller.core.vocabulary import JOB_CREATED, PARENT_LABEL, QUOTA_LABEL

_WHOLE = re.compile("[+-]?[0-9]{1,40}")
_INT32 = range(-(2**31), 2**31)


def mapping(holder: Object, *path: str) -> Mapping[str, Any]:
    """The mapping at a path of keys; empty if there is none."""
    found: Any = holder
    for key in path:
        found = found.get(key)
        if not isinstance(found, dict):
            return {}
    return found  # type: ignore[no-any-return]


def mappings(holder: Object, *path: str) -> list[Mapping[str, Any]]:
    """The list of mappings at a path of keys; items of other types are left out."""
    found = mapping(holder, *path[:-1]).get(path[-1])
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def text(holder: Object, *path: str) -> str:
    """The text at a path of keys; "" if there is none."""
    found = mapping(holder, *path[:-1]).get(path[-1])
    return found if isinstance(found, str) else ""


def number(holder: Object, *path: str) -> int | None:
    """The whole number at a path of keys, or None."""
    found = mapping(holder, *path[:-1]).get(path[-1])
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def int32(value: object) -> int | None:
    """The 32-bit integer that a text is in decimal, as in annotations, or None."""
    if not isinstance(value, str) or not _WHOLE.fullmatch(value):
        return None
    return int(value) if int(value) in _INT32 else None


def ref(kind: Kind, raw: Object) -> Ref:
    """The reference of an object, with its UID."""
    meta = mapping(raw, "metadata")
    return Ref(kind, text(meta, "namespace"), text(meta, "name"), text(meta, "uid"))


def unit(raw: Object) -> Unit:
    """A QueueUnit as a value."""
    job_uid = _job_uid(raw)
    since = text(raw, "metadata", "annotations", JOB_CREATED) if job_uid else ""
    created = from_text(since)
    if created is None:
        created = from_text(text(raw, "metadata", "creationTimestamp")) or 0.0
    return Unit(
        ref=ref(Kind.UNIT, raw),
        queue=text(raw, "metadata", "labels", QUOTA_LABEL),
        priority=number(raw, "spec", "priority") or 0,
        created=created,
        pod_sets=tuple(_pod_set(item) for item in mappings(raw, "spec", "podSet")),
        admissions=tuple(_admission(item) for item in mappings(raw, "status", "admissions")),
        phase=text(raw, "status", "phase"),
        message=text(raw, "status", "message"),
        last_allocate=from_text(text(raw, "status", "lastAllocateTime")),
        last_allocate_text=text(raw, "status", "lastAllocateTime"),
        last_update_text=text(raw, "status", "lastUpdateTime"),
        job_uid=job_uid,
    )


def quota(raw: Object) -> Quota:
    """An ElasticQuota as a value."""
    limits = {}
    for resource, value in mapping(raw, "spec", "max").items():
        try:
            limits[resource] = amount(resource, value)
        except BadQuantity:
            limits[resource] = 0
    return Quota(
        ref=ref(Kind.QUOTA, raw),
        created=from_text(text(raw, "metadata", "creationTimestamp")) or 0.0,
        parent=text(raw, "metadata", "labels", PARENT_LABEL),
        maximum=limits,
    )


def _pod_set(item: Object) -> PodSet:
    name = text(item, "name")
    given = number(item, "count")
    count = 1 if given is None else max(given, 0)
    try:
        return PodSet(name, count, pod_cost(mapping(item, "template", "spec")))
    except BadQuantity as error:
        return PodSet(name, count, {}, f"podSet {name} cannot be charged: {error}")


def _admission(item: Object) -> Admission:
    state = item.get("reclaimState")
    return Admission(
        name=text(item, "name"),
        replicas=max(number(item, "replicas") or 0, 0),
        running=max(number(item, "running") or 0, 0),
        mark=(number(state, "replicas") or 0) if isinstance(state, dict) else None,
    )


def _job_uid(raw: Object) -> str:
    consumer = mapping(raw, "spec", "consumerRef")
    return text(consumer, "uid") if consumer.get("kind") == "Job" else ""
