"""From what was seen of objects to lanes: each distinct state in the profile's words.

Where versions of different kinds can be compared they are the order, and the clock gives way to
it: watches run apart from one another by up to a tenth of a second. ``Clock`` puts it right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from queuecheck.profiles import Look, Wording
from queuecheck.report.html.axis import Instant
from queuecheck.report.html.chart import Dot, Lane, Stretch, Tone
from queuecheck.report.picture import Happening, Moment, Picture
from queuecheck.report.picture import Lane as Seen

Looks = Mapping[str, Look]
# Kind, namespace and name.
ObjectKey = tuple[str, str, str]
# The tone of several objects together: that of the one that has most to tell.
TELLING = (Tone.MARKED, Tone.HOLDS, Tone.WAITS, Tone.OVER)
GONE = "gone"


class Clock:
    """Instants in order of version, their milliseconds never falling."""

    def __init__(self, seen: Iterable[tuple[int, int]], *, ordered: bool) -> None:
        """``seen`` has milliseconds and versions."""
        self._known: dict[int, Instant] = {}
        latest = 0
        for version, ms in sorted((version, ms) for ms, version in seen if version):
            latest = max(latest, ms)
            self._known.setdefault(version, Instant(latest if ordered else ms, version))

    def at(self, ms: int, version: int = 0) -> Instant:
        """Where something stands that was seen then, by a write of that version or by none."""
        return self._known.get(version, Instant(ms, version))


@dataclass
class _Group:
    """A lane in the making: the objects that share it."""

    name: str
    look: Look
    members: list[Seen] = field(default_factory=list)
    events: list[Happening] = field(default_factory=list)


@dataclass(frozen=True)
class Lanes:
    """The lanes, and in which of them each object is, by kind, namespace and name."""

    lanes: tuple[Lane, ...]
    of: Mapping[ObjectKey, str]


def lanes(
    picture: Picture, looks: Looks, clock: Clock, *, without: frozenset[ObjectKey] = frozenset()
) -> Lanes:
    """One lane for each object or group; those of one piece of work stand together."""
    groups: dict[tuple[str, ...], _Group] = {}
    of: dict[ObjectKey, str] = {}
    for seen in picture.lanes:
        look = looks.get(seen.kind)
        if look is None or key_of(seen) in without:
            continue
        whose = _owner(seen, picture) if look.together else seen.alias
        key = (seen.kind, seen.namespace, whose if look.together else seen.name)
        if key not in groups:
            wanted = look.lane.replace("{}", whose)
            taken = {group.name for group in groups.values()}
            groups[key] = _Group(_free(wanted, taken), look)
        groups[key].members.append(seen)
        of[key_of(seen)] = groups[key].name
    for event in picture.events:
        kind, _, name = event.about.partition("/")
        group = next(
            (group for group in groups.values() if group.look.events and any(
                (member.kind, member.name) == (kind, name) for member in group.members)), None,
        )  # fmt: skip
        if group is not None:
            group.events.append(event)
    ordered = _families(
        groups.values(), {look: number for number, look in enumerate(looks.values())}
    )
    return Lanes(tuple(_lane(group, clock) for group in ordered), of)


def key_of(seen: Seen) -> ObjectKey:
    """What tells an object from others."""
    return seen.kind, seen.namespace, seen.name


def background(picture: Picture, looks: Looks) -> frozenset[ObjectKey]:
    """The objects that are not worth a lane: they stand in the background and do not change."""
    return frozenset(
        key_of(seen)
        for seen in picture.lanes
        if (look := looks.get(seen.kind)) is not None
        and look.background
        and len({told(moment, look)[0] for moment in seen.moments}) < 2
    )


def told(moment: Moment, look: Look) -> tuple[str, Tone]:
    """A state in words, and its tone."""
    for wording in look.states:
        if _applies(wording, moment.shown):
            return _worded(wording.text, moment.shown), Tone(wording.tone)
    return "there", Tone.WAITS


def _applies(wording: Wording, shown: Mapping[str, str]) -> bool:
    if not wording.word:
        return True
    value = shown.get(wording.word, "")
    return value in wording.values if wording.values else not _nothing(value)


def _worded(text: str, shown: Mapping[str, str]) -> str:
    parts = []
    for part in text.split(", "):
        words = re.findall(r"\{(\w+)\}", part)
        if not any(_nothing(shown.get(word, "")) for word in words):
            parts.append(re.sub(r"\{(\w+)\}", lambda match: shown[match[1]], part))
    return ", ".join(parts) or "there"


def _nothing(value: str) -> bool:
    return all(part in {"", "0", "-"} for part in value.split(", "))


def _owner(seen: Seen, picture: Picture) -> str:
    """What the owner is called; for an object without one its own name."""
    kind, _, name = seen.owner.partition("/")
    for other in picture.lanes:
        if (other.kind, other.namespace, other.name) == (kind, seen.namespace, name):
            return other.alias
    return name or seen.alias


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where another lane has it."""
    number = 2
    found = name
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def _families(groups: Iterable[_Group], rank: Mapping[Look, int]) -> Sequence[_Group]:
    """Those about one piece of work together, in order of its first moment; background last."""
    every = list(groups)
    first: dict[str, int] = {}
    for group in every:
        first.setdefault(_family(group), len(first))
    return sorted(
        every, key=lambda group: (group.look.background, first[_family(group)], rank[group.look])
    )


def _family(group: _Group) -> str:
    member = group.members[0]
    return member.owner.partition("/")[2] or member.name


def _lane(group: _Group, clock: Clock) -> Lane:
    left_out = sum(member.left_out for member in group.members)
    more = f" ({left_out} later states left out)" if left_out else ""
    return Lane(
        name=group.name + more,
        stretches=tuple(_stretches(group, clock)),
        dots=tuple(
            Dot(
                event.reason + (f" ×{event.count}" if event.count > 1 else ""),
                clock.at(event.ms, event.version),
                warning=event.type == "Warning",
            )
            for event in group.events
        ),
    )


def _stretches(group: _Group, clock: Clock) -> Iterator[Stretch]:
    """Each time that what is told changes, the next stretch begins."""
    changes = [
        (clock.at(moment.ms, moment.version), number, moment)
        for number, member in enumerate(group.members)
        for moment in member.moments
    ]
    changes.sort(key=lambda change: change[0])
    present: dict[int, tuple[str, Tone]] = {}
    open_since: tuple[Instant, str, Tone] | None = None
    for at, number, moment in changes:
        if moment.verb == "deleted":
            present.pop(number, None)
        else:
            present[number] = told(moment, group.look)
        text, tone = _together(list(present.values()))
        if open_since is not None:
            start, before, tone_before = open_since
            if (before, tone_before) == (text, tone):
                continue
            if start < at:
                yield Stretch(before, tone_before, start, at)
        open_since = (at, text, tone)
    if open_since is not None:
        start, text, tone = open_since
        yield Stretch(text, tone, start)


def _together(states: Sequence[tuple[str, Tone]]) -> tuple[str, Tone]:
    if not states:
        return GONE, Tone.OVER
    counts: dict[str, int] = {}
    for text, _ in sorted(states, key=lambda state: TELLING.index(state[1])):
        counts[text] = counts.get(text, 0) + 1
    several = len(states) > 1
    words = [f"{count} {text}" if several else text for text, count in counts.items()]
    return ", ".join(words), min((tone for _, tone in states), key=TELLING.index)
