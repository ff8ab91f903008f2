"""Queue objects: what a quota makes of them, and how a queue is served by what they say.

A quota's Queue has its name, in the component's namespace. Annotations with the prefix
``koord-queue/`` are copied and the quota's value wins; which keys came from the quota is remembered
in one annotation of ours, so that they can go with it, and keys set by others stay. A Queue that
was not made from a quota keeps its own spec. Settings are taken from the Queue as it *will* be, so
a decision never waits for a copy to be written.
"""

from collections.abc import Mapping
from typing import Any

from controller.core import decode
from controller.core.decisions import Create, Delete, EmitEvent, Kind, Object, Patch, Ref, Write
from controller.core.model import Settings
from controller.core.vocabulary import (
    COPIED_KEYS,
    GATE_ANNOTATION,
    MADE_FROM,
    MAX_DEPTH_ANNOTATION,
    PARENT_LABEL,
    POLICIES,
    POLICY_LABEL,
    PREEMPTION_ANNOTATION,
    PRIORITY_POLICY,
    QUEUE_ANNOTATION_PREFIX,
    THRESHOLD_ANNOTATION,
)

_DEFAULT_PRIORITY = 1000
_DEFAULT_THRESHOLD = 4


def synchronise(
    *, namespace: str, name: str, quota: Object | None, queue: Object | None
) -> Create | Write | Delete | None:
    """What has to be done for the Queue to be what its quota says; None if it is."""
    if queue is None:
        return None if quota is None else _creation(Ref(Kind.QUEUE, namespace, name), quota)
    target = decode.ref(Kind.QUEUE, queue)
    if quota is None and made_from_quota(queue):
        return Delete(target, "its quota is gone")
    if _patch(quota, queue) is None:
        return None
    return Write(target, lambda fresh: _patch(quota, fresh), "the quota has changed")


def settings(quota: Object | None, queue: Object | None) -> Settings:
    """How the queue is served once its object is what the quota says."""
    annotations = _annotations(quota, queue or {})
    policy = _policy(quota, queue)
    threshold = decode.int32(annotations.get(THRESHOLD_ANNOTATION))
    return Settings(
        policy=policy,
        gate=annotations.get(GATE_ANNOTATION) == "true",
        preemption=annotations.get(PREEMPTION_ANNOTATION) == "true",
        max_depth=_positive(annotations.get(MAX_DEPTH_ANNOTATION)),
        threshold=_DEFAULT_THRESHOLD if threshold is None else threshold,
        problem="" if policy in POLICIES else f"queue policy {policy} is not supported",
    )


def made_from_quota(queue: Object) -> bool:
    """Whether the controller made this Queue, rather than somebody, by hand or as a copy."""
    origin = decode.text(queue, "metadata", "annotations", MADE_FROM)
    return bool(origin) and origin.rpartition("/")[2] == decode.text(queue, "metadata", "name")


def add_failed(queue: Object, problem: str) -> EmitEvent:
    """The Queue is not served; once per generation of its spec."""
    target = decode.ref(Kind.QUEUE, queue)
    generation = decode.number(queue, "metadata", "generation") or 0
    once = f"addqueuefail.{target.uid or target.name}.{generation}"
    return EmitEvent(target, "Warning", "AddQueueFail", problem, once)


def name_taken(younger: Ref, older: Ref) -> EmitEvent:
    """Two quotas have one name; the older one counts. Once per pair."""
    message = f"quota {older} has this name already and is older: this one is not used"
    once = f"nametaken.{younger.uid or younger.name}.{older.uid or older.namespace}"
    return EmitEvent(younger, "Warning", "QuotaNameTaken", message, once)


def _creation(target: Ref, quota: Object) -> Create:
    fields = _desired(quota, {})
    body: Patch = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "Queue",
        "metadata": {
            "name": target.name,
            "namespace": target.namespace,
            "labels": fields["labels"],
            "annotations": {**fields["annotations"], MADE_FROM: _origin(quota)},
        },
        "spec": {"queuePolicy": _label_policy(quota), "priority": _DEFAULT_PRIORITY},
    }
    return Create(target, body, "a quota has this name")


def _patch(quota: Object | None, queue: Object) -> Patch | None:
    desired = _desired(quota, queue)
    made = made_from_quota(queue)
    if made and quota is not None:
        desired["annotations"][MADE_FROM] = _origin(quota)
    metadata = {
        part: changes
        for part in ("labels", "annotations")
        if (changes := _changes(desired[part], decode.mapping(queue, "metadata", part)))
    }
    patch: Patch = {"metadata": metadata} if metadata else {}
    if (
        made
        and quota is not None
        and decode.text(queue, "spec", "queuePolicy") != _label_policy(quota)
    ):
        patch["spec"] = {"queuePolicy": _label_policy(quota)}
    return patch or None


def _desired(quota: Object | None, queue: Object) -> dict[str, dict[str, str]]:
    annotations = _annotations(quota, queue)
    labels = dict(decode.mapping(queue, "metadata", "labels"))
    if quota is not None and (made_from_quota(queue) or not queue):
        parent = decode.mapping(quota, "metadata", "labels").get(PARENT_LABEL)
        labels.pop(PARENT_LABEL, None)
        if isinstance(parent, str):
            labels[PARENT_LABEL] = parent
    return {"labels": labels, "annotations": annotations}


def _annotations(quota: Object | None, queue: Object) -> dict[str, str]:
    ours = _prefixed(decode.mapping(quota or {}, "metadata", "annotations"))
    theirs = dict(decode.mapping(queue, "metadata", "annotations"))
    for key in str(theirs.pop(COPIED_KEYS, "")).split(","):
        if key.startswith(QUEUE_ANNOTATION_PREFIX):
            theirs.pop(key, None)
    copied = {COPIED_KEYS: ",".join(sorted(ours))} if ours else {}
    return {**theirs, **ours, **copied}


def _prefixed(annotations: Mapping[str, Any]) -> dict[str, str]:
    return {
        key: value
        for key, value in annotations.items()
        if key.startswith(QUEUE_ANNOTATION_PREFIX) and isinstance(value, str)
    }


def _changes(desired: Mapping[str, Any], actual: Mapping[str, Any]) -> dict[str, Any]:
    gone = {key: None for key in actual if key not in desired}
    return gone | {key: value for key, value in desired.items() if actual.get(key) != value}


def _policy(quota: Object | None, queue: Object | None) -> str:
    if quota is not None and (queue is None or made_from_quota(queue)):
        return _label_policy(quota)
    return decode.text(queue or {}, "spec", "queuePolicy") or PRIORITY_POLICY


def _label_policy(quota: Object) -> str:
    policy = decode.text(quota, "metadata", "labels", POLICY_LABEL)
    return policy if policy in POLICIES else PRIORITY_POLICY


def _origin(quota: Object) -> str:
    return str(decode.ref(Kind.QUOTA, quota))


def _positive(value: object) -> int | None:
    found = decode.int32(value)
    return found if found is not None and found > 0 else None
