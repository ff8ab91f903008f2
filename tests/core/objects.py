"""A cluster's objects in a dictionary, made and read in the words of the tests.

They are no API server's: they keep what they are given, and apply merge patches.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from controller.core.decisions import Kind
from controller.core.instants import to_text

START = 1_800_000_000.0
QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"

Raw = dict[str, Any]
Name = tuple[Kind, str, str]


class Objects(ABC):
    """Objects, and a clock that only tests move."""

    def __init__(self) -> None:
        self.now = START
        self.objects: dict[Name, Raw] = {}
        self.history: list[tuple[str, Raw]] = []
        self.made = 0

    @abstractmethod
    def feed(self, kind: Kind, raw: Raw, *, deleted: bool) -> None:
        """Tells whoever watches of a change."""

    def put(self, kind: Kind, raw: Raw, *, moment: float | None = None) -> Raw:
        """Create or replace an object; UID and creation time are given to a new one."""
        raw = copy.deepcopy(raw)
        meta = raw["metadata"]
        meta.setdefault("namespace", "default")
        name = (kind, meta["namespace"], meta["name"])
        if name not in self.objects:
            self.made += 1
            meta.setdefault("uid", f"uid-{self.made:04}")
            created = self.now if moment is None else moment
            meta.setdefault("creationTimestamp", to_text(created)[:19] + "Z")
        self.objects[name] = raw
        if kind is Kind.UNIT:
            self.history.append((meta["name"], copy.deepcopy(raw)))
        self.feed(kind, raw, deleted=False)
        return raw

    def patch(self, kind: Kind, namespace: str, name: str, patch: Mapping[str, Any]) -> Raw:
        """Merge a patch into an object."""
        raw = copy.deepcopy(self.objects[kind, namespace, name])
        _merge(raw, patch)
        return self.put(kind, raw)

    def patch_job(self, name: str, patch: Mapping[str, Any]) -> Raw:
        """Merge a patch into a Job."""
        return self.patch(Kind.JOB, "default", name, patch)

    def delete(
        self, kind: Kind, namespace: str, name: str, *, later: frozenset[Kind] = frozenset()
    ) -> None:
        """Delete an object, and what it owns; of the kinds ``later`` nothing yet."""
        raw = self.objects.pop((kind, namespace, name))
        self.feed(kind, raw, deleted=True)
        uid = raw["metadata"]["uid"]
        for (owned, space, other), item in list(self.objects.items()):
            owners = item["metadata"].get("ownerReferences", [])
            if owned not in later and any(owner["uid"] == uid for owner in owners):
                self.delete(owned, space, other)

    def orphan(self, job: str) -> None:
        """Delete a Job and leave what it owns behind, as ``--cascade=orphan`` does."""
        uid = self.objects[Kind.JOB, "default", job]["metadata"]["uid"]
        for (kind, space, name), item in list(self.objects.items()):
            owners = item["metadata"].get("ownerReferences", [])
            if any(owner["uid"] == uid for owner in owners):
                self.patch(kind, space, name, {"metadata": {"ownerReferences": None}})
        self.delete(Kind.JOB, "default", job)

    def quota(self, name: str = "team", **fields: Any) -> Raw:
        """A quota; ``cpu`` is its max, ``annotations``, ``policy``, ``parent`` as named."""
        labels = {"koord-queue/queue-policy": fields.get("policy", "Priority")}
        if "parent" in fields:
            labels["quota.scheduling.koordinator.sh/parent"] = fields["parent"]
        maximum = fields.get("maximum") or {"cpu": str(fields.get("cpu", 2))}
        return self.put(
            Kind.QUOTA,
            {
                "metadata": {
                    "name": name,
                    "labels": labels,
                    "annotations": fields.get("annotations", {}),
                    **self._kept(Kind.QUOTA, "default", name),
                },
                "spec": {"max": maximum},
            },
        )

    def job(self, name: str, *, priority: int = 0, cpu: object = 2, **spec: Any) -> Raw:
        """A suspended Job of one-container pods; ``spec`` goes into its spec as it stands."""
        self.now += 1
        queue = spec.pop("queue", "team")
        pod = {
            "priority": priority,
            "containers": [{"name": "main", "resources": {"requests": {"cpu": str(cpu)}}}],
        }
        return self.put(
            Kind.JOB,
            {
                "metadata": {"name": name, "labels": {QUOTA_LABEL: queue} if queue else {}},
                "spec": {
                    "suspend": True,
                    "parallelism": 1,
                    "completions": spec.get("parallelism", 1),
                    "template": {"spec": pod},
                    **spec,
                },
                "status": {},
            },
        )

    def hand_made(self, name: str, *, priority: int = 0, cpu: object = 2, **more: Any) -> Raw:
        """A unit without a Job; ``count`` replicas, or ``pod_sets`` as they stand."""
        self.now += 1
        pod_sets = more.get("pod_sets") or [pod_set(cpu=cpu, count=more.get("count", 1))]
        return self.put(
            Kind.UNIT,
            {
                "metadata": {"name": name, "labels": {QUOTA_LABEL: more.get("queue", "team")}},
                "spec": {"priority": priority, "podSet": pod_sets},
                **({"status": more["status"]} if "status" in more else {}),
            },
        )

    def unit(self, name: str) -> Raw:
        """The unit of a name."""
        return self.objects[Kind.UNIT, "default", name]

    def status(self, name: str) -> Raw:
        """Its status."""
        found: Raw = self.unit(name).get("status", {})
        return found

    def held(self, name: str) -> int:
        """How many replicas it holds."""
        return sum(item.get("replicas", 0) for item in self.status(name).get("admissions") or [])

    def mark(self, name: str) -> int:
        """How many of its replicas are marked."""
        entries = self.status(name).get("admissions") or []
        return sum(item.get("reclaimState", {}).get("replicas", 0) for item in entries)

    def message(self, name: str) -> str:
        """Its message."""
        return str(self.status(name).get("message", ""))

    def spec_of(self, job: str) -> Raw:
        """A Job's spec."""
        found: Raw = self.objects[Kind.JOB, "default", job]["spec"]
        return found

    def pods(self, job: str) -> list[Raw]:
        """The pods of a Job, in the order of their names."""
        uid = self.objects[Kind.JOB, "default", job]["metadata"]["uid"]
        return [
            raw
            for (kind, _, _), raw in sorted(self.objects.items(), key=lambda item: item[0][2])
            if kind is Kind.POD
            and raw["metadata"].get("ownerReferences", [{}])[0].get("uid") == uid
        ]

    def bind(self, job: str, count: int = 1) -> None:
        """Bind so many unbound pods of a Job to a node."""
        free = [raw for raw in self.pods(job) if not raw["spec"].get("nodeName")]
        for raw in free[:count]:
            name = raw["metadata"]["name"]
            self.patch(Kind.POD, "default", name, {"spec": {"nodeName": "node"}})

    def succeed(self, job: str, count: int = 1) -> None:
        """Let so many bound pods of a Job succeed."""
        live = [raw for raw in self.pods(job) if raw["spec"].get("nodeName") and not is_done(raw)]
        for raw in live[:count]:
            name = raw["metadata"]["name"]
            self.patch(Kind.POD, "default", name, {"status": {"phase": "Succeeded"}})

    def _kept(self, kind: Kind, namespace: str, name: str) -> Raw:
        found = self.objects.get((kind, namespace, name))
        if found is None:
            return {}
        meta = found["metadata"]
        return {"uid": meta["uid"], "creationTimestamp": meta["creationTimestamp"]}


def pod_set(name: str = "main", *, cpu: object = 2, count: int = 1) -> Raw:
    """A podSet of one-container pods."""
    container = {"name": "main", "resources": {"requests": {"cpu": str(cpu)}}}
    return {"name": name, "count": count, "template": {"spec": {"containers": [container]}}}


def is_done(pod: Raw) -> bool:
    """Whether a pod has ended."""
    return pod["status"]["phase"] in {"Succeeded", "Failed"}


def _merge(target: Raw, patch: Mapping[str, Any]) -> None:
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, Mapping):
            child = target.get(key)
            if not isinstance(child, dict):
                child = target[key] = {}
            _merge(child, value)
        else:
            target[key] = copy.deepcopy(value)
