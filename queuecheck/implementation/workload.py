"""One Deployment that is an instance of a component: asked for pods, and waited for.

Everything goes through the API server. Waits follow pods by a watch, and end early when a pod
cannot become ready any more. While it is scaled otherwise than it was found, an annotation says
how it was found: whoever comes after a run that was killed can put it back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress

from queuecheck.cluster.pods import is_over, uid
from queuecheck.implementation import rollout
from queuecheck.implementation.config_map import AS_FOUND
from queuecheck.implementation.deployed import Deployed
from queuecheck.implementation.errors import ImplementationError
from queuecheck.implementation.pods import Pods
from queuecheck.implementation.verbs import Sample
from queuecheck.implementation.watched import Watched
from queuecheck.kube import Api, ApiError, KubeObject, NotFound
from queuecheck.kube.resource import DEPLOYMENTS

READY_SECONDS = 120.0
END_SECONDS = 60.0  # beyond the time that its pods are given
# The least that a kubelet gives in any case. With 0 the pod would be gone while it still runs.
LEAST_GRACE = 1


class Workload:
    """A Deployment that is there. ``owner`` is what messages begin with."""

    def __init__(
        self, api: Api, deployed: Deployed, *, instance: str, name: str, owner: str
    ) -> None:
        self.deployed = deployed
        self.instance = instance
        self.name = name
        self._api = api
        self._owner = owner
        self.found = self._get()
        self.found_copies = int(self.found["spec"].get("replicas", 1))
        # None while nobody knows: an answer can be lost, or a Ctrl-C come before it.
        self._copies: int | None = self.found_copies
        try:
            self.container = rollout.container_of(self.found, deployed.container)
        except KeyError as error:
            raise ImplementationError(f"{self.title}: {error.args[0]}") from error
        of_copy = None if instance == deployed.component else instance
        self.pods = Pods(
            api,
            deployed.namespace,
            labels=rollout.selector(self.found, of_copy=of_copy),
            container=self.container,
        )
        self._dismissed: set[str] = set()  # pods that verbs have asked to end
        self._restarts: dict[str, int] = {}

    @property
    def title(self) -> str:
        """What messages about it begin with."""
        return f"{self._owner}: Deployment {self.deployed.namespace}/{self.name}"

    @property
    def runs(self) -> bool:
        """Whether it is meant to have pods."""
        return bool(self._copies)

    @property
    def may_run(self) -> bool:
        """Whether it has any, as far as anybody knows."""
        return self._copies != 0

    @property
    def as_found(self) -> bool:
        """Whether it has as many copies as it was found with."""
        return self._copies == self.found_copies

    @property
    def original(self) -> KubeObject:
        """The Deployment as it has to be given to create it as it was found."""
        return rollout.again(self.found)

    def launch(self) -> None:
        """Asks for its pods, without waiting for them: as many as it had, or one."""
        unsure = self._copies is None
        self._scale(self.found_copies or 1)
        if unsure:  # what was asked to end may not have heard of it, and be there still
            self.renew()

    def renew(self) -> None:
        """Asks its pods to leave, so that others take their places."""
        for pod in self._dismiss():
            self.pods.delete(pod)

    def wait_ready(self) -> None:
        """Returns when all of its pods are ready, and none is there that has to leave."""

        def hopeless(pods: Iterable[KubeObject]) -> str | None:
            reasons = (rollout.hopeless(pod) for pod in pods if uid(pod) not in self._dismissed)
            return next((each for each in reasons if each), None)

        pods = self._await_pods(
            lambda pods: rollout.settled(pods, copies=self._copies or 0, leaving=self._dismissed),
            wanted="ready",
            seconds=READY_SECONDS + self._grace,
            hopeless=hopeless,
        )
        self._restarts = {uid(pod): rollout.restarts(pod) for pod in pods}

    def ask_to_end(self) -> None:
        """The first half of an orderly end, so that several instances can be asked first."""
        if self.runs:
            self._dismiss()
        self._scale(0)

    def await_end(self) -> None:
        """The second half: returns when no pod is left."""
        self._await_pods(
            lambda pods: not any(not is_over(pod) for pod in pods),
            wanted="gone",
            seconds=END_SECONDS + self._grace,
        )

    def kill(self) -> None:
        """Ends it with the least grace there is; nothing is started in its place."""
        self._dismiss()
        generation = int(self._scale(0)["metadata"]["generation"])
        deployments = Watched(
            self._api,
            DEPLOYMENTS,
            namespace=self.deployed.namespace,
            seconds=END_SECONDS,
            fields=f"metadata.name={self.name}",
        )
        if not any(
            all(rollout.scaled_down(each, generation=generation) for each in found)
            for found in deployments
        ):
            raise ImplementationError(
                f"{self.title} still asks for pods {END_SECONDS:g} s after it was scaled to 0; "
                "does the cluster run its deployment controller?"
            )
        for pod in self.pods.now():
            self.pods.delete(pod, grace=LEAST_GRACE)
        self.await_end()

    def put_back(self) -> None:
        """As many copies as it was found with; does not wait."""
        self._scale(self.found_copies)

    def why_gone(self) -> str | None:
        """None, or how it ended without being asked, with its last words."""
        if not self.runs:
            return None
        for pod in self.pods.lately():
            if uid(pod) in self._dismissed:  # the watch has not seen it go yet
                continue
            before = self._restarts.get(uid(pod), 0)
            if rollout.restarts(pod) > before:
                reason = f"pod {pod['metadata']['name']}: {rollout.last_end(pod)}"
                return self._told(f"{self.instance}: {reason}", pod, before_restart=True)
            if stuck := rollout.hopeless(pod):
                return f"{self.instance}: {stuck}"
        return None

    def restart_count(self) -> int:
        """How many times containers of its pods were started again."""
        return sum(rollout.restarts(pod) for pod in self.pods.now())

    def samples(self) -> list[Sample]:
        """What the metrics pages of its ready pods have; none if it has no such page."""
        page = self.deployed.metrics
        return [] if page is None else self.pods.samples(page)

    def remove(self) -> None:
        """Deletes the Deployment; returns when its pods are gone."""
        self._dismiss()
        self._copies = 0
        with suppress(NotFound):
            self._api.delete(
                DEPLOYMENTS,
                self.name,
                namespace=self.deployed.namespace,
                propagation="Background",
            )
        self.await_end()
        self.pods.close()

    @property
    def _grace(self) -> float:
        spec = self.found["spec"]["template"]["spec"]
        return float(spec.get("terminationGracePeriodSeconds", 30))

    def _get(self) -> KubeObject:
        try:
            return self._api.get(DEPLOYMENTS, self.name, namespace=self.deployed.namespace)
        except NotFound as error:
            raise ImplementationError(
                f"{self.title} is not there; install it first, or name its manifests in the "
                "descriptor"
            ) from error

    def _dismiss(self) -> tuple[KubeObject, ...]:
        """The pods, of which nothing further is expected; what they have said is kept."""
        pods = self.pods.keep_logs()
        self._dismissed |= {uid(pod) for pod in pods}
        return pods

    def _scale(self, copies: int) -> KubeObject:
        note = None if copies == self.found_copies else str(self.found_copies)
        patch = {"metadata": {"annotations": {AS_FOUND: note}}, "spec": {"replicas": copies}}
        before, self._copies = self._copies, None
        try:
            answer = self._api.patch(
                DEPLOYMENTS, self.name, patch, namespace=self.deployed.namespace
            )
        except ApiError as error:
            if not error.transient:
                self._copies = before
            raise ImplementationError(f"{self.title} cannot be scaled: {error}") from error
        self._copies = copies
        return answer

    def _await_pods(
        self,
        test: Callable[[Collection[KubeObject]], bool],
        *,
        wanted: str,
        seconds: float,
        hopeless: Callable[[Iterable[KubeObject]], str | None] = lambda _: None,
    ) -> tuple[KubeObject, ...]:
        watched = self.pods.watched(seconds)
        for pods in watched:
            if test(pods):
                return pods
            if reason := hopeless(pods):
                found = next(pod for pod in pods if rollout.hopeless(pod))
                raise ImplementationError(self._told(f"{self.title}: {reason}", found))
        raise ImplementationError(
            f"{self.title} is not {wanted} within {seconds:g} s: {self._standing(watched)}"
        )

    def _standing(self, watched: Watched) -> str:
        if watched.interruption and not watched.objects:
            return f"its pods cannot be followed: {watched.interruption}"
        if watched.objects:
            return "; ".join(rollout.state(pod) for pod in watched.objects)
        conditions = (self._get().get("status") or {}).get("conditions") or ()
        return next(
            (
                f"{each.get('reason')}: {each.get('message')}"
                for each in conditions
                if each["type"] == "ReplicaFailure"
            ),
            "it has no pod",
        )

    def _told(self, message: str, pod: KubeObject, *, before_restart: bool = False) -> str:
        tail = self.pods.tail(pod, before_restart=before_restart)
        return f"{message}; its last lines:\n{tail}" if tail else message
