"""Manifests of an implementation on a cluster: put there where they are missing, and taken away.

What is there already is left as it is. Definitions of custom resources are the cluster's affair:
they are neither made nor deleted here. What is brought carries a label, so that another worker, or
whoever comes after a run that was killed, takes it away, too. A Deployment of somebody else's that
is taken away is kept in a ConfigMap until it is back: whoever comes after a run that was killed can
bring it back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from queuecheck.cluster.manifests import read_manifests, served_resources
from queuecheck.implementation.deployed import Deployed
from queuecheck.implementation.errors import ImplementationError
from queuecheck.kube import (
    AlreadyExists,
    Api,
    ApiError,
    KubeObject,
    NotFound,
    Resource,
    going_on,
)
from queuecheck.kube.resource import (
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    DEPLOYMENTS,
    NAMESPACES,
)

# The ConfigMap has the Deployment's name after this prefix, and keeps all of it under this key.
TAKEN_LABEL = "queuecheck.dev/taken-away"
TAKEN = "queuecheck-taken-"
KEPT = "deployment.json"
BROUGHT_LABEL = "queuecheck.dev/brought"
# Whoever uninstalls a controller keeps the namespace with the queues in it.
STAYING = frozenset({NAMESPACES.kind})


class Installation:
    """What was brought to a cluster, and what was taken away from it."""

    def __init__(self, api: Api, manifests: Sequence[Path]) -> None:
        self._api = api
        self._manifests = tuple(manifests)
        self._resources: dict[str, dict[str, Resource]] = {}
        self.brought: list[KubeObject] = []
        # Of what is being made nobody knows yet: an answer can be lost, or a Ctrl-C come.
        self._perhaps: list[KubeObject] = []
        self._taken: list[KubeObject] = []

    def make_complete(self, deployments: Iterable[Deployed]) -> None:
        """Applies the manifests if one of the Deployments is not there. Raises ApiError."""
        if not self._manifests:
            return
        complete = all(self._is_there(each) for each in deployments)
        for body in (body for path in self._manifests for body in read_manifests(path)):
            if body["kind"] == CUSTOM_RESOURCE_DEFINITIONS.kind:
                continue
            ours = _labelled(body)
            self._perhaps = [ours]
            if (not complete and self._create(ours)) or self._is_brought(ours):
                self.brought.append(ours)
            self._perhaps = []

    def take_away(self, deployments: Iterable[KubeObject]) -> None:
        """All that the manifests brought, but no namespace; and the Deployments in any case."""
        ours = {_key(body) for body in self.brought}
        taken = {_key(body): body for body in (*deployments, *self.brought)}
        self._taken = [body for body in taken.values() if body["kind"] not in STAYING]
        for body in self._taken:
            if _key(body) not in ours:
                self._keep(body)
            self._delete(body)

    @property
    def lacks(self) -> bool:
        """Whether anything is still taken away."""
        return bool(self._taken)

    def bring_back(self) -> list[str]:
        """What was taken away, and told what cannot be, which is still lacking then."""
        told: list[str] = []
        for body in sorted(self._taken, key=lambda each: each["kind"] == DEPLOYMENTS.kind):
            try:
                self._create(body)
                if body["kind"] == DEPLOYMENTS.kind:
                    metadata = body["metadata"]
                    forget(self._api, metadata["namespace"], metadata["name"])
            except (ApiError, ImplementationError) as error:
                told.append(str(error))
            else:
                self._taken.remove(body)
        return told

    def _keep(self, deployment: KubeObject) -> None:
        metadata = deployment["metadata"]
        kept = {
            "apiVersion": "v1",
            "kind": CONFIG_MAPS.kind,
            "metadata": {
                "name": kept_name(metadata["name"]),
                "labels": {TAKEN_LABEL: "true"},
            },
            "data": {KEPT: json.dumps(deployment)},
        }
        with suppress(AlreadyExists):
            self._api.create(CONFIG_MAPS, kept, namespace=metadata["namespace"])

    def remove(self) -> list[str]:
        """Everything that the manifests brought, the last first; it does not wait.

        Told what the server refuses to delete.
        """
        refused: list[str] = []
        for body in self._perhaps:
            with going_on(refused):
                if body not in self.brought and self._is_brought(body):
                    self.brought.append(body)
        for body in reversed(self.brought):
            with going_on(refused):
                self._delete(body)
        self.brought, self._perhaps = [], []
        return refused

    def _is_there(self, deployed: Deployed) -> bool:
        try:
            self._api.get(DEPLOYMENTS, deployed.name, namespace=deployed.namespace)
        except NotFound:
            return False
        return True

    def _is_brought(self, body: KubeObject) -> bool:
        """Whether what is there was put there by a run, as far as this user can know."""
        metadata = body["metadata"]
        try:
            found = self._api.get(
                self._resource(body), metadata["name"], namespace=metadata.get("namespace")
            )
        except (NotFound, ImplementationError):  # the object is not there, or its kind
            return False
        except ApiError as error:
            if error.forbidden:
                return False
            raise
        return BROUGHT_LABEL in (found["metadata"].get("labels") or {})

    def _create(self, body: KubeObject) -> bool:
        """Whether it was not there."""
        resource = self._resource(body)
        try:
            self._api.create(resource, body, namespace=body["metadata"].get("namespace"))
        except AlreadyExists:
            return False
        return True

    def _delete(self, body: KubeObject) -> None:
        metadata = body["metadata"]
        with suppress(NotFound):
            self._api.delete(
                self._resource(body),
                metadata["name"],
                namespace=metadata.get("namespace"),
                propagation="Background",
            )

    def _resource(self, body: KubeObject) -> Resource:
        version = body["apiVersion"]
        if version not in self._resources:
            self._resources[version] = served_resources(self._api, version)
        if body["kind"] not in self._resources[version]:
            name = body["metadata"].get("name")
            raise ImplementationError(f"{body['kind']} {name}: the server has no such kind")
        return self._resources[version][body["kind"]]


def forget(api: Api, namespace: str, deployment: str) -> None:
    """The Deployment is back, and need not be kept any longer."""
    with suppress(NotFound):
        api.delete(CONFIG_MAPS, kept_name(deployment), namespace=namespace)


def _labelled(body: KubeObject) -> KubeObject:
    metadata = body["metadata"]
    labels = {**(metadata.get("labels") or {}), BROUGHT_LABEL: "true"}
    return {**body, "metadata": {**metadata, "labels": labels}}


def kept_name(deployment: str) -> str:
    """Of the ConfigMap that keeps it."""
    return f"{TAKEN}{deployment}"


def kept_of(config_map: str) -> str:
    """Of the Deployment that it keeps, whatever is in it."""
    return config_map.removeprefix(TAKEN)


def _key(body: KubeObject) -> tuple[str, str, str]:
    metadata = body["metadata"]
    return body["kind"], metadata.get("namespace", ""), metadata["name"]
