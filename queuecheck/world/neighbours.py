"""Who else is on a cluster: others' queues, other controllers, webhooks that own quotas.

Pure: what was listed goes in, sentences come out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from queuecheck.kube import KubeObject, Resource
from queuecheck.profiles import Controllers
from queuecheck.world.names import RUN_LABEL

SHOWN = 3


def others_objects(found: Mapping[Resource, Sequence[KubeObject]]) -> str:
    """``3 ElasticQuota (a/x, b/y, c/z) and 1 Queue (koord-queue/x)``, or "": none but runs'."""
    parts = []
    for resource, objects in found.items():
        names = [_place(each) for each in objects if RUN_LABEL not in _labels(each)]
        if names:
            more = ", …" if len(names) > SHOWN else ""
            parts.append(f"{len(names)} {resource.kind} ({', '.join(names[:SHOWN])}{more})")
    return " and ".join(parts)


def webhooks_on(configurations: Iterable[KubeObject], kinds: Iterable[Resource]) -> Iterator[str]:
    """Each webhook that is asked about one of the kinds by its group, one line each.

    One for all groups there are is a policy of the cluster, and owns none of them.
    """
    for configuration in configurations:
        for webhook in configuration.get("webhooks") or ():
            for kind in kinds:
                if any(_matches(rule, kind) for rule in webhook.get("rules") or ()):
                    name = configuration["metadata"]["name"]
                    yield (
                        f"the webhook {webhook['name']} ({configuration['kind']} {name}) "
                        f"decides about {kind.plural}"
                    )


def holders(
    leases: Iterable[KubeObject], known: Controllers, *, now: datetime, spared: frozenset[str]
) -> Iterator[str]:
    """Controllers that hold a lease of a known name; those in ``spared`` namespaces are ours."""
    for lease in leases:
        metadata, spec = lease["metadata"], lease.get("spec") or {}
        if (
            metadata["namespace"] not in spared
            and any(fnmatchcase(_place(lease), name) for name in known.leases)
            and spec.get("holderIdentity")
            and _valid(spec, now)
        ):
            yield f"{spec['holderIdentity']} holds the lease {_place(lease)}"


def runners(
    pods: Iterable[KubeObject], known: Controllers, *, spared: frozenset[str]
) -> Iterator[str]:
    """Running pods of a known controller's image; those in ``spared`` namespaces are ours."""
    for pod in pods:
        running = (pod.get("status") or {}).get("phase") == "Running"
        if running and pod["metadata"]["namespace"] not in spared:
            for container in pod["spec"]["containers"]:
                if _program(container.get("image", "")) in known.images:
                    yield f"the pod {_place(pod)} runs {container['image']}"


def _matches(rule: KubeObject, kind: Resource) -> bool:
    groups, resources = rule.get("apiGroups") or (), rule.get("resources") or ()
    return kind.group in groups and any(
        name in {"*", "*/*", kind.plural, f"{kind.plural}/*"} for name in resources
    )


def _valid(spec: KubeObject, now: datetime) -> bool:
    renewed = spec.get("renewTime")
    if not renewed:
        return False
    lasts = timedelta(seconds=int(spec.get("leaseDurationSeconds") or 0))
    return datetime.fromisoformat(renewed) + lasts > now


def _program(image: str) -> str:
    """``registry:5000/koord/koord-queue:v1.9@sha256:…`` is koord-queue."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]


def _labels(body: KubeObject) -> Mapping[str, str]:
    return body["metadata"].get("labels") or {}


def _place(body: KubeObject) -> str:
    metadata = body["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])
