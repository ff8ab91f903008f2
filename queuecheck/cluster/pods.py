"""What a pod tells of itself, as the server sent it. All functions are pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from queuecheck.kube import KubeObject

OVER = frozenset({"Succeeded", "Failed"})


@dataclass(frozen=True)
class Wait:
    """Why a container has not started, in the words of its node."""

    container: str
    image: str
    reason: str
    message: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.message}" if self.message else self.reason


def uid(pod: KubeObject) -> str:
    """What no other pod has."""
    return str(pod["metadata"]["uid"])


def version(pod: KubeObject) -> int:
    """What is greater where the pod was written later."""
    return int(pod["metadata"]["resourceVersion"])


def phase(pod: KubeObject) -> str:
    """Pending where it says nothing."""
    return str((pod.get("status") or {}).get("phase", "Pending"))


def is_over(pod: KubeObject) -> bool:
    """Whether it has ended and is merely still listed, as an evicted one is."""
    return phase(pod) in OVER


def is_leaving(pod: KubeObject) -> bool:
    """Whether it was asked to end."""
    return "deletionTimestamp" in pod["metadata"]


def containers(pod: KubeObject) -> Iterator[KubeObject]:
    """What its node says of each of its containers, those that come before the others first."""
    status = pod.get("status") or {}
    for key in ("initContainerStatuses", "containerStatuses"):
        yield from status.get(key) or ()


def waits(pod: KubeObject) -> Iterator[Wait]:
    """What its containers wait for."""
    for each in containers(pod):
        waiting = (each.get("state") or {}).get("waiting") or {}
        if reason := waiting.get("reason"):
            message = " ".join(str(waiting.get("message") or "").split())
            yield Wait(each["name"], each.get("image", ""), reason, message)
