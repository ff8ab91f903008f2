"""What a run that was killed has left of an implementation's Deployments: found, and put back.

Whatever is otherwise than a run found it says so in an annotation; whatever a run has added to it
has a label; and what a run has taken away is kept in a ConfigMap.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from queuecheck.implementation import rollout
from queuecheck.implementation.config_map import AS_FOUND
from queuecheck.implementation.installation import (
    KEPT,
    TAKEN_LABEL,
    forget,
    kept_name,
    kept_of,
)
from queuecheck.implementation.rollout import COPY_LABEL
from queuecheck.kube import (
    AlreadyExists,
    Api,
    ApiError,
    KubeObject,
    Resource,
    going_on,
)
from queuecheck.kube.resource import CONFIG_MAPS, DEPLOYMENTS, PODS

NO_NOTE: KubeObject = {"metadata": {"annotations": {AS_FOUND: None}}}
MISLED = "it is not started before its configuration is put back"
UNREADABLE = "what was noted of it cannot be read; put it back by hand, then delete the"


@dataclass(frozen=True)
class Change:
    """One object; ``found`` is what its annotation says, None for what a run has added.

    Of a Deployment that was ``taken`` away it is the whole of it, as JSON.
    """

    resource: Resource
    namespace: str
    name: str
    found: str | None
    taken: bool = False

    def __str__(self) -> str:
        place = f"{self.resource.kind} {self.namespace}/{self.name}"
        if self.found is None:
            return f"{place} is a run's own"
        if self.taken:
            return f"{place} was taken away"
        if self.resource == DEPLOYMENTS:
            return f"{place} had {self.found} {'copy' if self.found == '1' else 'copies'}"
        return f"{place} had another configuration"

    @property
    def configures(self) -> bool:
        """Whether pods read it, as it is and as it was."""
        return self.resource == CONFIG_MAPS and self.found is not None

    @property
    def starts(self) -> bool:
        """Whether pods come of putting it back."""
        return self.resource == DEPLOYMENTS and self.found is not None


@dataclass(frozen=True)
class Look:
    """What was seen in a namespace; ``hidden``: the kinds that the user may not list there."""

    changes: tuple[Change, ...]
    hidden: tuple[str, ...]


def find_changes(api: Api, namespace: str) -> tuple[Change, ...]:
    """Those in the namespace that the user could have made. Raises ApiError."""
    return look(api, namespace).changes


def look(api: Api, namespace: str) -> Look:
    """The same, and what there is to be seen for others only. Raises ApiError."""
    changes: list[Change] = []
    hidden: list[str] = []
    for resource in (CONFIG_MAPS, DEPLOYMENTS, PODS):
        try:
            found = api.list(resource, namespace=namespace).items
        except ApiError as error:
            if not error.forbidden:
                raise
            hidden.append(resource.plural)
        else:
            changes += filter(None, (_change(resource, namespace, body) for body in found))
    return Look(tuple(changes), tuple(hidden))


def put_back(api: Api, changes: Iterable[Change]) -> dict[Change, str]:
    """Everything is as it was found; pods that have read another configuration are replaced.

    Gives what the server has refused, and of what the note is damaged, with the reason. Either
    keeps nothing else from being put back, but for Deployments beside a configuration that is not.
    """
    left: dict[Change, str] = {}
    # Configuration first: what is started then reads the right one.
    for each in sorted(changes, key=lambda each: each.resource != CONFIG_MAPS):
        refused: list[str] = []
        if each.starts and each.namespace in {it.namespace for it in left if it.configures}:
            refused.append(MISLED)
        else:
            try:
                with going_on(refused):
                    _put_back(api, each, refused)
            except ValueError:
                refused.append(f"{UNREADABLE} {_note(each)}")
        if refused:
            left[each] = "; ".join(refused)
    return left


def _put_back(api: Api, change: Change, refused: list[str]) -> None:
    """Raises ApiError, and ValueError where it cannot be read how it was found."""
    if change.found is None:
        api.delete(
            change.resource, change.name, namespace=change.namespace, propagation="Background"
        )
    elif change.taken:
        with suppress(AlreadyExists):
            api.create(change.resource, _mapping(change.found), namespace=change.namespace)
        forget(api, change.namespace, change.name)
    elif change.resource == DEPLOYMENTS:
        _patch(api, change, NO_NOTE | {"spec": {"replicas": int(change.found)}})
    else:
        _patch(api, change, {"data": _mapping(change.found)})
        _replace_readers(api, change, refused)
        if not refused:  # else whoever comes next has to know of it
            _patch(api, change, NO_NOTE)


def _mapping(found: str) -> KubeObject:
    value = json.loads(found)
    if not isinstance(value, dict):
        raise ValueError(found)
    return value


def _note(change: Change) -> str:
    return f"ConfigMap {kept_name(change.name)}" if change.taken else f"annotation {AS_FOUND}"


def _patch(api: Api, change: Change, patch: KubeObject) -> None:
    api.patch(change.resource, change.name, patch, namespace=change.namespace)


def _change(resource: Resource, namespace: str, body: KubeObject) -> Change | None:
    """What of the object is otherwise than it was found; None if nothing is."""
    metadata = body["metadata"]
    labels = metadata.get("labels") or {}
    if TAKEN_LABEL in labels:
        kept = (body.get("data") or {}).get(KEPT, "")
        return Change(DEPLOYMENTS, namespace, kept_of(metadata["name"]), kept, taken=True)
    # The pods of a copy are its own affair.
    if COPY_LABEL in labels and not metadata.get("ownerReferences"):
        return Change(resource, namespace, metadata["name"], None)
    found = (metadata.get("annotations") or {}).get(AS_FOUND)
    return None if found is None else Change(resource, namespace, metadata["name"], found)


def _replace_readers(api: Api, change: Change, refused: list[str]) -> None:
    for deployment in api.list(DEPLOYMENTS, namespace=change.namespace).items:
        if rollout.mounts(deployment, change.name):
            selector = rollout.selector(deployment)
            for pod in api.list(PODS, namespace=change.namespace, label_selector=selector).items:
                with going_on(refused):
                    api.delete(PODS, pod["metadata"]["name"], namespace=change.namespace)
