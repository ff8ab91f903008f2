"""Quotas of a scenario: made, changed, and shown on their Queues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from queuecheck.kube import KubeObject
from queuecheck.timeline import State
from steps.story.settings import POLICY_LABEL

if TYPE_CHECKING:
    from steps.story.memory import Story


class Quotas:
    """What steps do with quotas. ``latest`` is the alias of the one made last."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.latest = ""

    def make(self, alias: str, *, cpu: str, settings: Mapping[str, str], policy: str) -> None:
        """A quota with min and max of so many cpu; returns when its Queue is there."""
        self.apply(
            alias,
            {
                "metadata": {
                    "labels": {POLICY_LABEL: policy},
                    "annotations": dict(settings),
                },
                "spec": {"min": {"cpu": cpu}, "max": {"cpu": cpu}},
            },
        )

    def apply(self, alias: str, body: KubeObject) -> None:
        """Creates the quota under its real name, and waits for the Queue with its settings."""
        self.latest = alias
        resource = self._story.world.resource("ElasticQuota")
        metadata = {**body["metadata"], "name": self._story.world.name(alias)}
        self._story.world.create(
            resource,
            {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                **body,
                "metadata": metadata,
            },
        )
        self._await_settings(alias, metadata.get("annotations") or {})

    def change(self, alias: str, patch: KubeObject) -> None:
        """Changes the quota; returns when its Queue carries the annotations in the patch."""
        self._story.act()
        self._story.world.api.patch(
            self._story.world.resource("ElasticQuota"),
            self._story.world.name(alias),
            patch,
            namespace=self._story.world.namespace,
        )
        self._await_settings(alias, (patch.get("metadata") or {}).get("annotations") or {})

    def _await_settings(self, alias: str, annotations: Mapping[str, str]) -> None:
        queue = self._story.queue(alias)

        def carries(found: KubeObject | None) -> bool:
            has = ((found or {}).get("metadata") or {}).get("annotations") or {}
            return found is not None and annotations.items() <= has.items()

        self._story.eventually(
            State(
                queue,
                f"{queue.label} carries the quota's settings",
                carries,
                ("metadata.annotations",),
            ),
            within="create",
        )
