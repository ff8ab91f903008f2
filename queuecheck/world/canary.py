"""One unit of work before all others.

If the implementation does not take a Job over, admit it and see it finish, no scenario can say
anything about its rules: the environment is broken, and its log says why.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from string import Template
from typing import Any

from queuecheck.cluster import NodeDriver
from queuecheck.cluster.manifests import served_resources
from queuecheck.implementation import Implementation
from queuecheck.kube import AlreadyExists, Api, KubeObject, Listed, ListWatch, NotFound
from queuecheck.kube.resource import JOBS, NAMESPACES, PODS, SERVICE_ACCOUNTS
from queuecheck.profiles import Canary, Profile
from queuecheck.world.errors import EnvironmentBroken
from queuecheck.world.obstacle import obstacle

NAME = "canary"
LOG_LINES = 15
ASK_EVERY = 0.5


def check_canary(
    api: Api,
    canary: Canary,
    *,
    nodes: NodeDriver,
    implementation: Implementation,
    namespace: str,
    labels: Mapping[str, str],
) -> None:
    """Returns when the canary's Job is complete, and all of it is about to go.

    ``labels`` are on all that is made. Raises EnvironmentBroken.
    """
    slot = namespace  # of this worker's own, where several share a cluster
    nodes.open_slot(slot, pods=1)
    nodes.run(slot)
    nodes.finish(slot, succeeded=1)
    watch = ListWatch(api, JOBS, namespace=namespace)
    ended = threading.Event()
    waiter = threading.Thread(
        target=_give_up,
        args=(watch, implementation, canary.timeout, ended),
        name="canary",
        daemon=True,
    )
    try:
        _submit(api, canary, nodes=nodes, namespace=namespace, labels=labels)
        waiter.start()
        job = _finished(watch)
        complete = job is not None and _is_true(job, "Complete")
        hindered = None if complete else obstacle(api.list(PODS, namespace=namespace).items)
    finally:
        ended.set()
        watch.stop()
        nodes.reset()
        with suppress(NotFound):
            api.delete(NAMESPACES, namespace)
    if not complete:
        if gone := implementation.alive():
            raise EnvironmentBroken(f"{implementation.name}: {gone}")
        if hindered:  # by nothing that the implementation does
            raise EnvironmentBroken(f"the canary's pod {hindered}")
        told = f"the canary, one Job, {_stuck(job)} after {canary.timeout:g} s"
        raise EnvironmentBroken(f"{implementation.name}: {told}{_tails(implementation)}")


def _give_up(
    watch: ListWatch, implementation: Implementation, seconds: float, ended: threading.Event
) -> None:
    """Stops the watch in so many seconds, or when nothing can be expected any more."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not implementation.alive():
        if ended.wait(min(ASK_EVERY, max(0.0, end - time.monotonic()))):
            return
    watch.stop()


def check_alone(
    api: Api,
    profile: Profile,
    *,
    nodes: NodeDriver,
    namespace: str,
    labels: Mapping[str, str],
    seconds: float,
) -> None:
    """Returns when nobody has taken up the canary's Job in so many seconds.

    For before the implementation is started: whoever does serves the same objects beside it.
    Raises EnvironmentBroken, with the name under which that one writes.
    """
    units = profile.resource(profile.timing.unit)
    watch = ListWatch(api, units, namespace=namespace)
    timer = threading.Timer(seconds, watch.stop)
    timer.daemon = True
    try:
        _submit(api, profile.canary, nodes=nodes, namespace=namespace, labels=labels)
        timer.start()
        for item in watch:
            found = item.objects if isinstance(item, Listed) else [getattr(item, "object", None)]
            for unit in filter(None, found):
                raise EnvironmentBroken(
                    f"another controller serves the same objects: {_writers(unit)} took the canary "
                    "over before the implementation was started; end it first"
                )
    finally:
        timer.cancel()
        watch.stop()
        with suppress(NotFound):
            api.delete(NAMESPACES, namespace)


def _submit(
    api: Api,
    canary: Canary,
    *,
    nodes: NodeDriver,
    namespace: str,
    labels: Mapping[str, str],
) -> None:
    """Makes the namespace and all of the canary in it; its slot has the name of the namespace."""
    make_namespace(api, namespace, labels=labels)
    values = {"name": namespace, "namespace": namespace}
    for template in canary.objects:
        body: KubeObject = _placed(filled(template, values), nodes, namespace)
        metadata = body["metadata"]
        metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
        resource = served_resources(api, body["apiVersion"])[body["kind"]]
        api.create(resource, body, namespace=namespace)


def _writers(body: KubeObject) -> str:
    """By the names of its field managers, which are those of the programs."""
    managers = [each.get("manager") for each in body["metadata"].get("managedFields") or ()]
    return " and ".join(dict.fromkeys(filter(None, managers))) or "somebody"


def make_namespace(api: Api, name: str, *, labels: Mapping[str, str]) -> None:
    """A namespace in which pods can be created at once.

    They need its default service account; made here, nobody waits for the controller that makes
    it.
    """
    metadata = {"name": name, "labels": dict(labels)}
    api.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    with suppress(AlreadyExists):
        api.create(SERVICE_ACCOUNTS, account, namespace=name)


def filled(template: Any, values: Mapping[str, str]) -> Any:
    """A template of an object with ``${…}`` put in, in all of its texts."""
    if isinstance(template, dict):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, values) for value in template]
    return Template(template).substitute(values) if isinstance(template, str) else template


def _placed(body: KubeObject, nodes: NodeDriver, slot: str) -> KubeObject:
    """Where an object has a template for pods, these wait for the slot."""
    spec = body.get("spec") or {}
    template = spec.get("template")
    if template is None:
        return body
    pod = nodes.placed(template["spec"], slot)
    return {**body, "spec": {**spec, "template": {**template, "spec": pod}}}


def _finished(watch: ListWatch) -> KubeObject | None:
    """The Job when it has ended, or as it last was when the watch is stopped."""
    last: KubeObject | None = None
    for item in watch:
        found = item.objects if isinstance(item, Listed) else [getattr(item, "object", None)]
        for job in found:
            if job is not None:
                last = job
                if _is_true(job, "Complete") or _is_true(job, "Failed"):
                    return job
    return last


def _is_true(job: KubeObject, condition: str) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(each["type"] == condition and each["status"] == "True" for each in conditions)


def _stuck(job: KubeObject | None) -> str:
    if job is None:
        return "was not seen"
    if _is_true(job, "Failed"):
        return "has failed, not later than"
    if (job.get("spec") or {}).get("suspend"):
        return "is still suspended: it was not admitted"
    return "was admitted, but is not complete"


def _tails(implementation: Implementation) -> str:
    parts = [
        f"\nlog of {component}:\n" + "\n".join(text.splitlines()[-LOG_LINES:])
        for component, text in implementation.logs().items()
    ]
    return "".join(parts)
