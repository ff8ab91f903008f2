"""Everything that was seen, in the order in which it came in, and waiting for more.

Append-only and safe to use from many threads. What was seen twice (one UID at one version) is
kept once. A relist brings what is new or changed as LISTED, what has vanished as DELETED, and
closes the gap that made it necessary. The latest state of an object is the one of the highest
version, whatever arrived last.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from queuecheck.kube import KubeObject
from queuecheck.timeline.clock import Clock, SystemClock
from queuecheck.timeline.failure import HarnessError
from queuecheck.timeline.observation import Gap, Observation, Position, Verb
from queuecheck.timeline.state import Key, Selection, Subject, View

Streams = frozenset[tuple[str, str]]
CatchUp = Callable[[float, Streams], None]
Stream = tuple[str, str]


class Timeline:
    """The observations of one scenario. Times are seconds since it was made."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._began = self._clock.now()
        self._news = threading.Condition()
        self._observations: list[Observation] = []
        self._streams: dict[Stream, list[Observation]] = {}
        self._objects: dict[Key, list[Observation]] = {}
        self._gaps: list[Gap] = []
        self._known: set[tuple[str, int, bool]] = set()
        self._latest: dict[Key, Observation] = {}
        self._versions: dict[str, int] = {}
        self._reached: dict[Stream, int] = {}
        self._changes = 0
        self._broken = ""
        self._catch_up: CatchUp | None = None
        self.began_at = datetime.now(UTC)

    def now(self) -> float:
        """Seconds since the timeline began."""
        return self._clock.now() - self._began

    def observe(self, kind: str, verb: Verb, found: KubeObject) -> Observation | None:
        """Appends what a watch brought; None if it had been seen already."""
        with self._news:
            return self._append(kind, verb, found)

    def relist(
        self, kind: str, namespace: str, objects: Sequence[KubeObject], *, resource_version: int
    ) -> None:
        """Takes in a whole collection as of ``resource_version``; "" is all namespaces.

        What is known of a later version, and so not in the list, has not vanished.
        """
        with self._news:
            listed = {_identity(found) for found in objects}
            for found in objects:
                self._append(kind, "LISTED", found)
            for seen in list(self._latest.values()):
                inside = seen.kind == kind and namespace in {"", seen.namespace}
                inside = inside and seen.resource_version <= resource_version
                if inside and seen.live and (seen.namespace, seen.name, seen.uid) not in listed:
                    self._append(kind, "DELETED", seen.object, version=resource_version)
            self._gaps = [
                replace(gap, until=resource_version, closed_at=self.now())
                if gap.until is None and (gap.kind, gap.namespace) == (kind, namespace)
                else gap
                for gap in self._gaps
            ]
            self._reach(kind, namespace, resource_version)
            self._tell()

    def gap(self, kind: str, namespace: str, reason: str) -> Gap:
        """Notes that writes may be missed from now on, until the next ``relist``."""
        with self._news:
            after = max(
                (
                    seen.resource_version
                    for seen in self._observations
                    if seen.kind == kind and namespace in {"", seen.namespace}
                ),
                default=0,
            )
            gap = Gap(kind, namespace, self.now(), reason, len(self._observations), after)
            self._gaps.append(gap)
            self._tell()
            return gap

    def fail(self, reason: str) -> None:
        """The recorder has broken for good: every claim from now on is a harness error."""
        with self._news:
            self._broken = self._broken or reason
            self._tell()

    def position(self) -> Position:
        """Here and now, for a claim's ``since``."""
        with self._news:
            return Position(
                len(self._observations),
                max(self._versions.values(), default=0),
                self.now(),
                dict(self._versions),
            )

    def versions(self, *, before: int) -> dict[str, int]:
        """The highest version of each kind among the first so many observations."""
        found: dict[str, int] = {}
        for seen in self.observations()[:before]:
            found[seen.kind] = max(found.get(seen.kind, 0), seen.resource_version)
        return found

    def reached(self, kind: str, namespace: str) -> int:
        """The version up to which everything of this kind and namespace has come in."""
        with self._news:
            return max(self._reached.get((kind, each), 0) for each in ("", namespace))

    def latest(self, subject: Subject) -> KubeObject | None:
        """The object as last written, or None if it does not exist."""
        with self._news:
            seen = self._latest.get(subject.key)
            return seen.live if seen else None

    def selected(self, selection: Selection) -> tuple[KubeObject, ...]:
        """The selected objects that exist, by name."""
        return selection.of(self.view())

    def view(self) -> View:
        """Every object that exists, as last written."""
        with self._news:
            return {key: seen.object for key, seen in self._latest.items() if seen.live}

    def newest(self, kind: str, namespace: str) -> dict[tuple[str, str], Observation]:
        """The last observation of each object of a kind, deletions included, by namespace, name."""
        with self._news:
            return {
                key[1:]: seen
                for key, seen in self._latest.items()
                if key[0] == kind and namespace in {"", key[1]}
            }

    def history(
        self, subject: Subject | Selection, since: Position | None = None
    ) -> tuple[Observation, ...]:
        """Observations of the subject that arrived from ``since`` on, in order of version."""
        first = since.sequence if since else 0
        if isinstance(subject, Subject):
            with self._news:
                about = tuple(self._objects.get(subject.key, ()))
        else:
            about = self.observations([(subject.kind, subject.namespace)])
        found = [seen for seen in about if seen.sequence >= first]
        return tuple(sorted(found, key=lambda seen: (seen.resource_version, seen.sequence)))

    def observations(
        self, streams: Iterable[Stream] | None = None, *, since: int = 0
    ) -> tuple[Observation, ...]:
        """All, or all of these (kind, namespace) pairs, in order of arrival.

        ``since`` is the sequence number of the first one wanted.
        """
        with self._news:
            if streams is None:
                return tuple(self._observations[since:])
            chosen: list[Observation] = []
            for stream in set(streams):
                seen = self._streams.get(stream, [])
                chosen += seen[bisect_left(seen, since, key=lambda each: each.sequence) :]
        return tuple(sorted(chosen, key=lambda each: each.sequence))

    def gaps(self) -> tuple[Gap, ...]:
        """All, in order of arrival."""
        with self._news:
            return tuple(self._gaps)

    def changes(self) -> int:
        """A number that grows with every observation, gap and list, to give to ``wait``.

        Raises HarnessError once the recorder has broken.
        """
        with self._news:
            self._check()
            return self._changes

    def wait(self, *, seen: int, until: float) -> bool:
        """Waits for ``changes`` to pass ``seen``, to the time ``until``; whether it did.

        Raises HarnessError once the recorder has broken.
        """
        with self._news:
            while self._changes <= seen and not self._broken:
                left = until - self.now()
                if left <= 0:
                    return False
                self._clock.wait(self._news, left)
            self._check()
            return True

    def sleep(self, seconds: float) -> None:
        """Lets so many seconds pass, whatever comes in meanwhile."""
        end = self.now() + seconds
        while self.wait(seen=self.changes(), until=end):
            pass

    def attach(self, catch_up: CatchUp) -> None:
        """The recorder's way to make sure that some streams have passed the present."""
        self._catch_up = catch_up

    def catch_up(self, streams: Streams, *, settle: float, within: float) -> None:
        """Returns when all that was written to these kinds and namespaces has come in.

        With a recorder attached that is certain, or a HarnessError after ``within`` seconds.
        Without one it is taken to be so after ``settle`` seconds.
        """
        if self._catch_up is not None:
            self._catch_up(within, streams)
            return
        self.sleep(settle)

    def _append(
        self, kind: str, verb: Verb, found: KubeObject, *, version: int | None = None
    ) -> Observation | None:
        metadata = found["metadata"]
        at_version = version if version is not None else int(metadata["resourceVersion"])
        uid = str(metadata.get("uid", ""))
        mark = (uid, at_version, verb == "DELETED")
        if mark in self._known:
            return None
        self._known.add(mark)
        seen = Observation(
            sequence=len(self._observations),
            kind=kind,
            verb=verb,
            namespace=str(metadata.get("namespace", "")),
            name=str(metadata["name"]),
            uid=uid,
            resource_version=at_version,
            at=self.now(),
            object=found,
        )
        self._observations.append(seen)
        self._streams.setdefault((kind, seen.namespace), []).append(seen)
        self._objects.setdefault((kind, seen.namespace, seen.name), []).append(seen)
        self._reach(kind, seen.namespace, at_version)
        key = (seen.kind, seen.namespace, seen.name)
        if key not in self._latest or self._latest[key].resource_version <= at_version:
            self._latest[key] = seen
        self._tell()
        return seen

    def _reach(self, kind: str, namespace: str, version: int) -> None:
        self._versions[kind] = max(self._versions.get(kind, 0), version)
        stream = (kind, namespace)
        self._reached[stream] = max(self._reached.get(stream, 0), version)

    def _tell(self) -> None:
        self._changes += 1
        self._news.notify_all()

    def _check(self) -> None:
        if self._broken:
            raise HarnessError(f"the recorder has broken: {self._broken}")


def concerns(seen: Observation, subject: Subject | Selection) -> bool:
    """Whether an observation bears on a subject or selection."""
    return subject.covers(kind=seen.kind, namespace=seen.namespace, name=seen.name)


def _identity(found: KubeObject) -> tuple[str, str, str]:
    metadata = found["metadata"]
    return (
        str(metadata.get("namespace", "")),
        str(metadata["name"]),
        str(metadata.get("uid", "")),
    )
