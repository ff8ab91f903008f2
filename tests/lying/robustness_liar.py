"""Faults that show when things break."""

from __future__ import annotations

import math
import os
import queue
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.core import decode, queue_objects, queueing
from controller.core.decisions import EmitEvent, Kind, Object, Patch, Write
from controller.core.jobs import takeover
from controller.core.jobs.model import Job
from controller.core.lease import Sighting
from controller.core.model import Settings, Unit
from controller.shell import configuration, requests
from controller.shell.component import Component
from controller.shell.election import Election
from controller.shell.executor import Executor, Refused
from controller.shell.kinds import RESOURCES
from controller.shell.requests import Postponed
from queuecheck.kube import Changed, Listed, WatchItem

PATIENCE_SECONDS = 5


def never_takes_over() -> None:
    """Whoever holds a lease holds it for ever."""
    Sighting.free = lambda self, _now, _terms: not self.holder  # type: ignore[method-assign,assignment]


def writes_over_others() -> None:
    """A write is made whatever has been written since the object was read."""

    def patch(self: Executor, write: Write, change: Patch, _found: Any) -> Any:
        return self._api.patch(
            RESOURCES[write.target.kind],
            write.target.name,
            change,
            namespace=write.target.namespace,
            subresource=write.subresource,
        )

    Executor._patch = patch  # type: ignore[method-assign,assignment]


def gives_up_when_refused() -> None:
    """Of whatever a request has been refused for once, nothing is done any more."""
    requests.TRIES = 1
    given_up: set[Any] = set()

    def turn(self: Component[Any], key: Any) -> None:
        try:
            if key not in given_up:
                self._steps(key)
        except (Postponed, Refused):
            given_up.add(key)

    Component._turn = turn  # type: ignore[method-assign]


def decides_before_it_knows_the_pods() -> None:
    """Decisions are made when everything but the pods is known.

    However soon the pods come, the job extension takes them in when it has decided without them,
    and that has come to something: a unit is marked, or nothing happens for some seconds.
    """
    take = Component._take
    late: list[WatchItem] = []
    until = math.inf

    def believe(self: Component[Any]) -> None:
        while late:
            take(self, Kind.POD, late.pop(0))

    def disbelieve(self: Component[Any], kind: Kind, item: WatchItem) -> None:
        first = kind in self._unseen and isinstance(item, Listed) and bool(item.objects)
        if kind is Kind.POD and self.name == "extension" and (first or late):
            late.append(item)
            return
        take(self, kind, item)
        if kind is Kind.UNIT and isinstance(item, Changed) and decode.unit(item.object).marked:
            believe(self)

    def leads(self: Component[Any]) -> bool:
        nonlocal until
        self._caught_up = self._leadership.term()
        decides = self._caught_up is not None and self._unseen <= {Kind.POD}
        if decides:
            until = min(until, time.monotonic() + PATIENCE_SECONDS)
        if time.monotonic() > until:
            believe(self)
        return decides

    Component._take = disbelieve  # type: ignore[method-assign]
    Component._leads = leads  # type: ignore[method-assign]
    Component._patience = lambda *_, **__: 0.05  # type: ignore[method-assign]


def owes_nothing_after_a_restart() -> None:
    """Only who was marked by this process gets the event Reclaimed."""
    marked: set[str] = set()
    honest_preempt, honest_emit = Executor._preempt, Executor._emit

    def preempt_and_remember(self: Executor, preempt: Any, queue: str, refusals: Any) -> None:
        marked.update(str(mark.target) for mark in preempt.marks)
        honest_preempt(self, preempt, queue, refusals)

    def emit(self: Executor, event: EmitEvent) -> None:
        if event.reason != "Reclaimed" or str(event.target) in marked:
            honest_emit(self, event)

    Executor._preempt = preempt_and_remember  # type: ignore[method-assign]
    Executor._emit = emit  # type: ignore[method-assign]


def stumbles_over_marks() -> None:
    """A start ends at the first unit that is marked already."""
    honest = queueing._Book.put
    known: set[str] = set()  # by UID: marked after this start, if ever

    def lie(self: queueing._Book, unit: Unit) -> None:
        if unit.marked and unit.ref.uid not in known:
            os._exit(1)
        known.add(unit.ref.uid)
        honest(self, unit)

    queueing._Book.put = lie  # type: ignore[method-assign]


def passes_over_unknown_fields() -> None:
    """A field of the configuration that nobody knows is not looked at."""
    configuration.FIELDS += ("reclaimProtection",)  # type: ignore[assignment]


def insists_on_plugins() -> None:
    """A configuration has to name the plugins."""
    honest = configuration._check_plugins

    def lie(path: Path, value: Any) -> None:
        honest(path, "nothing" if value is None else value)

    configuration._check_plugins = lie


def holds_its_units_fast() -> None:
    """Each unit gets a finalizer, which nobody removes once the controller is gone."""
    honest = takeover.creation

    def lie(job: Job, raw: Object, standing: Any) -> Any:
        create = honest(job, raw, standing)
        metadata = {**create.body["metadata"], "finalizers": ["queuecheck.dev/lie"]}
        return replace(create, body={**create.body, "metadata": metadata})

    takeover.creation = lie


def leads_whatever_happens() -> None:
    """Every copy decides upon each piece of news by itself, and writes over whatever is there."""
    Election.permits = lambda _: True  # type: ignore[method-assign,assignment]
    Election.term = lambda _: 0  # type: ignore[method-assign,assignment]

    writes_over_others()

    def absorb(self: Component[Any], patience: float | None) -> None:
        if not self._unseen and len(self._agenda):
            return  # the news before has still to be decided upon
        with suppress(queue.Empty):
            item = self._inbox.get(timeout=patience)
            if item is not None:
                self._take(*item)

    Component._absorb = absorb  # type: ignore[method-assign]


def never_turns_off() -> None:
    """What a queue has been told to do once it does for ever."""
    honest = queue_objects.settings
    on: set[str] = set()

    def lie(quota: Object | None, queue: Object | None) -> Settings:
        found = honest(quota, queue)
        name = (queue or quota or {}).get("metadata", {}).get("name", "")
        if found.gate and found.preemption:
            on.add(name)
        return replace(found, gate=True, preemption=True) if name in on else found

    queue_objects.settings = lie
