"""The usual Job of a scenario, and what a feature says differently.

What a feature says is laid over the usual Job as a merge patch: a null removes, a list replaces.
Only what has to be on every container for the API server's sake is filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from queuecheck.kube import KubeObject

IMAGE = "registry.k8s.io/pause:3.10"


@dataclass(frozen=True)
class Ask:
    """What a Job asks for: so many pods of so many cpu, and maybe so much memory, each."""

    pods: int
    cpu: str
    memory: str = ""

    @property
    def requests(self) -> dict[str, str]:
        """The requests of one container."""
        return {"cpu": self.cpu} | ({"memory": self.memory} if self.memory else {})


def usual_job(
    name: str,
    *,
    labels: Mapping[str, str],
    ask: Ask,
    suspend: bool,
    priority_class: str | None,
) -> KubeObject:
    """A Job of one container, without retries."""
    resources = {"requests": ask.requests}
    urgency = {} if priority_class is None else {"priorityClassName": priority_class}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": {
            "suspend": suspend,
            "parallelism": ask.pods,
            "completions": ask.pods,
            "backoffLimit": 0,
            "template": {
                "spec": {
                    **urgency,
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": IMAGE, "resources": resources}],
                }
            },
        },
    }


def laid_over(job: KubeObject, said: Mapping[str, Any]) -> KubeObject:
    """The Job with what a feature says of it."""
    merged: KubeObject = _merged(job, said)
    pod = merged["spec"]["template"]["spec"]
    for key in ("initContainers", "containers"):
        if key in pod:
            pod[key] = [{"image": IMAGE, **container} for container in pod[key]]
    return merged


def pods_at_once(job: KubeObject) -> int:
    """As many pods as run side by side."""
    wanted = int(job["spec"].get("parallelism", 1))
    completions = job["spec"].get("completions")
    return wanted if completions is None else min(wanted, int(completions))


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(new, Mapping):
        return new
    merged = dict(old) if isinstance(old, Mapping) else {}
    for key, value in new.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), value)
    return merged
