"""Rights of a service account, lent to a user.

An implementation that runs as a process outside the cluster is a user of its own there. So that it
has what its deployed form would have, no more, it is made a subject of every binding of the
service account that it stands for.
"""

from __future__ import annotations

from contextlib import suppress

from queuecheck.implementation import Descriptor
from queuecheck.kube import AlreadyExists, Api, KubeObject, Resource

GROUP = "rbac.authorization.k8s.io"
CLUSTER_ROLE_BINDINGS = Resource(GROUP, "v1", "clusterrolebindings", "ClusterRoleBinding", False)
ROLE_BINDINGS = Resource(GROUP, "v1", "rolebindings", "RoleBinding")


def lend_rights(api: Api, descriptor: Descriptor) -> None:
    """Each process of the descriptor that names a user and an account gets that one's rights."""
    for process in descriptor.processes:
        if process.user is not None and process.account is not None:
            namespace, _, name = process.account.partition("/")
            for resource in (CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS):
                for binding in api.list(resource).items:
                    if _binds(binding, namespace=namespace, name=name):
                        _lend(api, resource, binding, process.user)


def _binds(binding: KubeObject, *, namespace: str, name: str) -> bool:
    return any(
        subject.get("kind") == "ServiceAccount"
        and subject.get("name") == name
        and subject.get("namespace") == namespace
        for subject in binding.get("subjects") or ()
    )


def _lend(api: Api, resource: Resource, binding: KubeObject, user: str) -> None:
    metadata = binding["metadata"]
    namespace = metadata.get("namespace")
    body = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": {"name": f"{metadata['name']}-{user}"},
        "roleRef": binding["roleRef"],
        "subjects": [{"kind": "User", "name": user, "apiGroup": GROUP}],
    }
    with suppress(AlreadyExists):
        api.create(resource, body, namespace=namespace)
