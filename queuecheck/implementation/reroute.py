"""A kubeconfig that leads to the same cluster by another address.

Everything else stays: context, user, token, and how to know the server. An address in plain HTTP
has no certificate to check.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from queuecheck.cluster.credentials import write_private


def rerouted(kubeconfig: Path, *, server: str, to: Path) -> Path:
    """Writes ``kubeconfig`` with ``server`` for every cluster of it, readable by its owner only."""
    document = yaml.safe_load(kubeconfig.read_text("utf-8"))
    for entry in document["clusters"]:
        known = entry["cluster"] if server.startswith("https:") else {}
        entry["cluster"] = {**known, "server": server}
    return write_private(to, yaml.safe_dump(document, sort_keys=False))
