"""The four claims about what a timeline shows: eventually, stays, never, in this order.

All of them judge a *replay*: observations in order of resourceVersion, never of arrival. Where a
verdict hangs on more than one watch stream, or says that something did not happen, the timeline
first catches up (every stream has passed the present); a late stream therefore changes nothing.
Each claim starts from ``since``, by default now, and how things stand there counts as seen. Without
an order across kinds, what is about one kind is measured by that kind's own versions.

What cannot be known is not the implementation's failure: a gap in the watched part of the
timeline, or an order across kinds on a cluster that promises none, raises ``HarnessError``.
A violation of *stays* or *never* that was seen stands, whatever else was missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from queuecheck.budgets import Budgets
from queuecheck.timeline.attempt import Attempt, Promises, Sighting
from queuecheck.timeline.explain import Related, involved_events
from queuecheck.timeline.failure import ClaimFailed, Unknown, moment
from queuecheck.timeline.judgement import judge, named_kinds, scan_steps, survey, until, when
from queuecheck.timeline.observation import Observation, Position
from queuecheck.timeline.order import (
    Step,
    conditions_of,
    refuse_unknown_order,
)
from queuecheck.timeline.poll import poll, throughout
from queuecheck.timeline.state import Condition, Selection, Subject
from queuecheck.timeline.timeline import Timeline
from queuecheck.timeline.track import Point, is_after
from queuecheck.timeline.window import Closed, Fence, Quiet, Window

T = TypeVar("T")
Hopeless = Callable[[], str | None]
CATCH_UP_SECONDS = 10.0
IN_ORDER = "these states are seen in this order"


@dataclass(frozen=True)
class Record:
    """A claim that was made, for reports: seconds since the timeline began, and the outcome.

    ``closed_by`` is "fence" or "quiet" for a claim with a window, else "". ``table`` are the states
    of an order. ``sightings`` are what was seen of that order, or the state that was waited for, or
    the fence; ``culprit`` is the write that broke the claim, if one did.
    """

    claim: str
    sentence: str
    began: float
    ended: float
    outcome: str
    closed_by: str = ""
    table: tuple[str, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    culprit: Observation | None = None


class Claims:
    """Claims about one timeline, with the budgets and the cluster's promises.

    ``cross_kind_order``: versions of different kinds can be compared. ``command`` is shown in
    failures. ``records`` tells which claims were made, ``waiting`` which one is being judged and
    since when.
    """

    def __init__(
        self,
        timeline: Timeline,
        *,
        budgets: Budgets,
        cross_kind_order: bool,
        related: Related = involved_events,
        command: str = "",
    ) -> None:
        self.timeline = timeline
        self.budgets = budgets
        self._promises = Promises(
            cross_kind_order=cross_kind_order,
            settle=budgets.seconds("settle"),
            catch_up_within=CATCH_UP_SECONDS * budgets.scale,
            related=related,
            command=command,
        )
        self.records: list[Record] = []
        self.waiting: tuple[str, float] | None = None
        self._closed_by = ""

    def eventually(
        self,
        state: Condition,
        *,
        within: str,
        since: Position | None = None,
        hopeless: Sequence[Hopeless] = (),
    ) -> Sighting:
        """Returns the first sight of the state at or after ``since``, as soon as there is one.

        ``within`` is a budget class. Gives up early, saying why, when a subject that the state
        needs was deleted, or when a ``hopeless`` gives a reason.
        """
        with self._attempt("eventually", state.sentence, (state,), since, within) as attempt:
            while True:
                changes = self.timeline.changes()
                point = attempt.first(state)
                reason, over = None, False
                if point is None:
                    reason = attempt.deleted(state) or _reason(hopeless)
                    over = bool(reason) or not attempt.wait(changes, interval=bool(hopeless))
                    if not over:
                        continue
                if over or not attempt.certain(point):
                    attempt.catch_up()
                    point = attempt.first(state)
                if point is not None:
                    return attempt.sighting(state, point)
                if over:
                    attempt.refuse_gap()
                    if reason:
                        attempt.fail(f"it can no longer come true: {reason}")
                    attempt.fail(f"not seen within {attempt.seconds:g} s (budget {within})")

    def stays(
        self,
        state: Condition,
        window: Window,
        *,
        since: Position | None = None,
        hopeless: Sequence[Hopeless] = (),
    ) -> Closed:
        """Holds at the start and at every observation until the window closes.

        The write that closes a fenced window belongs to it. A ``hopeless`` that gives a reason,
        such as a controller that is gone, fails the claim: silence then proves nothing.
        """
        return self._throughout("stays", state, window, since, hopeless, holds=True)

    def never(
        self,
        state: Condition,
        window: Window,
        *,
        since: Position | None = None,
        hopeless: Sequence[Hopeless] = (),
    ) -> Closed:
        """Holds neither at the start nor at any observation until the window closes.

        The write that closes a fenced window belongs to it. ``hopeless`` as for ``stays``.
        """
        return self._throughout("never", state, window, since, hopeless, holds=False)

    def in_order(
        self,
        steps: Sequence[Step],
        *,
        within: str,
        since: Position | None = None,
        hopeless: Sequence[Hopeless] = (),
    ) -> tuple[Sighting, ...]:
        """Each state is seen after the one before it, as the module ``order`` defines it.

        ``within`` is a budget class, for the whole table. Returns one sighting for each step.
        """
        conditions = conditions_of(steps)
        with self._attempt("in order", IN_ORDER, conditions, since, within) as attempt:
            attempt.table = tuple(step.state.sentence for step in steps)
            if not attempt.ordered(conditions):
                refuse_unknown_order(steps)
            while True:
                changes = self.timeline.changes()
                found = scan_steps(attempt, steps)
                reason, over = None, False
                if not found.decided(len(steps)):
                    due = steps[len(found.matched)].state
                    reason = attempt.deleted(due) or _reason(hopeless)
                    over = bool(reason) or not attempt.wait(changes, interval=bool(hopeless))
                    if not over:
                        continue
                if over or not attempt.certain(*found.points):
                    attempt.catch_up()
                    found = scan_steps(attempt, steps)
                if over or found.decided(len(steps)):
                    why = f"it can no longer come true: {reason}" if reason else ""
                    late = f"not within {attempt.seconds:g} s (budget {within})"
                    return judge(attempt, steps, found, otherwise=why or late)

    def poll(
        self,
        read: Callable[[], T],
        test: Callable[[T], bool],
        *,
        sentence: str,
        within: str,
        describe: Callable[[T], str] = repr,
        transient: tuple[type[Exception], ...] = (),
        hopeless: Sequence[Hopeless] = (),
    ) -> T:
        """Reads until the test is true: for what cannot be watched (metrics, logs, a process).

        ``describe`` puts a reading into one line. Errors of the ``transient`` classes count as a
        reading that does not pass.
        """
        with self._attempt("eventually", sentence, (), None, within) as attempt:
            return poll(
                attempt,
                read,
                test,
                budget=within,
                describe=describe,
                transient=transient,
                hopeless=hopeless,
            )

    def poll_throughout(
        self,
        read: Callable[[], T],
        test: Callable[[T], bool],
        *,
        sentence: str,
        window: Quiet,
        describe: Callable[[T], str] = repr,
        transient: tuple[type[Exception], ...] = (),
        hopeless: Sequence[Hopeless] = (),
    ) -> None:
        """Reads until the window closes: the test is true of every reading.

        The other arguments are as for ``poll``.
        """
        with self._attempt("stays", sentence, (), None, window.budget) as attempt:
            throughout(
                attempt,
                read,
                test,
                describe=describe,
                transient=transient,
                hopeless=hopeless,
            )
            self._closed_by = "quiet"

    def up_to(self, position: Position, subject: Subject | Selection) -> tuple[Observation, ...]:
        """What had been written to the subject by then, in order, as far as it has come in.

        Without an order across kinds that is what had come in of its kind.
        """
        if not self._promises.cross_kind_order:
            position = position.within(subject.kind)
        return tuple(
            seen
            for seen in self.timeline.history(subject)
            if not is_after(seen, position, by_version=True)
        )

    def hopeless_when(self, state: Condition, reason: str = "") -> Hopeless:
        """A ``hopeless`` that gives up once the state holds, such as "the Job has failed"."""
        return lambda: (reason or state.sentence) if state.holds(self.timeline.view()) else None

    def _throughout(
        self,
        claim: str,
        state: Condition,
        window: Window,
        since: Position | None,
        hopeless: Sequence[Hopeless],
        *,
        holds: bool,
    ) -> Closed:
        fence = window.state if isinstance(window, Fence) else None
        conditions = (state,) if fence is None else (state, fence)
        sentence = f"{claim}: {state.sentence}"
        # A quiet period counts from where the claim starts, not from when it is made.
        past = self.timeline.now() - since.at if since and isinstance(window, Quiet) else 0.0
        with self._attempt(
            claim, sentence, conditions, since, *window.budgets, past=past
        ) as attempt:
            attempt.expected = (sentence, until(window, attempt))
            if not attempt.ordered((state,)):
                raise Unknown(f"{sentence}: the order of {named_kinds((state,))} is not known")
            while True:
                changes = self.timeline.changes()
                bad, end = survey(attempt, state, fence, holds=holds)
                reason, over = None, False
                if bad is None and end is None:
                    over = not attempt.wait(changes, interval=bool(hopeless))
                    reason = _reason(hopeless)
                    if not (over or reason):
                        continue
                if over or reason or end is not None or not attempt.certain(bad):
                    attempt.catch_up()
                    bad, end = survey(attempt, state, fence, holds=holds)
                if bad is not None:
                    self._refuse_unordered(attempt, conditions, bad, end)
                    attempt.fail(when(bad, holds=holds), culprit=bad.cause)
                if reason:
                    attempt.fail(f"silence proves nothing: {reason}")
                if end is not None or over:
                    closed = self._close(attempt, window, end)
                    self._closed_by = closed.by
                    return closed

    def _close(self, attempt: Attempt, window: Window, end: Point | None) -> Closed:
        attempt.refuse_gap(until=end.resource_version if end else None)
        if isinstance(window, Fence):
            if end is not None:
                position = attempt.sighting(window.state, end).position
                sentence = window.sentence or window.state.sentence
                return Closed("fence", sentence, attempt.waited, position)
            if not window.otherwise:
                attempt.fail(
                    f"the window did not close: {window.state.sentence} was not seen within "
                    f"{attempt.seconds:g} s (budget {window.within})"
                )
        watched = max(self.budgets.seconds(budget) for budget in window.budgets)
        sentence = f"watched for {watched:g} s (budget {' or '.join(window.budgets)})"
        return Closed("quiet", sentence, attempt.waited, self.timeline.position())

    def _refuse_unordered(
        self, attempt: Attempt, conditions: Sequence[Condition], bad: Point, end: Point | None
    ) -> None:
        """Without an order across kinds, only what came well before the fence was before it."""
        if attempt.ordered(conditions) or end is None or bad.cause is None:
            return
        if bad.at >= end.at - self._promises.settle:
            raise Unknown(
                f"{attempt.sentence}: seen at {moment(bad.at)}, but whether that was before the "
                f"fence is not known: this cluster promises no order of {named_kinds(conditions)}"
            )

    @contextmanager
    def _attempt(
        self,
        claim: str,
        sentence: str,
        conditions: Sequence[Condition],
        since: Position | None,
        *budgets: str,
        past: float = 0.0,
    ) -> Iterator[Attempt]:
        attempt = Attempt(
            self.timeline,
            self._promises,
            claim=claim,
            sentence=sentence,
            conditions=conditions,
            since=since,
            seconds=max(0.0, max(self.budgets.seconds(budget) for budget in budgets) - past),
        )
        self.waiting = (sentence, attempt.began)
        self._closed_by = ""
        outcome = "harness-error"
        try:
            yield attempt
            outcome = "passed"
        except ClaimFailed:
            outcome = "failed"
            raise
        finally:
            self.waiting = None
            record = Record(
                claim,
                sentence,
                began=attempt.began,
                ended=self.timeline.now(),
                outcome=outcome,
                closed_by=self._closed_by,
                table=attempt.table,
                sightings=tuple(attempt.sightings),
                culprit=attempt.culprit,
            )
            self.records.append(record)


def _reason(hopeless: Sequence[Hopeless]) -> str | None:
    return next((reason for each in hopeless if (reason := each())), None)
