"""What a request to an API server is about, read from its method and address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

READS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Request:
    """``plural`` is the kind as addresses name it, "" for what is about no object.

    ``initial``: a watch that begins with all that is there, in place of a list.
    """

    method: str
    path: str
    plural: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watch: bool = False
    initial: bool = False

    @classmethod
    def read(cls, method: str, path: str, query: Mapping[str, str]) -> Request:
        """From ``/api/v1/…`` or ``/apis/group/version/…``; other addresses are about no object."""
        watch = query.get("watch", "") in {"1", "true"}
        initial = watch and query.get("sendInitialEvents", "") in {"1", "true"}
        parts = [part for part in path.split("/") if part]
        rest = parts[2:] if parts[:1] == ["api"] else parts[3:] if parts[:1] == ["apis"] else []
        namespace = ""
        if len(rest) >= 3 and rest[0] == "namespaces" and rest[2] not in {"status", "finalize"}:
            namespace, rest = rest[1], rest[2:]
        plural, name, subresource = (*rest, "", "", "")[:3]
        return cls(method, path, plural, namespace, name, subresource, watch, initial)

    @property
    def write(self) -> bool:
        """Whether it may change something."""
        return self.method not in READS

    @property
    def list(self) -> bool:
        """Whether it reads a whole collection, once."""
        return self.method == "GET" and bool(self.plural) and not self.name and not self.watch

    def __str__(self) -> str:
        about = "/".join(part for part in (self.plural, self.name, self.subresource) if part)
        return f"{self.method} {about or self.path}"
