"""Quotas and Queues of a scenario: made, changed, and shown on the Queues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from queuecheck.kube import KubeObject
from queuecheck.timeline import Condition, absent
from steps.states import queues
from steps.story.settings import PARENT_LABEL, POLICY_LABEL

if TYPE_CHECKING:
    from steps.story.memory import Story


class Quotas:
    """What steps do with quotas and Queues.

    ``latest`` is the alias of the one made last: Jobs name it. ``parents`` are what a feature calls
    the quota above; "" is the root, None a quota without the label.
    """

    def __init__(self, story: Story) -> None:
        self._story = story
        self._bodies: dict[str, KubeObject] = {}
        self._names: dict[str, str] = {}
        self.latest = ""

    def name(self, alias: str) -> str:
        """The real name of a quota and its Queue, unique on the cluster."""
        return self._names.get(alias) or self._story.world.name(alias)

    @property
    def names(self) -> frozenset[str]:
        """The real names of all those that were made."""
        return frozenset(map(self.name, self._bodies))

    def made(self, alias: str) -> bool:
        """Whether the scenario has made a quota of that name."""
        return alias in self._bodies

    def make(
        self,
        alias: str,
        *,
        limits: Mapping[str, str],
        settings: Mapping[str, str],
        policy: str | None,
        parent: str | None = None,
        guaranteed: Mapping[str, str] | None = None,
    ) -> None:
        """A quota with these limits for max and, unless others are given, for min."""
        labels = {} if policy is None else {POLICY_LABEL: policy}
        if parent is not None:
            labels[PARENT_LABEL] = self.name(parent) if parent else ""
        self.apply(
            alias,
            {
                "metadata": {"labels": labels, "annotations": dict(settings)},
                "spec": {"min": dict(guaranteed or limits), "max": dict(limits)},
            },
        )

    def apply(self, alias: str, body: KubeObject) -> None:
        """Creates the quota under its real name."""
        self.latest = alias
        self._bodies[alias] = body
        resource = self._story.world.resource("ElasticQuota")
        metadata = {**body["metadata"], "name": self.name(alias)}
        self._story.world.create(
            resource,
            {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                **body,
                "metadata": metadata,
            },
        )

    def make_as_it_stands(self, kind: str, body: KubeObject) -> None:
        """An ElasticQuota or a Queue with its own name, in its own namespace."""
        alias = body["metadata"]["name"]
        if alias not in self._names:
            self._names[alias] = alias
            # One of that name may just be going, together with the quota of another scenario.
            self._story.eventually(absent(self._story.queue(alias)), within="absent")
        self.latest = alias
        self._story.world.create(self._story.world.resource(kind), body)

    def await_queue(self, alias: str) -> None:
        """The quota's Queue is there, and carries the settings that the quota was made with."""
        self._await(queues.there(self._story.queue(alias)))
        self._bring(alias, self._bodies[alias]["metadata"].get("annotations") or {})

    def create_again(self, alias: str) -> None:
        """The quota as it was first made."""
        self._story.act()
        self.apply(alias, self._bodies[alias])

    def delete(self, alias: str) -> None:
        """Returns when the quota is gone."""
        self._story.act()
        self._story.world.api.delete(
            self._story.world.resource("ElasticQuota"),
            self.name(alias),
            namespace=self._story.world.namespace,
        )

    def change(self, alias: str, patch: KubeObject) -> None:
        """Changes the quota; returns when its Queue carries what the patch sets."""
        self.patch(alias, patch)
        metadata = patch.get("metadata") or {}
        self._bring(alias, metadata.get("annotations") or {})
        policy = (metadata.get("labels") or {}).get(POLICY_LABEL)
        if policy is not None:
            self._await(queues.of_policy(self._story.queue(alias), policy))

    def patch(self, alias: str, patch: KubeObject) -> None:
        """Changes the quota, whatever comes of it."""
        self._story.act()
        self._patch("ElasticQuota", alias, patch, namespace=self._story.world.namespace)

    def patch_queue(self, alias: str, patch: KubeObject) -> None:
        """Changes the Queue itself, as somebody does by hand."""
        self._story.act()
        self._patch("Queue", alias, patch, namespace=self._story.world.queue_namespace)

    def make_queue(
        self,
        alias: str,
        *,
        policy: str,
        settings: Mapping[str, str],
        namespace: str | None = None,
    ) -> None:
        """A Queue by hand, without a quota; in the implementation's namespace by default."""
        self.latest = alias
        resource = self._story.world.resource("Queue")
        self._story.world.create(
            resource,
            {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                "metadata": {"name": self.name(alias), "annotations": dict(settings)},
                "spec": {"queuePolicy": policy, "priority": 1000},
            },
            namespace=namespace or self._story.world.queue_namespace,
        )

    def delete_queue(self, alias: str) -> None:
        """The Queue only; its quota stays."""
        self._story.act()
        self._story.world.api.delete(
            self._story.world.resource("Queue"),
            self.name(alias),
            namespace=self._story.world.queue_namespace,
        )

    def _bring(self, alias: str, annotations: Mapping[str, str | None]) -> None:
        """Annotations of the quota are on its Queue.

        That they come there is a requirement of its own. Where they do not, they are put on the
        Queue itself, the governing text's other way.
        """
        carried = queues.carries(self._story.queue(alias), annotations)
        self._story.give_time(carried)
        if not carried.holds(self._story.world.timeline.view()):
            self.patch_queue(alias, {"metadata": {"annotations": dict(annotations)}})
            self._await(carried)

    def _patch(self, kind: str, alias: str, patch: KubeObject, *, namespace: str) -> None:
        world = self._story.world
        world.api.patch(world.resource(kind), self.name(alias), patch, namespace=namespace)

    def _await(self, state: Condition) -> None:
        self._story.eventually(state, within="create")
