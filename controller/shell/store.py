"""The objects as one component last saw them, from watches and from the answers to its writes.

Both sources tell of the same objects and neither waits for the other, so every object is taken
only if its resourceVersion is newer than the known one. Used by one thread.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from controller.core.decisions import Kind, Ref
from queuecheck.kube import Changed, KubeObject, Listed

Name = tuple[str, str]


@dataclass(frozen=True)
class Change:
    """One object that is new, different or (as it last was) gone."""

    kind: Kind
    object: KubeObject
    deleted: bool


class Store:
    """The latest known object of each name."""

    def __init__(self) -> None:
        self._objects: dict[Kind, dict[Name, KubeObject]] = {kind: {} for kind in Kind}

    def get(self, target: Ref) -> KubeObject | None:
        """The object of that name; it may have another UID than the target's."""
        return self._objects[target.kind].get((target.namespace, target.name))

    def take(self, kind: Kind, item: Listed | Changed) -> list[Change]:
        """What the item of a watch changes. Stale ones change nothing."""
        if isinstance(item, Listed):
            return list(self._relist(kind, item))
        if item.verb == "DELETED":
            return list(self._forget(kind, item.object))
        return self.learn(kind, item.object)

    def learn(self, kind: Kind, found: KubeObject) -> list[Change]:
        """The object as it was just read or written, if that is news."""
        name = _name(found)
        known = self._objects[kind].get(name)
        if known is not None and _version(found) <= _version(known):
            return []
        found = _without_managers(found)
        self._objects[kind][name] = found
        changes = [Change(kind, found, deleted=False)]
        if known is not None and _uid(known) != _uid(found):
            changes.insert(0, Change(kind, known, deleted=True))
        return changes

    def _relist(self, kind: Kind, listed: Listed) -> Iterator[Change]:
        present = {_name(found) for found in listed.objects}
        as_of = _number(listed.resource_version)
        # What we created after the list was taken is not in it, and not gone.
        gone = [
            known
            for name, known in self._objects[kind].items()
            if name not in present and _version(known) <= as_of
        ]
        for known in gone:
            yield from self._forget(kind, known)
        for found in listed.objects:
            yield from self.learn(kind, found)

    def _forget(self, kind: Kind, last: KubeObject) -> Iterator[Change]:
        name = _name(last)
        known = self._objects[kind].get(name)
        if known is not None and _version(known) <= _version(last):
            del self._objects[kind][name]
            yield Change(kind, known if _uid(known) != _uid(last) else last, deleted=True)


def version_of(item: Listed | Changed) -> int:
    """Up to which version the item tells what there is."""
    if isinstance(item, Listed):
        return _number(item.resource_version)
    return _version(item.object)


def _without_managers(found: KubeObject) -> KubeObject:
    """Who wrote which field is of no use to anybody here, and often the larger half."""
    metadata = {key: value for key, value in found["metadata"].items() if key != "managedFields"}
    return {**found, "metadata": metadata}


def _name(found: KubeObject) -> Name:
    metadata = found["metadata"]
    return metadata.get("namespace", ""), metadata["name"]


def _uid(found: KubeObject) -> str:
    return str(found["metadata"].get("uid", ""))


def _version(found: KubeObject) -> int:
    return _number(found["metadata"].get("resourceVersion", ""))


def _number(version: str) -> int:
    return int(version) if version.isdecimal() else 0
