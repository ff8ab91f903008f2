"""One claim being judged: where it starts, how long it may take, what it has seen so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from queuecheck.kube import KubeObject
from queuecheck.timeline.explain import Related, explain
from queuecheck.timeline.failure import ClaimFailed, HarnessError, Row, Unknown, moment
from queuecheck.timeline.observation import Gap, Observation, Position
from queuecheck.timeline.state import Compound, Condition, State
from queuecheck.timeline.timeline import Timeline, concerns
from queuecheck.timeline.track import Point, Track, is_after, kinds_of, streams_of

HOPELESS_INTERVAL = 0.25


@dataclass(frozen=True)
class Sighting:
    """A state as it was seen: when, at which version, and by which write.

    ``observation`` is None if the state held from the start and its subject was never seen, as
    an absence may. ``position`` serves as ``since`` for a claim about what follows; for what held
    from the start it is the claim's own.
    """

    sentence: str
    at: float
    resource_version: int
    position: Position
    observation: Observation | None

    @property
    def object(self) -> KubeObject:
        """The object that the write left. Raises HarnessError where there is none."""
        if self.observation is None:
            raise HarnessError(f"{self.sentence}: there is no object to look at")
        return self.observation.object


@dataclass(frozen=True)
class Promises:
    """What a verdict may rest on, and what a failure may tell.

    ``cross_kind_order``: versions of different kinds can be compared. ``settle``: no watch
    stream without a recorder's word runs further behind than so many seconds.
    """

    cross_kind_order: bool
    settle: float
    catch_up_within: float
    related: Related
    command: str


class Attempt:
    """``conditions`` are all that the claim looks at; ``seconds`` its budget.

    For reports it remembers the states of an order (``table``), those that it has told of
    (``sightings``) and the write that broke it (``culprit``).
    """

    def __init__(
        self,
        timeline: Timeline,
        promises: Promises,
        *,
        claim: str,
        sentence: str,
        conditions: Sequence[Condition],
        since: Position | None,
        seconds: float,
    ) -> None:
        self.timeline = timeline
        self.claim = claim
        self.sentence = sentence
        self.conditions = tuple(conditions)
        self.began = timeline.now()
        self.since = since or timeline.position()
        self.seconds = seconds
        self.expected: tuple[str, ...] = ()
        self.table: tuple[str, ...] = ()
        self.sightings: list[Sighting] = []
        self.culprit: Observation | None = None
        self._promises = promises
        self._tracks: dict[tuple[int, ...], Track] = {}
        self._limit = self.began + seconds
        self._streams = streams_of(conditions)
        self._one_stream = len(self._streams) <= 1

    @property
    def waited(self) -> float:
        """Seconds since the claim was made."""
        return self.timeline.now() - self.began

    @property
    def over(self) -> bool:
        """Whether the time of the claim is over."""
        return self.timeline.now() >= self._limit

    def ordered(self, conditions: Sequence[Condition]) -> bool:
        """Whether writes to the subjects of the conditions can be put in order."""
        return self._promises.cross_kind_order or len(kinds_of(conditions)) <= 1

    def start(self, conditions: Sequence[Condition]) -> Position:
        """``since``, with a version that those of the conditions' writes can be compared with."""
        kinds = kinds_of(conditions)
        if self._promises.cross_kind_order or len(kinds) != 1:
            return self.since
        (kind,) = kinds
        return self.since.within(kind)

    def points(self, conditions: Sequence[Condition]) -> list[Point]:
        """The replay of the conditions from ``since`` on."""
        key = tuple(id(condition) for condition in conditions)
        if key not in self._tracks:
            self._tracks[key] = Track(
                self.timeline,
                conditions,
                since=self.start(conditions),
                by_version=self.ordered(conditions),
            )
        return self._tracks[key].points()

    def first(self, state: Condition) -> Point | None:
        """The first point at which the state holds.

        Where kinds cannot be ordered only the present counts: how things stood together before
        is not known.
        """
        points = self.points((state,))
        candidates = points if self.ordered((state,)) else points[-1:]
        return next((point for point in candidates if point.truths[0]), None)

    def certain(self, *points: Point | None) -> bool:
        """Whether nothing that is still to come in can come before these points.

        One stream is in order by itself; from two of them only a part may have come in. And how
        things stood at the start is known only once the stream has come that far.
        """
        if not self._one_stream:
            return False
        since = self.start(self.conditions).resource_version
        return all(point is None or point.resource_version > since for point in points) or all(
            self.timeline.reached(*stream) >= since for stream in self._streams
        )

    def sighting(self, state: Condition, point: Point) -> Sighting:
        """What a claim returns for the point."""
        position, cause = self._position(state, point), self._own(state, point)
        found = Sighting(state.sentence, point.at, point.resource_version, position, cause)
        self.sightings.append(found)
        return found

    def _position(self, state: Condition, point: Point) -> Position:
        """The place of the point, which is never before the claim's own start."""
        cause = point.cause
        since, ordered = self.start((state,)), self.ordered((state,))
        if cause is None or not is_after(cause, since, by_version=ordered):
            return self.since
        sequence = max(cause.sequence + 1, self.since.sequence)
        versions = dict(self.since.versions)
        for kind, version in self.timeline.versions(before=sequence).items():
            versions[kind] = max(versions.get(kind, 0), version)
        if ordered:
            versions[cause.kind] = cause.resource_version
        return Position(sequence, point.resource_version, point.at, versions)

    def _own(self, state: Condition, point: Point) -> Observation | None:
        """The write that made the state: at the start, the last one may be about something else."""
        subjects = [leaf.subject for leaf in state.leaves()]
        if point.cause is None or any(concerns(point.cause, each) for each in subjects):
            return point.cause
        own = [
            seen
            for seen in self.timeline.observations(streams_of((state,)))
            if any(concerns(seen, each) for each in subjects)
            and seen.resource_version <= point.resource_version
        ]
        return max(own, key=lambda seen: seen.resource_version, default=None)

    def wait(self, changes: int, *, interval: bool = False) -> bool:
        """Waits for news; False once the time is over. With ``interval``, at most a moment."""
        until = min(self._limit, self.timeline.now() + HOPELESS_INTERVAL)
        if self.timeline.wait(seen=changes, until=until if interval else self._limit):
            return True
        return self.timeline.now() < self._limit

    def catch_up(self) -> None:
        """Returns when everything written up to now to what the claim looks at has come in."""
        self.timeline.catch_up(
            self._streams,
            settle=self._promises.settle,
            within=self._promises.catch_up_within,
        )

    def gap(self, *, until: int | None = None) -> Gap | None:
        """A gap in what the claim looks at, since the start, or up to a version from there."""
        first = self.start(self.conditions).resource_version
        streams = self._streams
        for gap in self.timeline.gaps():
            if not any(gap.covers(kind=kind, namespace=space) for kind, space in streams):
                continue
            if self.ordered(self.conditions):
                open_at_start = gap.until is None or gap.until > first
                if open_at_start and (until is None or gap.after < until):
                    return gap
            elif gap.closed_at is None or gap.closed_at >= self.since.at:
                return gap
        return None

    def refuse_gap(self, *, until: int | None = None) -> None:
        """Raises Unknown if writes may have been missed since the start."""
        gap = self.gap(until=until)
        if gap is not None:
            where = f" in namespace {gap.namespace}" if gap.namespace else ""
            raise Unknown(
                f"{self.sentence}: unknown, because writes of {gap.kind}{where} may have been "
                f"missed at {moment(gap.at)}: {gap.reason}"
            )

    def deleted(self, state: Condition) -> str | None:
        """Why the state can no longer come true: something that it needs was deleted."""
        for leaf in _needed(state):
            history = self.timeline.history(leaf.subject)
            last = history[-1] if history else None
            if last is None or last.live is not None or leaf.may_return or leaf.holds({}):
                continue
            if last.resource_version > self.start((leaf,)).resource_version:
                at = f"{moment(last.at)}, resourceVersion {last.resource_version}"
                return f"{leaf.subject.label} was deleted at {at}"
        return None

    def fail(
        self, reason: str, *, culprit: Observation | None = None, readings: Sequence[Row] = ()
    ) -> NoReturn:
        """Raises ClaimFailed with all that was seen, or with what was read instead."""
        self.culprit = culprit
        failure = explain(
            self.timeline,
            claim=self.claim,
            sentence=self.sentence,
            reason=reason,
            conditions=self.conditions,
            expected=self.expected,
            since=self.start(self.conditions),
            began=self.began,
            related=self._promises.related,
            by_version=self.ordered(self.conditions),
            across=self._promises.cross_kind_order,
            command=self._promises.command,
            culprit=culprit,
        )
        raise ClaimFailed(replace(failure, seen=tuple(readings)) if readings else failure)


def _needed(state: Condition) -> list[State]:
    """The states about single objects that must all hold for this one to hold."""
    if isinstance(state, State):
        return [state]
    if isinstance(state, Compound) and state.joined == "all":
        return [leaf for part in state.parts for leaf in _needed(part)]
    return []
