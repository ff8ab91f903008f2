"""What a cluster can do that no contract promises, found out by trying."""

from __future__ import annotations

import itertools

from queuecheck.kube import Api, KubeObject, Resource
from queuecheck.kube.resource import CONFIG_MAPS, EVENTS, SERVICE_ACCOUNTS

ROUNDS = 3


def found_out(api: Api, *, namespace: str) -> frozenset[str]:
    """The words for what the cluster can do of all this; what is tried out there is removed."""
    return frozenset({"cross-kind-order"} if _cross_kind_order(api, namespace) else ())


def _cross_kind_order(api: Api, namespace: str) -> bool:
    """Whether resourceVersions of different kinds count on one clock.

    Writes one object of a kind after one of another, a few times, and compares. Events are among
    the kinds, because large clusters keep them in an etcd of their own.
    """
    kinds = (CONFIG_MAPS, SERVICE_ACCOUNTS, EVENTS)
    written: list[tuple[Resource, str]] = []
    versions: list[int] = []
    try:
        for _, resource in itertools.product(range(ROUNDS), kinds):
            body: KubeObject = {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                "metadata": {"generateName": "queuecheck-order-"},
            }
            if resource == EVENTS:
                body["involvedObject"] = {"kind": "Namespace", "namespace": namespace}
            answer = api.create(resource, body, namespace=namespace)
            written.append((resource, answer["metadata"]["name"]))
            versions.append(int(answer["metadata"]["resourceVersion"]))
    except ValueError:  # the version of this server is no number at all
        return False
    finally:
        for resource, name in written:
            api.delete(resource, name, namespace=namespace)
    return all(before < after for before, after in itertools.pairwise(versions))
