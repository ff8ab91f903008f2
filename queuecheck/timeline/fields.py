"""Reading, showing and comparing fields of raw objects by dotted path.

A path is keys joined by dots, ``[0]`` for an item, ``[]`` for every item, and ``["a.b/c"]`` for a
key with dots in it: ``status.admissions[].replicas``,
``metadata.annotations["queue.example.org/state"]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from queuecheck.kube import KubeObject

MISSING = "(not set)"
NOISE = frozenset({"metadata.managedFields", "metadata.resourceVersion", "metadata.generation"})
LONGEST = 120
_PART = re.compile(r'\.?(?:\["([^"]+)"\]|\[(\d*)\]|([^.\[\]]+))')


def read(found: KubeObject | None, path: str) -> Any:
    """The value at the path, a list for ``[]``, or None where there is none."""
    value: Any = found
    rest = path
    while rest:
        match = _PART.match(rest)
        if match is None:
            raise ValueError(f"not a field path: {path!r}")
        rest = rest[match.end() :]
        quoted, index, key = match.groups()
        name = quoted or key
        if name is not None:
            value = value.get(name) if isinstance(value, dict) else None
        elif index == "":
            items = value if isinstance(value, list) else []
            return [read({"item": item}, "item" + rest) for item in items]
        else:
            within = isinstance(value, list) and int(index) < len(value)
            value = value[int(index)] if within else None
    return value


def show(value: Any) -> str:
    """One line for any value."""
    if value is None:
        return MISSING
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def line(found: KubeObject | None, paths: tuple[str, ...]) -> str:
    """The fields in one line, each under as little of its path as tells it from the others."""
    if found is None:
        return "(does not exist)"
    values = [(name, read(found, path)) for name, path in zip(_short(paths), paths, strict=True)]
    return " ".join(f"{name}={'-' if value is None else show(value)}" for name, value in values)


def _short(paths: tuple[str, ...]) -> list[str]:
    split = [_parts(path) for path in paths]
    names = []
    for parts in split:
        length = 1
        while (
            length < len(parts) and sum(other[-length:] == parts[-length:] for other in split) > 1
        ):
            length += 1
        names.append(".".join(parts[-length:]))
    return names


def _parts(path: str) -> list[str]:
    """Keys with their indices: ``["status", "admissions[0]", "replicas"]``."""
    parts: list[str] = []
    for match in _PART.finditer(path):
        quoted, index, key = match.groups()
        if index is not None and parts:
            parts[-1] += f"[{index}]"
        else:
            parts.append(quoted or key)
    return parts


def differences(before: KubeObject | None, after: KubeObject | None) -> tuple[str, ...]:
    """``path: old -> new`` for each field that differs, without bookkeeping fields."""
    if before is None or after is None:
        if before is after:
            return ()
        return ("it came into being",) if before is None else ("it was deleted",)
    return tuple(
        f"{path}: {show(old)} -> {show(new)}" for path, old, new in _compare("", before, after)
    )


def _compare(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    if path in NOISE or old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _compare(_joined(path, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _compare(f"{path}[{at}]", left, right)
    else:
        yield path, old, new


def _joined(path: str, key: str) -> str:
    if re.search(r"[.\[\]/]", key):
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key
