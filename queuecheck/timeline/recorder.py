"""Fills a timeline from the streams of a feed: some kinds, each in one namespace or in all.

``catch_up`` makes order across streams safe to judge: it lists the collections that a claim looks
at, and returns when the streams have brought what the lists show. Each stream is in order, so
everything that was written before is then in the timeline. (What escapes is only an object both
made and deleted in the milliseconds for which its stream runs behind the list.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from queuecheck.kube import Resource
from queuecheck.timeline.failure import HarnessError
from queuecheck.timeline.feed import Feed, Watch, label
from queuecheck.timeline.timeline import Streams, Timeline

START_SECONDS = 20.0


class Recorder:
    """Records ``watches`` from the feed into the timeline. A namespace "" is all namespaces."""

    def __init__(self, feed: Feed, timeline: Timeline, watches: Sequence[Watch]) -> None:
        self._feed = feed
        self._timeline = timeline
        self._first = tuple(watches)
        self._watches: list[Watch] = []

    def start(self, *, fresh: Collection[str] = (), within: float = START_SECONDS) -> None:
        """Returns when every first list is in. Raises HarnessError that names what is not.

        The namespaces in ``fresh`` were made just now: there is nothing in them to be listed.
        """
        self._timeline.attach(self.catch_up)
        self._open(self._first, fresh=fresh, within=within)

    def add_namespace(
        self, namespace: str, resources: Sequence[Resource], *, within: float = START_SECONDS
    ) -> None:
        """Records these kinds in one more namespace, which was made just now."""
        watches = [(resource, namespace) for resource in resources]
        self._open(watches, fresh=(namespace,), within=within)

    def stop(self) -> None:
        """Records nothing more. Raises HarnessError that names a watch that does not end."""
        self._watches.clear()
        self._feed.leave(self._timeline)

    def catch_up(self, within: float, streams: Streams) -> None:
        """Returns when all that was written to these kinds and namespaces is in the timeline."""
        end = self._timeline.now() + within
        for resource, namespace in list(self._watches):
            if any(resource.kind == kind and namespace in {"", wanted} for kind, wanted in streams):
                self._catch_up(resource, namespace, end=end, within=within)

    def _open(self, watches: Sequence[Watch], *, fresh: Collection[str], within: float) -> None:
        try:
            self._feed.join(self._timeline, watches, fresh=fresh, within=within)
        except HarnessError:
            self.stop()
            raise
        self._watches += watches

    def _catch_up(self, resource: Resource, namespace: str, *, end: float, within: float) -> None:
        listed = self._feed.list(resource, namespace)
        wanted = {
            (str(item["metadata"].get("namespace", "")), str(item["metadata"]["name"])): int(
                item["metadata"]["resourceVersion"]
            )
            for item in listed.objects
        }
        while True:
            changes = self._timeline.changes()
            known = self._timeline.newest(resource.kind, namespace)
            behind = [
                key
                for key, version in wanted.items()
                if key not in known or known[key].resource_version < version
            ]
            stale = [
                key
                for key, seen in known.items()
                if key not in wanted
                and seen.live is not None
                and seen.resource_version <= int(listed.resource_version)
            ]
            if not behind and not stale:
                return
            if not self._timeline.wait(seen=changes, until=end):
                raise HarnessError(
                    f"the watch of {label(resource, namespace)} is more than {within:g} s behind: "
                    f"{(behind + stale)[0][1]} is not as the server has it"
                )
