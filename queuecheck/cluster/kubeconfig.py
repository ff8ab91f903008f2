"""One context of somebody's kubeconfig, as a file of our own.

What the suite and the implementation are given has the named context and nothing else: whoever
reads it cannot reach another cluster, whatever ``current-context`` the user's own file has, and
whoever changes that file during a run changes nothing here.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from queuecheck.cluster.credentials import write_private
from queuecheck.kube import KubeconfigError
from queuecheck.reading import Unreadable, read_yaml

# Keys of clusters and users that name a file, relative to the kubeconfig.
FILES = ("certificate-authority", "client-certificate", "client-key", "tokenFile")


def read_context(file: Path, context: str) -> dict[str, Any]:
    """The document with that context alone, its relative paths made whole.

    Raises KubeconfigError.
    """
    try:
        document = read_yaml(file)
    except Unreadable as error:
        raise KubeconfigError(f"kubeconfig {error}") from error
    if not isinstance(document, Mapping):
        raise KubeconfigError(f"kubeconfig {file} cannot be read: it is no kubeconfig")
    try:
        return only(document, context, directory=file.resolve().parent)
    except KubeconfigError as error:
        raise KubeconfigError(f"kubeconfig {file}: {error}") from error


def only(document: Mapping[str, Any], context: str, *, directory: Path) -> dict[str, Any]:
    """A kubeconfig of one context. Raises KubeconfigError where it, or a part of it, is missing."""
    chosen = _named(document, "context", context)
    parts = {kind: _named(document, kind, str(chosen.get(kind))) for kind in ("cluster", "user")}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "contexts": [{"name": context, "context": copy.deepcopy(chosen)}],
        **{
            f"{kind}s": [{"name": chosen[kind], kind: _with_whole_paths(part, directory)}]
            for kind, part in parts.items()
        },
    }


def as_token(document: Mapping[str, Any], token: str) -> dict[str, Any]:
    """The same cluster, for whoever the token stands for."""
    changed = copy.deepcopy(dict(document))
    for entry in changed["users"]:
        entry["user"] = {"token": token}
    return changed


def write(document: Mapping[str, Any], to: Path) -> Path:
    """Writes a kubeconfig that only its owner can read."""
    return write_private(to, yaml.safe_dump(dict(document), sort_keys=False))


def _named(document: Mapping[str, Any], kind: str, name: str) -> dict[str, Any]:
    listed = document.get(f"{kind}s")
    listed = listed if isinstance(listed, list) else []
    entries = [each for each in listed if isinstance(each, Mapping)]
    for entry in entries:
        if entry.get("name") == name and isinstance(entry.get(kind), Mapping):
            return dict(entry[kind])
    names = ", ".join(str(each.get("name")) for each in entries) or "none"
    raise KubeconfigError(f"there is no {kind} {name!r}; there is {names}")


def _with_whole_paths(part: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    whole = copy.deepcopy(dict(part))
    for key in FILES:
        if whole.get(key):
            whole[key] = str(directory / str(whole[key]))
    command = (whole.get("exec") or {}).get("command")
    if command and "/" in command:  # a bare name is looked for on the PATH
        whole["exec"]["command"] = str(directory / command)
    return whole
