"""From a timeline to the picture of it: observations, gaps and claims, reduced to what is shown.

Of what several scenarios share, such as the queue namespace, only that is kept which belongs to
the scenario: by its name, or because it was made while the scenario ran.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from queuecheck.kube import KubeObject
from queuecheck.report.picture import Blank, Claimed, Happening, Lane, Mark, Moment, Picture
from queuecheck.secrecy import REFUSED_KINDS
from queuecheck.timeline import Gap, Observation, Record, Sighting, read

EVENT = "Event"
LONGEST = 200
Shown = Mapping[str, Mapping[str, str]]


def sketch(
    observations: Iterable[Observation],
    gaps: Iterable[Gap],
    *,
    ended: float,
    shown: Shown,
    tail: str,
    most: int,
) -> Picture:
    """``shown`` are field paths by kind and word; a kind that it does not name is left out.

    ``tail`` is in every name that the scenario shares with nobody, ``most`` the number of moments
    of one object.
    """
    seen = sorted(observations, key=lambda each: (each.resource_version, each.sequence))
    mine = [each for each in _own(seen, tail) if each.kind not in REFUSED_KINDS]
    grouped: dict[tuple[str, str, str], list[Observation]] = {}
    for each in mine:
        if each.kind in shown and each.kind != EVENT:
            grouped.setdefault((each.kind, each.namespace, each.name), []).append(each)
    lanes = [_lane(group, shown[key[0]], tail, most) for key, group in grouped.items()]
    events = [each for each in mine if each.kind == EVENT]
    return Picture(
        ended=_ms(ended),
        lanes=tuple(sorted(lanes, key=lambda lane: lane.moments[0].ms)),
        events=tuple(_happenings(events)),
        blanks=tuple(Blank(_ms(gap.at), _until(gap), gap.kind, _short(gap.reason)) for gap in gaps),
    )


def claimed(record: Record, *, step: int) -> Claimed:
    """A claim, with the places in the picture that it points at."""
    return Claimed(
        step=step,
        claim=record.claim,
        sentence=record.sentence,
        began=_ms(record.began),
        ended=_ms(record.ended),
        outcome=record.outcome,
        closed_by=record.closed_by,
        marks=tuple(_marks(record)),
    )


def _marks(record: Record) -> Iterator[Mark]:
    if record.table:
        for number, sentence in enumerate(record.table, start=1):
            if number <= len(record.sightings):
                yield _sighted(record.sightings[number - 1], "state", number)
            else:
                yield Mark("missing", sentence, number)
    else:
        role = "state" if record.claim == "eventually" else "fence"
        for sighting in record.sightings:
            yield _sighted(sighting, role, 0)
    if record.culprit is not None:
        yield _mark("culprit", record.sentence, 0, record.culprit.at, record.culprit)


def _sighted(sighting: Sighting, role: str, number: int) -> Mark:
    if sighting.observation is not None:
        observation = sighting.observation
        return _mark(role, sighting.sentence, number, observation.at, observation)
    return Mark(role, sighting.sentence, number, _ms(sighting.at), sighting.resource_version)


def _mark(role: str, sentence: str, number: int, at: float, seen: Observation) -> Mark:
    return Mark(
        role=role,
        sentence=sentence,
        number=number,
        ms=_ms(at),
        version=seen.resource_version,
        kind=seen.kind,
        namespace=seen.namespace,
        name=seen.name,
    )


def _own(seen: Sequence[Observation], tail: str) -> Iterator[Observation]:
    """``seen`` is in order, so the first one of an object says whether it was there before."""
    named = re.compile(rf"(^|-){re.escape(tail)}($|-)")
    made: dict[tuple[str, str, str], bool] = {}
    for each in seen:
        about = _about(each.object).partition("/")[2] if each.kind == EVENT else each.name
        key = (each.kind, each.namespace, each.name)
        fresh = made.setdefault(key, each.verb != "LISTED" and each.kind != EVENT)
        if fresh or named.search(each.namespace) or named.search(about):
            yield each


def _lane(seen: Sequence[Observation], paths: Mapping[str, str], tail: str, most: int) -> Lane:
    moments: list[Moment] = []
    for each in seen:
        moment = Moment(_ms(each.at), each.resource_version, each.verb.lower(), _words(each, paths))
        if not moments or _differ(moments[-1], moment):
            moments.append(moment)
    first = seen[0]
    kept = moments if len(moments) <= most else [*moments[: most - 1], moments[-1]]
    return Lane(
        kind=first.kind,
        namespace=first.namespace,
        name=first.name,
        alias=first.name.removesuffix(f"-{tail}"),
        owner=_owner(first.object),
        moments=tuple(kept),
        left_out=len(moments) - len(kept),
    )


def _differ(one: Moment, other: Moment) -> bool:
    return one.shown != other.shown or "deleted" in {one.verb, other.verb}


def _words(seen: Observation, paths: Mapping[str, str]) -> dict[str, str]:
    if seen.live is None:
        return {}
    values = {word: _text(read(seen.live, path)) for word, path in paths.items()}
    return {word: _short(value) for word, value in values.items() if value}


def _text(value: Any) -> str:
    """A field as a reader wants it; "" where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        told = [_text(item) for item in value]
        return ", ".join(item or "-" for item in told) if any(told) else ""
    if isinstance(value, dict):
        return " ".join(f"{key}={_text(item)}" for key, item in sorted(value.items()))
    return str(value)


def _happenings(events: Sequence[Observation]) -> Iterator[Happening]:
    """One for each event object: when it first was seen, and its count in the end."""
    last = {(each.namespace, each.name): each for each in events if each.live}
    told: set[tuple[str, str]] = set()
    for each in events:
        key = (each.namespace, each.name)
        if key in told or each.live is None:
            continue
        told.add(key)
        found = last[key].object
        yield Happening(
            ms=_ms(each.at),
            version=each.resource_version,
            about=_about(found),
            type=str(found.get("type") or ""),
            reason=str(found.get("reason") or ""),
            message=_short(str(found.get("message") or found.get("note") or "")),
            count=int(found.get("count") or (found.get("series") or {}).get("count") or 1),
        )


def _about(event: KubeObject) -> str:
    involved = event.get("involvedObject") or event.get("regarding") or {}
    return f"{involved.get('kind', '')}/{involved.get('name', '')}"


def _owner(found: KubeObject) -> str:
    owners = found["metadata"].get("ownerReferences") or ()
    return f"{owners[0].get('kind', '')}/{owners[0].get('name', '')}" if owners else ""


def _until(gap: Gap) -> int | None:
    return None if gap.closed_at is None else _ms(gap.closed_at)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
