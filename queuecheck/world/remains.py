"""What runs have left on a cluster that is not theirs alone, and how it is taken away.

Ours is what carries the run's label, and all that is in a namespace that does. One thing cannot
carry it itself: a Queue that the implementation has made for a quota of ours. It is known by its
name, which is the quota's and names the run. Nothing else is touched.
"""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from queuecheck.kube import (
    Api,
    Interrupted,
    KubeObject,
    Listed,
    ListWatch,
    NotFound,
    Resource,
    Unreachable,
    going_on,
)
from queuecheck.kube.resource import (
    NAMESPACES,
    NODES,
    PODS,
    PRIORITY_CLASSES,
    RUNTIME_CLASSES,
)
from queuecheck.profiles import Profile
from queuecheck.world.names import (
    DEPLOYMENT_NAMESPACES_NOTE,
    OUR_PREFIX,
    QUEUE_NAMESPACE_NOTE,
    RUN_LABEL,
    STARTED_NOTE,
    is_of_run,
)

LAST = 2  # phase
GONE_SECONDS = 90.0
# For one look at what had its time while something else was waited for.
LOOK_SECONDS = 1.0
STILL = "it is still there"
# Of what is refused in one namespace; the rest is usually refused for the same reason.
FEW_REFUSALS = 2


@dataclass(frozen=True, order=True)
class Remnant:
    """One object of a run.

    ``phase``: those of 0 go first. Then come the Queues (1), which an implementation that still
    runs has then taken away itself; and last the run's own namespace (2), by which it is known.
    ``deployed``: the namespaces of the Deployments that the run was about, which its own namespace
    alone says.
    """

    phase: int
    resource: Resource
    namespace: str
    name: str
    run: str
    started: str = ""
    deployed: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.resource.kind} {place}"


def find_remains(api: Api, profile: Profile, *, run: str | None = None) -> tuple[Remnant, ...]:
    """Everything of that run, or of every run, in the order in which it has to go."""
    return tuple(sorted(_Search(api, profile, run).all(), key=lambda each: each.phase))


def remove_remains(
    api: Api, profile: Profile, remains: Iterable[Remnant], *, seconds: float = GONE_SECONDS
) -> list[str]:
    """Takes them away and waits until they are gone; what is left after so many seconds, told.

    So many for each phase. What the server refuses keeps nothing else from going. A run of which
    something is left keeps its own namespace, too, which is not told: without it nobody would know
    where else something of that run is. Raises ApiError where the server does not answer any more.
    """
    left: dict[Remnant, str] = {}
    for _, each_of in itertools.groupby(remains, key=lambda each: each.phase):
        phase = [each for each in each_of if each.phase < LAST or not _holds(left, each)]
        left |= _remove(api, profile, phase, seconds)
    return [f"{_titled(each)}: {why}" for each, why in left.items()]


def delete_first(api: Api, profile: Profile, namespace: str, refused: list[str]) -> None:
    """What others would still react to goes, one kind after the other; what may not is told."""
    for kind in profile.kinds:
        if kind.delete_first:
            for each in _listed(api, kind.resource, namespace, refused):
                with going_on(refused):
                    _delete(api, kind.resource, _name(each), namespace)


def homes(api: Api, profile: Profile) -> tuple[str, ...]:
    """Where the implementations that runs were about have their queues, and their Deployments."""
    found = api.list(NAMESPACES, label_selector=RUN_LABEL).items
    deployed = {namespace for each in found for namespace in _deployed(each)}
    return tuple(sorted(_homes(found, profile) | deployed))


def _titled(remnant: Remnant) -> str:
    return f"namespace {remnant.name}" if remnant.resource == NAMESPACES else str(remnant)


def _holds(left: Iterable[Remnant], own: Remnant) -> bool:
    """Whether anything of that run is left, or of any, where it is known by its name alone."""
    return any(each.run in {"", own.run} for each in left)


class _Search:
    def __init__(self, api: Api, profile: Profile, run: str | None) -> None:
        self._api = api
        self._profile = profile
        self._run = run
        self._runs: set[str] = set() if run is None else {run}
        self._selector = RUN_LABEL if run is None else f"{RUN_LABEL}={run}"

    def all(self) -> Iterator[Remnant]:
        namespaces = self._labelled(NAMESPACES)
        inside = {_name(each) for each in namespaces}
        quotas: list[KubeObject] = []
        for node in self._labelled(NODES):
            yield self._remnant(NODES, node)
        for resource in _kinds_inside(self._profile):
            found = self._labelled(resource)
            quotas += [each for each in found if resource == self._profile.quotas]
            for each in found:
                if each["metadata"]["namespace"] not in inside:
                    yield self._remnant(resource, each)
        for resource in (PRIORITY_CLASSES, RUNTIME_CLASSES):
            for each in self._labelled(resource):
                yield self._remnant(resource, each)
        for each in namespaces:
            started = _notes(each).get(STARTED_NOTE, "")
            phase = LAST if started else 0
            yield self._remnant(NAMESPACES, each, phase=phase, started=started)
        for each in self._queues(namespaces, quotas):
            yield self._remnant(self._profile.queues, each, phase=1)

    def _labelled(self, resource: Resource, namespace: str | None = None) -> list[KubeObject]:
        try:
            found = self._api.list(
                resource, namespace=namespace, label_selector=self._selector
            ).items
        except NotFound:  # a kind that is not installed has no objects
            return []
        self._runs |= {each["metadata"]["labels"][RUN_LABEL] for each in found}
        return list(found)

    def _remnant(
        self, resource: Resource, body: KubeObject, *, phase: int = 0, started: str = ""
    ) -> Remnant:
        metadata = body["metadata"]
        return Remnant(
            phase,
            resource,
            metadata.get("namespace", ""),
            metadata["name"],
            (metadata.get("labels") or {}).get(RUN_LABEL, ""),
            started,
            _deployed(body),
        )

    def _queues(
        self, namespaces: list[KubeObject], quotas: list[KubeObject]
    ) -> Iterator[KubeObject]:
        """Those with our label, and those that the implementation has made for quotas of ours."""
        made = {_name(quota): quota["metadata"]["creationTimestamp"] for quota in quotas}
        resource = self._profile.queues
        for home in sorted(_homes(namespaces, self._profile)):
            try:
                found = self._api.list(resource, namespace=home).items
            except NotFound:
                return
            for queue in found:
                metadata = queue["metadata"]
                labelled = (metadata.get("labels") or {}).get(RUN_LABEL)
                name = _name(queue)
                follows = any(is_of_run(name, run) for run in self._runs) or (
                    name in made and metadata["creationTimestamp"] >= made[name]
                )
                if labelled in self._runs or (labelled is None and follows):
                    yield queue


def _homes(namespaces: Iterable[KubeObject], profile: Profile) -> set[str]:
    noted = list(map(_notes, namespaces))
    return {
        profile.queue_namespace,
        *(notes[QUEUE_NAMESPACE_NOTE] for notes in noted if QUEUE_NAMESPACE_NOTE in notes),
    }


def _notes(namespace: KubeObject) -> dict[str, str]:
    return namespace["metadata"].get("annotations") or {}


def _deployed(namespace: KubeObject) -> tuple[str, ...]:
    return tuple(_notes(namespace).get(DEPLOYMENT_NAMESPACES_NOTE, "").split())


def _remove(
    api: Api, profile: Profile, remains: Iterable[Remnant], seconds: float
) -> dict[Remnant, str]:
    """Those that are not gone within so many seconds, each with the reason."""
    deadline = time.monotonic() + seconds
    refusals: dict[Remnant, list[str]] = {}
    going: list[Remnant] = []
    for each in remains:
        told = refusals[each] = []
        try:
            if _ask_to_go(api, profile, each, told):
                going.append(each)
        except Unreachable as error:
            if time.monotonic() > deadline:  # not the answer is lost, but the server
                raise
            told.append(str(error))
    there = _still_there(api, going, seconds)
    # What nobody could ask may go all the same, with its owner; by now it has had time to.
    others = refusals.keys() - set(going)
    there |= dict.fromkeys(_still_there(api, others, LOOK_SECONDS), "")
    return {each: _in_a_line(refusals[each], there[each]) for each in refusals if each in there}


def _ask_to_go(api: Api, profile: Profile, remnant: Remnant, refused: list[str]) -> bool:
    """Whether it was; ``refused`` gets what the server has against it, or against what is in it."""
    if remnant.resource == NAMESPACES:
        _empty(api, profile, remnant.name, refused)
    before = len(refused)
    with going_on(refused):
        _delete(api, remnant.resource, remnant.name, remnant.namespace or None)
    return len(refused) == before


def _in_a_line(refused: Sequence[str], why: str) -> str:
    lines = list(dict.fromkeys(refused))
    more = len(lines) - FEW_REFUSALS
    rest = [f"{more} more like that"] if more > 0 else []
    return "; ".join([*lines[:FEW_REFUSALS], *rest, *filter(None, [why])])


def _kinds_inside(profile: Profile) -> tuple[Resource, ...]:
    """The kinds that scenarios make objects of, in namespaces."""
    return tuple(kind.resource for kind in profile.kinds if kind.in_scenario and kind.group)


def _empty(api: Api, profile: Profile, namespace: str, refused: list[str]) -> None:
    """Takes away what would keep a namespace from going, or others would still react to."""
    for resource in (PODS, *_kinds_inside(profile)):
        for each in _listed(api, resource, namespace, refused):
            with going_on(refused):
                _let_go(api, resource, each)
    delete_first(api, profile, namespace, refused)
    with going_on(refused):
        nodes = {_name(node) for node in api.list(NODES).items}
        for pod in _listed(api, PODS, namespace, refused):
            node = pod["spec"].get("nodeName")
            if node and node not in nodes:  # no kubelet will ever finish its deletion
                with going_on(refused):
                    api.delete(PODS, _name(pod), namespace=namespace, grace_seconds=0)


def _listed(
    api: Api, resource: Resource, namespace: str, refused: list[str]
) -> Iterator[KubeObject]:
    with going_on(refused):
        yield from api.list(resource, namespace=namespace).items


def _let_go(api: Api, resource: Resource, body: KubeObject) -> None:
    """Takes finalizers of ours away, and of nobody else."""
    metadata = body["metadata"]
    finalizers = metadata.get("finalizers") or []
    others = [each for each in finalizers if not each.startswith(OUR_PREFIX)]
    if others != finalizers:
        api.patch(
            resource,
            metadata["name"],
            {"metadata": {"finalizers": others}},
            namespace=metadata["namespace"],
            resource_version=metadata["resourceVersion"],
        )


def _delete(api: Api, resource: Resource, name: str, namespace: str | None) -> None:
    api.delete(resource, name, namespace=namespace, propagation="Background")


def _still_there(api: Api, remains: Iterable[Remnant], seconds: float) -> dict[Remnant, str]:
    """Those that are not gone within so many seconds, each with the reason.

    Usually that is one list for each kind and place.
    """
    deadline = time.monotonic() + seconds
    left: dict[Remnant, str] = {}
    least = 0.0
    # Namespaces take longest; what is looked at after them has had the time that they took.
    for group in _groups(remains):
        left |= _await_gone(api, group, max(least, deadline - time.monotonic()))
        least = LOOK_SECONDS
    return left


def _groups(remains: Iterable[Remnant]) -> Iterator[list[Remnant]]:
    """Those of one kind in one place, namespaces first; with the run's label, or all without."""

    def place(each: Remnant) -> tuple[bool, Resource, str, bool]:
        return each.resource != NAMESPACES, each.resource, each.namespace, not each.run

    for _, group in itertools.groupby(sorted(remains, key=place), key=place):
        yield list(group)


def _await_gone(api: Api, remains: list[Remnant], seconds: float) -> dict[Remnant, str]:
    """Those that are still there after so many seconds, of one kind in one place, and why.

    Where they could not be listed in that time, all of them. A user who may not watch the kind
    sees by lists, ever less often, when they go.
    """
    named = {each.name: each for each in remains}
    one = remains[0]
    there: dict[str, KubeObject] | None = None
    trouble = ""
    watch = ListWatch(
        api,
        one.resource,
        namespace=one.namespace or None,
        label_selector=RUN_LABEL if one.run else None,
    )
    timer = threading.Timer(seconds, watch.stop)
    timer.daemon = True
    timer.start()
    try:
        for item in watch:
            if isinstance(item, Interrupted):
                trouble = item.reason
                continue
            if isinstance(item, Listed):
                there = {_name(each): each for each in item.objects if _name(each) in named}
            elif there is not None and _name(item.object) in named:
                there[_name(item.object)] = item.object
                if item.verb == "DELETED":
                    del there[_name(item.object)]
            if not there:
                return {}
    finally:
        timer.cancel()
        watch.stop()
    if there is None:
        why = f"nobody could see whether it is gone: {trouble or 'no answer'}"
        return dict.fromkeys(remains, why)
    why_there = _why_not_empty if one.resource == NAMESPACES else _why_held
    return {named[name]: why_there(body) or STILL for name, body in sorted(there.items())}


def _why_not_empty(namespace: KubeObject) -> str:
    conditions = (namespace.get("status") or {}).get("conditions") or ()
    return "; ".join(
        str(each.get("message"))
        for each in conditions
        if each.get("status") == "True" and re.search("Remaining|Failure", str(each.get("type")))
    )


def _why_held(body: KubeObject) -> str:
    finalizers = body["metadata"].get("finalizers") or ()
    return f"held by finalizers: {', '.join(finalizers)}" if finalizers else ""


def _name(body: KubeObject) -> str:
    return str(body["metadata"]["name"])
