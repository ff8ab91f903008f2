"""The pods of one Deployment: which there are, what they say, what their pages show.

What pods have said is kept when they are taken away: the API server forgets it with them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from queuecheck.cluster.pods import uid
from queuecheck.implementation import pages, pod_logs, rollout
from queuecheck.implementation.deployed import MetricsPage
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.pod_logs import Line
from queuecheck.implementation.verbs import Sample
from queuecheck.implementation.watched import Followed, Watched
from queuecheck.kube import Api, ApiError, KubeObject, NotFound
from queuecheck.kube.resource import PODS

ANSWER_SECONDS = 5.0
TAIL_LINES = 15
KEPT_LINES = 20_000


class Pods:
    """Those in the namespace with the labels; ``container`` is the one whose log it is."""

    def __init__(self, api: Api, namespace: str, *, labels: str, container: str) -> None:
        self._api = api
        self._patient = api.within(ANSWER_SECONDS)
        self._namespace = namespace
        self._labels = labels
        self._container = container
        self._kept: deque[Line] = deque(maxlen=KEPT_LINES)
        self._followed = Followed(api, PODS, namespace=namespace, labels=labels)

    def lately(self) -> tuple[KubeObject, ...]:
        """All there are, as a watch last showed them: for whoever asks all the time."""
        return self._followed.objects()

    def close(self) -> None:
        """Ends that watch."""
        self._followed.stop()

    def now(self) -> tuple[KubeObject, ...]:
        """All there are."""
        return self._api.list(PODS, namespace=self._namespace, label_selector=self._labels).items

    def watched(self, seconds: float) -> Watched:
        """All there are, as they change, for so long."""
        return Watched(
            self._api, PODS, namespace=self._namespace, seconds=seconds, labels=self._labels
        )

    def delete(self, pod: KubeObject, *, grace: int | None = None) -> None:
        """Asks that one to end; harmless if it has."""
        with suppress(NotFound):
            self._api.delete(
                PODS,
                pod["metadata"]["name"],
                namespace=self._namespace,
                uid=uid(pod),
                grace_seconds=grace,
            )

    def keep_logs(self) -> tuple[KubeObject, ...]:
        """Before pods are taken away, what they have said; gives the pods."""
        pods = self.now()
        since = {"sinceTime": pod_logs.stamp(self._kept[-1].at)} if self._kept else {}
        known = set(self._kept)
        lines = {line for pod in pods for line in self._lines(pod, **since)}
        self._kept.extend(sorted(lines - known))
        return pods

    def log_position(self) -> int:
        """The time of the last line that any of them has written; 0 if there is none."""
        last = [line for pod in self.now() for line in self._lines(pod, tailLines="1")]
        return max((line.at for line in (*last, *list(self._kept)[-1:])), default=0)

    def log(self, after: int = 0) -> str:
        """What was written after that place, by pods that are gone too."""
        since = {"sinceTime": pod_logs.stamp(after)} if after else {}
        live = [line for pod in self.now() for line in self._lines(pod, **since)]
        return pod_logs.text({*self._kept, *live}, after=after)

    def tail(self, pod: KubeObject, *, before_restart: bool = False) -> str:
        """The last lines of that one, or of its container before it was started again."""
        which = {"previous": "true"} if before_restart else {}
        lines = self._lines(pod, tailLines=str(TAIL_LINES), **which)
        return "\n".join(line.text for line in lines)

    def samples(self, page: MetricsPage) -> list[Sample]:
        """What the pages of the ready ones have. Raises ImplementationError."""
        return [
            sample
            for pod in self.now()
            if rollout.is_ready(pod)
            for sample in self._page(pod, page)
        ]

    def _lines(self, pod: KubeObject, **query: str) -> Iterator[Line]:
        path = PODS.path(namespace=self._namespace, name=pod["metadata"]["name"], subresource="log")
        asked = {"container": self._container, "timestamps": "true", **query}
        with suppress(ApiError):  # it has not started, or is gone
            yield from pod_logs.parse(self._patient.raw(path, query=asked))

    def _page(self, pod: KubeObject, page: MetricsPage) -> list[Sample]:
        name = f"{pod['metadata']['name']}:{page.port}"
        proxy = PODS.path(namespace=self._namespace, name=name, subresource="proxy")
        try:
            return pages.parsed(self._patient.raw(f"{proxy}{page.path}"))
        except ApiError as error:
            raise ImplementationError(f"metrics of pod {name}: {error}") from error
