"""A bearer token in a file, where somebody else renews it before it expires."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config

READ_AGAIN = 60.0


class TokenFile:
    """Gives a client's settings the token of the file, before each request; read once a minute.

    The client library reads that of a kubeconfig a single time, and of a pod's goes by the time of
    day, which may be set back.
    """

    def __init__(self, path: Path, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._steady = steady
        self._read_at = -math.inf

    def __call__(self, settings: kubernetes_client.Configuration) -> None:
        """Raises OSError or ConfigException where there is no token."""
        now = self._steady()
        if now < self._read_at + READ_AGAIN:
            return
        token = self._path.read_text("utf-8").strip()
        if not token:
            raise kubernetes_config.ConfigException(f"the token file {self._path} is empty")
        settings.api_key["BearerToken"] = f"Bearer {token}"
        self._read_at = now


def token_file(kubeconfig: Path, context: str | None) -> Path | None:
    """The file in which the context's user has its token. Of a kubeconfig that was just loaded."""
    document = yaml.safe_load(kubeconfig.read_text("utf-8"))
    chosen = _named(document, "context", context or document.get("current-context"))
    name = _named(document, "user", chosen.get("user")).get("tokenFile")
    return kubeconfig.absolute().parent / name if name else None


def _named(document: dict[str, Any], kind: str, name: str | None) -> dict[str, Any]:
    entries = document.get(f"{kind}s") or []
    return next((entry.get(kind) or {} for entry in entries if entry.get("name") == name), {})
