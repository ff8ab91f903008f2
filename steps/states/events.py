"""States of the events about units."""

from __future__ import annotations

from collections.abc import Callable, Collection

from queuecheck.kube import KubeObject
from queuecheck.timeline import Selection, SetState, Subject


def events_on(
    unit: Subject, *, reason: str, kind: str | None = None, message: str | None = None
) -> Selection:
    """The events with a reason, and a type and a message if given, about the unit."""

    def concerns(event: KubeObject) -> bool:
        about = event.get("involvedObject") or {}
        return (
            about.get("kind") == unit.kind
            and about.get("name") == unit.name
            and event.get("reason") == reason
            and kind in {None, event.get("type")}
            and message in {None, event.get("message")}
        )

    return Selection("Event", unit.namespace, concerns, f'events "{reason}" of {unit.label}')


def occurrences(events: tuple[KubeObject, ...]) -> int:
    """How often it happened: an event that was counted up counts for each time."""
    return sum(
        max(1, int(event.get("count") or 0), int((event.get("series") or {}).get("count") or 0))
        for event in events
    )


def has_event(
    unit: Subject, *, reason: str, kind: str | None = None, message: str | None = None
) -> SetState:
    """The event has come at least once."""
    selection = events_on(unit, reason=reason, kind=kind, message=message)
    of_type = f"{kind} " if kind else ""
    saying = f' saying "{message}"' if message else ""
    return SetState(
        selection,
        f'{unit.label} has an event {of_type}"{reason}"{saying}',
        lambda events: occurrences(events) >= 1,
        ("type", "reason", "message", "count"),
    )


def another_has_event(namespace: str, spared: Collection[str], *, reason: str) -> SetState:
    """The event has come to a unit that is none of ``spared``."""
    others = Selection(
        "Event",
        namespace,
        lambda event: (
            event.get("reason") == reason
            and (event.get("involvedObject") or {}).get("kind") == "QueueUnit"
            and event["involvedObject"].get("name") not in spared
        ),
        f'events "{reason}" of other units',
    )
    names = " and ".join(f'"{name}"' for name in sorted(spared))
    return SetState(
        others,
        f'a unit other than {names} has an event "{reason}"',
        lambda events: occurrences(events) >= 1,
        ("involvedObject.name", "type", "reason", "message"),
    )


def has_more_events_than(unit: Subject, number: int, *, reason: str) -> SetState:
    """The event has come more often than ``number`` times."""
    many = f"more than {number}" if number else "an"
    return SetState(
        events_on(unit, reason=reason),
        f'{unit.label} has {many} event "{reason}"',
        lambda events: occurrences(events) > number,
        ("type", "reason", "message", "count"),
    )


def has_warning(*subjects: Subject) -> SetState:
    """A Warning about one of these objects has come, whatever its reason."""
    names = {(subject.kind, subject.name) for subject in subjects}

    def concerns(event: KubeObject) -> bool:
        about = event.get("involvedObject") or {}
        return event.get("type") == "Warning" and (about.get("kind"), about.get("name")) in names

    label = " or ".join(subject.label for subject in subjects)
    return SetState(
        Selection("Event", subjects[0].namespace, concerns, f"warnings about {label}"),
        f"{label} has an event Warning",
        lambda events: occurrences(events) >= 1,
        ("type", "reason", "message", "count"),
    )


def has_event_saying(
    unit: Subject, texts: Callable[[], Collection[str]], *, reason: str
) -> SetState:
    """The event has come with one of the texts, which may become more while one waits."""
    return SetState(
        events_on(unit, reason=reason),
        f'{unit.label} has an event "{reason}" with its own message',
        lambda events: any(event.get("message") in texts() for event in events),
        ("type", "reason", "message", "count"),
    )


def has_equal_events(unit: Subject, *, reason: str) -> SetState:
    """Two events of the reason have one and the same type and message."""

    def equal(events: tuple[KubeObject, ...]) -> bool:
        said = [(event.get("type"), event.get("message")) for event in events]
        return len(said) > len(set(said))

    return SetState(
        events_on(unit, reason=reason),
        f'{unit.label} has two equal events "{reason}"',
        equal,
        ("metadata.name", "type", "reason", "message", "count"),
    )


def has_any_event(unit: Subject) -> SetState:
    """An event about the unit has come, whatever its reason."""
    return SetState(_about(unit), f"{unit.label} has an event", bool, ("reason", "message"))


def longer_than(unit: Subject, size: int) -> SetState:
    """An event about the unit has a message of more bytes than that."""
    return SetState(
        _about(unit),
        f"{unit.label} has an event with a message of more than {size} bytes",
        lambda events: any(
            len(str(event.get("message") or "").encode()) > size for event in events
        ),
        ("reason", "message"),
    )


def _about(unit: Subject) -> Selection:
    def concerns(event: KubeObject) -> bool:
        about = event.get("involvedObject") or {}
        return (about.get("kind"), about.get("name")) == (unit.kind, unit.name)

    return Selection("Event", unit.namespace, concerns, f"events about {unit.label}")
