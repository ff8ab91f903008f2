"""The configuration file of an implementation in a cluster: one key of a ConfigMap.

While it is another than was found, the one that was found is in an annotation beside it: whoever
comes after a run that was killed can put it back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from queuecheck.implementation.deployed import ConfigKey
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.rollout import COPY_LABEL
from queuecheck.kube import Api, ApiError, KubeObject
from queuecheck.kube.resource import CONFIG_MAPS

AS_FOUND = "queuecheck.dev/as-found"


class ConfigMap:
    """One of them, read when it is made. Raises ImplementationError if it cannot be."""

    def __init__(self, api: Api, namespace: str, key: ConfigKey) -> None:
        self.key = key
        self._api = api
        self._namespace = namespace
        try:
            there = api.get(CONFIG_MAPS, key.config_map, namespace=namespace)
        except ApiError as error:
            raise ImplementationError(f"{self._title}: {error}") from error
        data = there.get("data") or {}
        if key.key not in data:
            known = ", ".join(data) or "nothing"
            raise ImplementationError(f"{self._title} has no key {key.key}; it has {known}")
        self._found = str(data[key.key])
        # None while nobody knows: an answer can be lost, or a Ctrl-C come before it.
        self._now: str | None = self._found

    @property
    def _title(self) -> str:
        return f"ConfigMap {self._namespace}/{self.key.config_map}"

    @property
    def content(self) -> Mapping[str, Any]:
        """As it was found. Raises ImplementationError if it is no mapping in YAML."""
        try:
            content = yaml.safe_load(self._found)
        except yaml.YAMLError as error:
            raise ImplementationError(f"{self._title}: {self.key.key} is not YAML") from error
        if not isinstance(content, dict):
            raise ImplementationError(f"{self._title}: {self.key.key} is no mapping")
        return content

    @property
    def as_found(self) -> bool:
        """Whether it is, as far as we have written it."""
        return self._now == self._found

    def write(self, content: Mapping[str, Any] | str) -> bool:
        """Whether that was a change."""
        return self._put(rendered(content))

    def put_back(self) -> bool:
        """Whether there was anything to put back."""
        return self._put(self._found)

    def created(self, name: str, content: Mapping[str, Any] | str) -> KubeObject:
        """Another one, with that content under the same key."""
        body = {
            "apiVersion": CONFIG_MAPS.api_version,
            "kind": CONFIG_MAPS.kind,
            "metadata": {
                "name": name,
                "namespace": self._namespace,
                "labels": {COPY_LABEL: name},
            },
            "data": {self.key.key: rendered(content)},
        }
        return self._api.create(CONFIG_MAPS, body, namespace=self._namespace)

    def _put(self, text: str) -> bool:
        if text == self._now:
            return False
        note = None if text == self._found else json.dumps({self.key.key: self._found})
        patch = {"metadata": {"annotations": {AS_FOUND: note}}, "data": {self.key.key: text}}
        before, self._now = self._now, None
        try:
            self._api.patch(CONFIG_MAPS, self.key.config_map, patch, namespace=self._namespace)
        except ApiError as error:
            if not error.transient:
                self._now = before
            raise
        self._now = text
        return True


def rendered(content: Mapping[str, Any] | str) -> str:
    """JSON is YAML; an implementation's file is read by whatever it reads files with."""
    return content if isinstance(content, str) else json.dumps(content, indent=2) + "\n"
