"""Carries out decisions, in order, as API calls.

Writes are guarded by the resourceVersion of the object that the decision's own ``change`` saw; on
a conflict the object is read again and ``change`` is asked again. Every object that comes back is
handed to ``learn`` at once, so that the next decision knows of it before any watch tells.

A write that no longer applies (``change`` says None, or the object is gone or another one) is
passed over with all that it carries in ``then``; so is one that the server refuses for good. An
event that must exist is waited for, unless the server refuses it for good.
"""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from controller.core.decisions import (
    CountAttempt,
    Create,
    Decision,
    Delete,
    EmitEvent,
    Log,
    Object,
    Patch,
    Preempt,
    Ref,
    Write,
)
from controller.shell import events
from controller.shell.kinds import RESOURCES
from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.requests import Postponed, Requests, namespace_goes
from controller.shell.store import Store
from queuecheck.kube import AlreadyExists, Api, ApiError, Conflict, KubeObject, NotFound

CONFLICTS = 8
WRITE_LEVEL = 3

Learn = Callable[[Ref, KubeObject], None]


class Executor:
    """Used by one thread, the one that owns the store."""

    def __init__(
        self,
        *,
        component: str,
        api: Api,
        store: Store,
        learn: Learn,
        requests: Requests,
        event_writer: events.EventWriter,
        metrics: Metrics,
        journal: Journal,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._component = component
        self._manager = f"queuecheck-controller/{component}"
        self._api = api
        self._store = store
        self._learn = learn
        self._requests = requests
        self._events = event_writer
        self._metrics = metrics
        self._journal = journal
        self._clock = clock

    def run(self, decisions: Sequence[Decision], *, queue: str) -> None:
        """All of them. Raises Postponed when the rest must wait, Refused at the end if any failed.

        ``queue`` is a label for what is counted here.
        """
        refusals: list[ApiError] = []
        self._run(decisions, queue, refusals)
        if refusals:
            raise Refused(refusals[0])

    def _run(self, decisions: Sequence[Decision], queue: str, refusals: list[ApiError]) -> None:
        for decision in decisions:
            match decision:
                case Write():
                    if self._attempt(decision, refusals):
                        self._run(decision.then, queue, refusals)
                case Create() | Delete():
                    self._attempt(decision, refusals)
                case EmitEvent():
                    self._emit(decision)
                case CountAttempt():
                    self._metrics.attempt(decision.queue, decision.result)
                case Log():
                    self._journal.say(decision.level, decision.message, decision.fields)
                case Preempt():
                    self._preempt(decision, queue, refusals)

    def _preempt(self, preempt: Preempt, queue: str, refusals: list[ApiError]) -> None:
        told: list[Decision] = []
        victims = 0
        for mark, then in zip(preempt.marks, preempt.marked, strict=True):
            if self._attempt(mark, refusals):
                victims += 1
                told += (*mark.then, *then)
        if victims:
            self._metrics.marked(queue, victims)
        self._run((*told, *(preempt.succeeded if victims else preempt.failed)), queue, refusals)

    def _attempt(self, decision: Write | Create | Delete, refusals: list[ApiError]) -> bool:
        """Whether it was done.

        A refusal for good (invalid, forbidden) is only noted: one object that cannot be written
        must not stop the others.
        """
        try:
            match decision:
                case Write():
                    done = self._write(decision)
                case Create():
                    done = self._create(decision)
                case Delete():
                    done = self._delete(decision)
        except ApiError as error:
            refusals.append(error)
            self._journal.fail(
                f"refused: {error}", {"object": _shown(decision.target), "why": decision.why}
            )
            return False
        outcome = "done" if done else "no longer applies"
        self._journal.say(
            WRITE_LEVEL,
            f"{type(decision).__name__.lower()} {outcome}: {decision.why}",
            {"object": _shown(decision.target)},
        )
        return done

    def _write(self, write: Write) -> bool:
        target, found = write.target, self._store.get(write.target)
        for _ in range(CONFLICTS):
            found = found if found is not None else self._read(target)
            if found is None or not _is(target, found):
                return False
            patch = write.change(found)
            if patch is None:
                return False
            if holds(patch, found):
                return True
            try:
                answer = self._patch(write, patch, found)
            except NotFound:
                return False
            except Conflict:
                found = self._read(target)
                # An answer may have been lost on the way: then the conflict is with ourselves.
                if found is not None and _is(target, found) and holds(patch, found):
                    return True
            else:
                self._learn(target, answer)
                return True
        raise Postponed(
            ApiError(
                verb="PATCH",
                path=str(target),
                status=409,
                reason="Conflict",
                message=f"written by somebody else {CONFLICTS} times in a row",
            )
        )

    def _patch(self, write: Write, patch: Patch, found: KubeObject) -> KubeObject:
        target, resource = write.target, RESOURCES[write.target.kind]
        return self._requests.send(
            "patch",
            resource.kind,
            lambda: self._api.patch(
                resource,
                target.name,
                patch,
                namespace=target.namespace,
                subresource=write.subresource,
                resource_version=found["metadata"]["resourceVersion"],
                field_manager=self._manager,
            ),
        )

    def look_up(self, targets: Sequence[Ref]) -> None:
        """Reads objects that no watch has shown yet; what there is of them is learned.

        Raises Postponed.
        """
        for target in targets:
            try:
                self._read(target)
            except ApiError as error:
                self._journal.fail(f"refused: {error}", {"object": _shown(target)})
                raise Postponed(error) from error

    def _read(self, target: Ref) -> KubeObject | None:
        resource = RESOURCES[target.kind]
        try:
            found = self._requests.send(
                "get",
                resource.kind,
                lambda: self._api.get(resource, target.name, namespace=target.namespace),
            )
        except NotFound:
            return None
        self._learn(target, found)
        return found

    def _create(self, create: Create) -> bool:
        resource = RESOURCES[create.target.kind]
        try:
            answer = self._requests.send(
                "create",
                resource.kind,
                lambda: self._api.create(
                    resource,
                    create.body,
                    namespace=create.target.namespace,
                    field_manager=self._manager,
                ),
            )
        except AlreadyExists:
            return False
        except ApiError as error:
            if namespace_goes(error):
                return False
            raise
        self._learn(create.target, answer)
        return True

    def _delete(self, delete: Delete) -> bool:
        target, resource = delete.target, RESOURCES[delete.target.kind]
        known = self._store.get(target)
        uid = target.uid or (str(known["metadata"]["uid"]) if known else None)
        try:
            self._requests.send(
                "delete",
                resource.kind,
                lambda: self._api.delete(
                    resource, target.name, namespace=target.namespace, uid=uid
                ),
            )
        except (NotFound, Conflict):  # gone, or gone and made anew
            return False
        return True

    def _emit(self, event: EmitEvent) -> None:
        known = self._store.get(event.target)
        uid = event.target.uid or (str(known["metadata"].get("uid", "")) if known else "")
        now = datetime.fromtimestamp(self._clock(), UTC)
        written = events.body(event, uid=uid, component=self._component, now=now)
        if event.once is None:
            self._events.submit(written)
            return
        try:
            self._events.write_once(written)
        except Conflict as error:  # nothing of the event itself is at fault
            raise Postponed(error) from error
        except ApiError as error:  # a quota on events, say: the next time would be no better
            self._journal.fail(f"refused: {error}", {"object": _shown(event.target)})


class Refused(Exception):
    """All was tried, and at least one write was refused for good."""


def holds(patch: Object, found: Object) -> bool:
    """Whether the merge patch would change nothing."""
    for key, wanted in patch.items():
        if wanted is None:
            if key in found:
                return False
        elif isinstance(wanted, dict):
            inner = found.get(key, {})
            if not isinstance(inner, dict) or not holds(wanted, inner):
                return False
        elif key not in found or found[key] != wanted:
            return False
    return True


def _is(target: Ref, found: Object) -> bool:
    return not target.uid or found["metadata"].get("uid") == target.uid


def _shown(target: Ref) -> str:
    return f"{target.kind.value} {target}"
