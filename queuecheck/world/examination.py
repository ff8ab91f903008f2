"""What an existing cluster is like, before anything is written to it.

Nothing in here writes: rights are asked for, schemas, objects and leases are read. A problem keeps
a run from beginning, and says what to do; a caution is for the user to decide upon.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from queuecheck import resources
from queuecheck.cluster import kubeconfig
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.manifests import served_resources
from queuecheck.cluster.served import dropped_fields
from queuecheck.implementation import Descriptor
from queuecheck.kube import Api, ApiError, KubeObject, NotFound, Resource
from queuecheck.kube.resource import LEASES, NAMESPACES, NODES, PODS
from queuecheck.world import neighbours, rights

WEBHOOKS = tuple(
    Resource(
        "admissionregistration.k8s.io",
        "v1",
        f"{way}webhookconfigurations",
        f"{way.capitalize()}WebhookConfiguration",
        False,
    )
    for way in ("validating", "mutating")
)

REFUSALS = frozenset({401, 403})
# Beside the queue namespace, where the Deployments are.
DEPLOYMENTS_ROLE = resources.manifests_root() / "suite-rbac" / "optional" / "deployments.yaml"


@dataclass(frozen=True)
class Findings:
    """Which cluster it is, what keeps a run from beginning there, and what has to be decided."""

    cluster: str
    problems: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()


def connect(choice: ClusterChoice, *, user_agent: str) -> Api:
    """The cluster that the options name, and no other. Raises KubeconfigError."""
    if choice.kubeconfig is None or choice.context is None:
        raise ValueError("an existing cluster has a kubeconfig and a context")
    kubeconfig.read_context(choice.kubeconfig, choice.context)
    return Api.from_kubeconfig(choice.kubeconfig, context=choice.context, user_agent=user_agent)


def examine(choice: ClusterChoice, descriptor: Descriptor) -> Findings:
    """Raises KubeconfigError, where the options name nothing that can be used."""
    api = connect(choice, user_agent="queuecheck-examination")
    try:
        return _Examination(api, choice, descriptor).findings()
    finally:
        api.close()


def needed_rights(choice: ClusterChoice, descriptor: Descriptor) -> tuple[rights.Right, ...]:
    """What such a run has to be allowed to do, as the roles that we ship say it."""
    root = resources.manifests_root() / "suite-rbac"
    files = [root / f"{name}.yaml" for name in ("cluster-wide", "scenarios", "queue-namespace")]
    if choice.nodes == "simulated":
        files.append(root / "optional" / "simulated-nodes.yaml")
    needed = [*rights.rights_of(files, queue_namespace=descriptor.queue_namespace)]
    for namespace in sorted({each.namespace for each in descriptor.deployments}):
        needed += rights.rights_of((DEPLOYMENTS_ROLE,), queue_namespace=namespace)
    for process in descriptor.processes:
        if process.account is not None:
            namespace, _, name = process.account.partition("/")
            needed.append(rights.Right("serviceaccounts/token", "", namespace, name, "create"))
    return tuple(needed)


class _Examination:
    def __init__(self, api: Api, choice: ClusterChoice, descriptor: Descriptor) -> None:
        self._api = api
        self._choice = choice
        self._descriptor = descriptor
        self._kinds = [kind for kind in descriptor.profile.kinds if kind.fields]
        self._cluster = f"{choice.context} at {api.server}"

    def findings(self) -> Findings:
        try:
            version = self._version()
        except (ApiError, ValueError) as error:
            return self._refused(f"cluster {self._cluster} {_no_answer(error)}")
        self._cluster = f"{self._cluster}, Kubernetes {version}"
        try:
            problems = tuple(self._problems())
            # What follows is looked for with the rights that have just been found to be there.
            if problems:
                return self._refused(*problems)
            problems = tuple(self._places())
            if problems:
                return self._refused(*problems)
            return Findings(self._cluster, cautions=tuple(self._cautions()))
        except ApiError as error:
            return self._refused(f"cluster {self._cluster}: {error}")

    def _version(self) -> str:
        answer = json.loads(self._api.raw("/version"))
        if not isinstance(answer, dict):
            raise ValueError(answer)
        return str(answer.get("gitVersion", "unknown"))

    def _refused(self, *problems: str) -> Findings:
        return Findings(self._cluster, problems=problems)

    def _problems(self) -> Iterator[str]:
        lacking = self._lacking_rights()
        if lacking:
            yield (
                f"the user of context {self._choice.context} may not {rights.told(lacking)}. "
                "The roles in manifests/suite-rbac allow all that the suite needs"
            )
        for kind in self._kinds:
            resource = kind.resource
            if resource.kind not in served_resources(self._api, resource.api_version):
                yield (
                    f"the cluster has no {resource.kind} ({resource.api_version}): "
                    "install the implementation's definitions first"
                )
                continue
            dropped = dropped_fields(self._api, resource, kind.fields)
            if dropped is None:
                yield (
                    f"the server does not publish the schema of {resource.kind} "
                    f"({resource.api_version}); after an installation it does so in some seconds"
                )
            elif dropped:
                yield (
                    f"the cluster's definition of {resource.kind} is an older one and drops "
                    f"{', '.join(dropped)}: update {resource.plural}.{resource.group}"
                )

    def _lacking_rights(self) -> tuple[rights.Right, ...]:
        return rights.missing(self._api, needed_rights(self._choice, self._descriptor))

    def _places(self) -> Iterator[str]:
        """What the implementation has to find, and cannot run beside."""
        home = self._descriptor.queue_namespace
        if not self._there(NAMESPACES, home):
            yield (
                f"the cluster has no namespace {home}, where {self._descriptor.title} has its "
                "queues: install the implementation first"
            )
        spared = frozenset(each.namespace for each in self._descriptor.deployments)
        known = self._descriptor.profile.controllers
        leases = self._api.list(LEASES).items
        found = [
            *neighbours.holders(leases, known, now=datetime.now(UTC), spared=spared),
            *neighbours.runners(self._api.list(PODS).items, known, spared=spared),
        ]
        if found:
            yield f"another controller serves the same objects: {'; '.join(found)}; end it first"
        if self._choice.nodes == "real" and not any(map(_has_kubelet, self._api.list(NODES).items)):
            yield (
                "the cluster has no ready node with a kubelet; with --nodes simulated the suite "
                "adds nodes without machines and plays their kubelet"
            )

    def _cautions(self) -> Iterator[str]:
        found = {
            kind.resource: self._api.list(
                kind.resource,
                namespace=None if kind.in_scenario else self._descriptor.queue_namespace,
            ).items
            for kind in self._kinds
        }
        others = neighbours.others_objects(found)
        if others:
            yield f"the cluster has what is not ours: {others}"
        configurations = [each for kind in WEBHOOKS for each in self._api.list(kind).items]
        yield from neighbours.webhooks_on(configurations, [kind.resource for kind in self._kinds])

    def _there(self, resource: Resource, name: str, namespace: str | None = None) -> bool:
        try:
            self._api.get(resource, name, namespace=namespace)
        except NotFound:
            return False
        return True


def _no_answer(error: Exception) -> str:
    if isinstance(error, ApiError) and error.status:
        if error.status in REFUSALS:
            return f"refuses the context's user: {error.message}"
        return f"answers with {error.status}: {error.message}; is it the one you mean?"
    told = error.message if isinstance(error, ApiError) else "what came is of no API server"
    reason = told.rpartition("new connection: ")[2]
    return f"does not answer: {reason}; is it running, and is it the one you mean?"


def _has_kubelet(node: KubeObject) -> bool:
    status = node.get("status") or {}
    version = (status.get("nodeInfo") or {}).get("kubeletVersion")
    ready = any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in status.get("conditions") or ()
    )
    return bool(version) and ready
