"""The unit that stands for a Job: made when the Job is taken over, then kept in step with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controller.core import decode
from controller.core.cost import pod_cost
from controller.core.decisions import Create, Kind, Object, Patch, Ref, Write
from controller.core.jobs.model import Job
from controller.core.model import Unit
from controller.core.quantity import BadQuantity, canonical, times
from controller.core.vocabulary import COPIED_KEYS, JOB_CREATED, OWN_PREFIX, QUOTA_LABEL

_API_VERSION = "scheduling.x-k8s.io/v1alpha1"
# What kubectl keeps for itself about the Job would be wrong on the unit.
_NOT_COPIED = (OWN_PREFIX, "kubectl.kubernetes.io/")


@dataclass(frozen=True)
class Standing:
    """What a unit has to say about its Job: everything but the Job's own fields, resolved."""

    count: int
    priority: int
    overhead: Mapping[str, Any]


def creation(job: Job, raw: Object, standing: Standing) -> Create:
    """The unit of a Job that has none."""
    target = Ref(Kind.UNIT, job.ref.namespace, job.ref.name)
    body: Patch = {
        "apiVersion": _API_VERSION,
        "kind": "QueueUnit",
        "metadata": {
            "name": job.ref.name,
            "namespace": job.ref.namespace,
            "labels": _labels(raw),
            "annotations": _annotations(raw),
            "ownerReferences": [_owner(job)],
        },
        "spec": _spec(job, raw, standing),
    }
    return Create(target, body, "its Job is suspended and has no unit")


def step(job: Job, raw: Object, standing: Standing, unit: Object) -> Write | None:
    """What brings the unit in step with its Job; None if it is."""
    if _difference(job, raw, standing, unit) is None:
        return None
    return Write(
        decode.ref(Kind.UNIT, unit),
        lambda fresh: _difference(job, raw, standing, fresh),
        "its Job has changed",
    )


def withdrawal(unit: Object) -> Write | None:
    """What makes the unit ask for nothing, its pods unchanged; None if it asks for nothing."""

    def change(fresh: Object) -> Patch | None:
        pod_sets = decode.mappings(fresh, "spec", "podSet")
        if all(decode.number(item, "count") == 0 for item in pod_sets):
            return None
        return {"spec": {"podSet": [{**item, "count": 0} for item in pod_sets]}}

    if change(unit) is None:
        return None
    return Write(decode.ref(Kind.UNIT, unit), change, "its Job's pods have changed")


def overhead(unit: Object) -> Mapping[str, Any]:
    """The overhead that a unit is charged; a RuntimeClass that changes later changes no grant."""
    pod_sets = decode.mappings(unit, "spec", "podSet")
    return decode.mapping(pod_sets[0], "template", "spec", "overhead") if pod_sets else {}


def stands_for(unit: Object, job: Job) -> bool:
    """Whether the unit is this Job's: by UID, not by name."""
    return job.ref.uid in {*_owners(unit), decode.unit(unit).job_uid}


def made_here(unit: Object) -> bool:
    """Whether the unit was made for a Job by this extension."""
    ours = JOB_CREATED in decode.mapping(unit, "metadata", "annotations")
    return ours and bool(decode.unit(unit).job_uid)


def owned(unit: Object) -> bool:
    """Whether it goes by itself with its Job; ``--cascade=orphan`` takes that away."""
    return bool(_owners(unit))


def _owners(unit: Object) -> list[Any]:
    owners = decode.mappings(unit, "metadata", "ownerReferences")
    return [item.get("uid") for item in owners if item.get("kind") == "Job"]


def charge_changed(job: Job, raw: Object, standing: Standing, unit: Unit) -> bool:
    """Whether a pod of the Job costs something else than what the unit was granted."""
    costs = {pod_set.name: pod_set.cost for pod_set in unit.pod_sets}
    return job.ref.name in costs and _cost(raw, standing) != costs[job.ref.name]


def _difference(job: Job, raw: Object, standing: Standing, unit: Object) -> Patch | None:
    metadata: dict[str, Any] = {}
    copied = decode.text(unit, "metadata", "annotations", COPIED_KEYS).split(",")
    for part, theirs in (("labels", _labels(raw)), ("annotations", _annotations(raw))):
        found = decode.mapping(unit, "metadata", part)
        gone = dict.fromkeys(found.keys() & {*copied, QUOTA_LABEL} - theirs.keys())
        if changes := {**_changed(theirs, found), **gone}:
            metadata[part] = changes
    spec = _changed(_spec(job, raw, standing), decode.mapping(unit, "spec"))
    if not _class_name(raw) and decode.text(unit, "spec", "priorityClassName"):
        spec["priorityClassName"] = None
    patch = {"metadata": metadata, "spec": spec}
    return {part: fields for part, fields in patch.items() if fields} or None


def _spec(job: Job, raw: Object, standing: Standing) -> dict[str, Any]:
    template = dict(decode.mapping(raw, "spec", "template"))
    if standing.overhead:
        template["spec"] = {"overhead": standing.overhead, **decode.mapping(template, "spec")}
    charge = times(_cost(raw, standing), standing.count)
    spec: dict[str, Any] = {
        "consumerRef": {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "namespace": job.ref.namespace,
            "name": job.ref.name,
            "uid": job.ref.uid,
        },
        "priority": standing.priority,
        "resource": {name: canonical(name, number) for name, number in sorted(charge.items())},
        "podSet": [
            {"name": job.ref.name, "count": standing.count, "template": _without_nulls(template)}
        ],
    }
    if _class_name(raw):
        spec["priorityClassName"] = _class_name(raw)
    return spec


def _cost(raw: Object, standing: Standing) -> dict[str, int]:
    spec = decode.mapping(raw, "spec", "template", "spec")
    try:
        return pod_cost({"overhead": standing.overhead, **spec})
    except BadQuantity:
        return {}


def _class_name(raw: Object) -> str:
    return decode.text(raw, "spec", "template", "spec", "priorityClassName")


def _labels(raw: Object) -> dict[str, Any]:
    return dict(decode.mapping(raw, "metadata", "labels"))


def _annotations(raw: Object) -> dict[str, Any]:
    theirs = decode.mapping(raw, "metadata", "annotations")
    copied = {key: value for key, value in theirs.items() if not key.startswith(_NOT_COPIED)}
    return {
        **copied,
        COPIED_KEYS: ",".join(sorted({*copied, *_labels(raw)})),
        JOB_CREATED: decode.text(raw, "metadata", "creationTimestamp"),
    }


def _owner(job: Job) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": job.ref.name,
        "uid": job.ref.uid,
        "controller": True,
        "blockOwnerDeletion": False,
    }


def _changed(desired: Mapping[str, Any], actual: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that have to be written; a mapping is replaced whole, not merged."""
    changes: dict[str, Any] = {}
    for key, value in desired.items():
        found = actual.get(key)
        if found == value:
            continue
        gone: dict[str, Any] = {}
        if isinstance(value, Mapping) and isinstance(found, Mapping):
            gone = {name: None for name in found if name not in value}
        changes[key] = {**value, **gone} if isinstance(value, Mapping) else value
    return changes


def _without_nulls(value: Any) -> Any:
    """The value as the API server keeps it: it drops nulls, and a comparison must not see them."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
