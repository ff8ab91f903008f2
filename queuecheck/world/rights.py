"""What the suite has to be allowed to do on a cluster that is not ours alone.

The roles in ``manifests/suite-rbac`` are the only list of it: what is asked of the server before a
run is what they say, so that neither can have what the other lacks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from queuecheck.cluster.manifests import read_manifests
from queuecheck.kube import Api, KubeObject, Resource

GROUP = "authorization.k8s.io"
REVIEWS = Resource(GROUP, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False)


@dataclass(frozen=True, order=True)
class Right:
    """One verb on one kind; in all namespaces, and on all objects, where none is named."""

    resource: str
    group: str
    namespace: str
    name: str
    verb: str


def rights_of(files: Iterable[Path], *, queue_namespace: str) -> tuple[Right, ...]:
    """What the roles in the files give; a Role's namespace stands for the queue namespace."""
    return tuple(
        Right(resource, group, namespace, name, verb)
        for file in files
        for role in read_manifests(file)
        if role["kind"] in {"ClusterRole", "Role"}
        for namespace in ("" if role["kind"] == "ClusterRole" else queue_namespace,)
        for rule in role["rules"]
        for group, resource, name, verb in itertools.product(
            rule["apiGroups"], rule["resources"], rule.get("resourceNames") or [""], rule["verbs"]
        )
    )


def missing(api: Api, rights: Iterable[Right]) -> tuple[Right, ...]:
    """Those that the server would not grant to whoever asks."""
    return tuple(right for right in rights if not _granted(api, right))


def told(rights: Sequence[Right]) -> str:
    """Them in words: ``list and patch nodes; create queues.scheduling.x-k8s.io in koord-queue``."""
    parts = []
    for _, same in itertools.groupby(sorted(rights), key=_object):
        alike = list(same)
        *verbs, last = (right.verb for right in alike)
        group = f".{alike[0].group}" if alike[0].group else ""
        resource, slash, part = alike[0].resource.partition("/")
        listed = f"{', '.join(verbs)} and {last}" if verbs else last
        what = f"{listed} {resource}{group}{slash}{part}"
        what += f" {alike[0].name}" if alike[0].name else ""
        parts.append(what + (f" in {alike[0].namespace}" if alike[0].namespace else ""))
    return "; ".join(parts)


def _object(right: Right) -> tuple[str, str, str, str]:
    return right.resource, right.group, right.namespace, right.name


def _granted(api: Api, right: Right) -> bool:
    resource, _, subresource = right.resource.partition("/")
    attributes = {
        "verb": right.verb,
        "group": right.group,
        "resource": resource,
        "subresource": subresource,
        "namespace": right.namespace,
        "name": right.name,
    }
    body: KubeObject = {
        "apiVersion": REVIEWS.api_version,
        "kind": REVIEWS.kind,
        "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
    }
    return bool(api.create(REVIEWS, body)["status"].get("allowed"))
