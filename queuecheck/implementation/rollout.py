"""What Deployments and their pods tell, and what is made of them: pure functions over objects.

A *copy* is a second Deployment beside the one that was found. Its pods carry the labels of the
first one's, so that services reach them too, and one more that tells them apart.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from typing import Any

from queuecheck.cluster.pods import containers, is_leaving, is_over, phase, uid, waits
from queuecheck.kube import KubeObject

COPY_LABEL = "queuecheck.dev/copy"
# What a pod does not get out of by waiting a little longer.
HOPELESS = frozenset(
    {"CrashLoopBackOff", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"}
)
# What a server adds to an object; without it the object can be created again.
SERVERS_OWN = frozenset(
    {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"}
)
REVISION = "deployment.kubernetes.io/revision"


def selector(deployment: KubeObject, *, of_copy: str | None = None) -> str:
    """The label selector for its pods: those of the copy of that name, or of none."""
    wanted = deployment["spec"]["selector"]
    terms = [
        f"{key}={value}"
        for key, value in (wanted.get("matchLabels") or {}).items()
        if key != COPY_LABEL
    ]
    for each in wanted.get("matchExpressions") or ():
        values = ",".join(each.get("values") or ())
        terms.append(
            {
                "In": f"{each['key']} in ({values})",
                "NotIn": f"{each['key']} notin ({values})",
                "Exists": each["key"],
                "DoesNotExist": f"!{each['key']}",
            }[each["operator"]]
        )
    terms.append(f"!{COPY_LABEL}" if of_copy is None else f"{COPY_LABEL}={of_copy}")
    return ",".join(terms)


def settled(
    pods: Iterable[KubeObject], *, copies: int, leaving: Collection[str] = frozenset()
) -> bool:
    """So many ready pods, none of them one that has to leave, and no other that still runs."""
    there = [pod for pod in pods if not is_over(pod)]
    return len(there) == copies and all(
        is_ready(pod) and not is_leaving(pod) and uid(pod) not in leaving for pod in there
    )


def scaled_down(deployment: KubeObject, *, generation: int) -> bool:
    """Whether the controllers have seen that generation, and have asked all pods to leave."""
    status = deployment.get("status") or {}
    return int(status.get("observedGeneration", 0)) >= generation and not status.get("replicas")


def is_ready(pod: KubeObject) -> bool:
    """As its readiness probe says."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def restarts(pod: KubeObject) -> int:
    """How many times a container of it was started again."""
    return sum(int(each.get("restartCount", 0)) for each in containers(pod))


def hopeless(pod: KubeObject) -> str | None:
    """Why it will not become ready, if that can be said already."""
    for wait in waits(pod):
        if wait.reason in HOPELESS:
            return f"pod {pod['metadata']['name']}: container {wait.container}: {wait}"
    return None


def state(pod: KubeObject) -> str:
    """In one line, what it is and what it waits for."""
    reasons = [str(wait) for wait in waits(pod)]
    reasons += [
        f"{each.get('reason')}: {each.get('message')}"
        for each in (pod.get("status") or {}).get("conditions") or ()
        if each["type"] == "PodScheduled" and each["status"] == "False"
    ]
    what = "ending" if is_leaving(pod) else phase(pod)
    told = f" ({'; '.join(reasons)})" if reasons else ""
    ready = "" if what != "Running" or is_ready(pod) else ", not ready"
    return f"pod {pod['metadata']['name']} is {what}{ready}{told}"


def last_end(pod: KubeObject) -> str:
    """How a container of it ended before it was started again."""
    for each in containers(pod):
        ended = (each.get("lastState") or {}).get("terminated") or {}
        if ended:
            why = f", {ended['reason']}" if ended.get("reason") else ""
            return f"container {each['name']} ended with exit code {ended.get('exitCode')}{why}"
    return "a container ended"


def exit_code(pod: KubeObject, container: str) -> int | None:
    """Of a container that has ended."""
    for each in containers(pod):
        ended = (each.get("state") or {}).get("terminated")
        if each["name"] == container and ended:
            return int(ended.get("exitCode", -1))
    return None


def container_of(deployment: KubeObject, name: str | None) -> str:
    """The named container, or the first. Raises KeyError if there is none of that name."""
    names = [str(each["name"]) for each in _template(deployment)["spec"]["containers"]]
    if name is None:
        return names[0]
    if name not in names:
        raise KeyError(f"no container {name}; it has {', '.join(names)}")
    return name


def mounts(deployment: KubeObject, config_map: str) -> bool:
    """Whether its pods have that ConfigMap among their volumes."""
    return any(
        (each.get("configMap") or {}).get("name") == config_map
        for each in _template(deployment)["spec"].get("volumes") or ()
    )


def config_file(deployment: KubeObject, container: str, *, config_map: str, key: str) -> str | None:
    """Where the container finds that key of the ConfigMap; None if it is not mounted."""
    spec = _template(deployment)["spec"]
    volumes = {
        each["name"]: each["configMap"]
        for each in spec.get("volumes") or ()
        if (each.get("configMap") or {}).get("name") == config_map
    }
    (found,) = (each for each in spec["containers"] if each["name"] == container)
    for mount in found.get("volumeMounts") or ():
        if mount["name"] in volumes:
            items = volumes[mount["name"]].get("items") or ({"key": key, "path": key},)
            for item in items:
                if item["key"] == key:
                    inside = mount.get("subPath") == item["path"]
                    return str(mount["mountPath"]) + ("" if inside else f"/{item['path']}")
    return None


def again(found: KubeObject) -> KubeObject:
    """The object as it has to be given to create it once more."""
    body = {key: value for key, value in found.items() if key != "status"}
    metadata = {key: value for key, value in found["metadata"].items() if key not in SERVERS_OWN}
    if annotations := metadata.get("annotations"):
        metadata["annotations"] = {
            key: value for key, value in annotations.items() if key != REVISION
        }
    return {**body, "metadata": metadata}


def copied(found: KubeObject, *, name: str, instance: str) -> KubeObject:
    """A Deployment like that one, with one pod of its own."""
    body = again(copy.deepcopy(found))
    label = {COPY_LABEL: instance}
    labels = {**(body["metadata"].get("labels") or {}), **label}
    body["metadata"] = {"name": name, "namespace": body["metadata"]["namespace"], "labels": labels}
    spec = body["spec"]
    spec["replicas"] = 1
    wanted = spec["selector"]
    wanted["matchLabels"] = {**(wanted.get("matchLabels") or {}), **label}
    metadata = spec["template"].setdefault("metadata", {})
    metadata["labels"] = {**(metadata.get("labels") or {}), **label}
    return body


def tried(found: KubeObject, *, name: str, config_map: str, instead: str) -> KubeObject:
    """A pod of that Deployment's that nobody starts again, with another ConfigMap in its place.

    It has none of the Deployment's labels, so that nobody takes it for one of its own.
    """
    spec: dict[str, Any] = copy.deepcopy(_template(found)["spec"])
    spec["restartPolicy"] = "Never"
    for volume in spec.get("volumes") or ():
        if (volume.get("configMap") or {}).get("name") == config_map:
            volume["configMap"]["name"] = instead
    metadata = {
        "name": name,
        "namespace": found["metadata"]["namespace"],
        "labels": {COPY_LABEL: name},
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _template(deployment: KubeObject) -> KubeObject:
    template: KubeObject = deployment["spec"]["template"]
    return template
