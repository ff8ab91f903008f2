"""Events on units and Queues."""

from __future__ import annotations

from pytest_bdd import given, parsers, then

from steps.states import events, units
from steps.story import Story

UNIT = r'"(?P<unit>[^"]+)"'
EVENT = r'(?P<kind>Normal|Warning) "(?P<reason>\w+)"'
HAS = parsers.re(
    rf'eventually (?P<noun>the Queue )?"(?P<name>[^"]+)" has an event {EVENT}'
    r'(?: saying "(?P<text>[^"]+)")?'
)


@given(HAS)
@then(HAS)
def comes(  # noqa: PLR0917 - one argument for each word of the step
    story: Story, noun: str | None, name: str, kind: str, reason: str, text: str | None
) -> None:
    subject = story.queue(name) if noun else story.unit(name)
    said = text and story.filled(text)
    state = events.has_event(subject, reason=reason, kind=kind, message=said)
    story.eventually(state, within="reclaim", since=story.beginning)


@then(parsers.re(rf"{UNIT} still has an event {EVENT}"))
def lasts(story: Story, unit: str, kind: str, reason: str) -> None:
    state = events.has_event(story.unit(unit), reason=reason, kind=kind)
    story.eventually(state, within="create")


@then(parsers.re(rf"{UNIT} has exactly one event {EVENT}"))
def comes_once(story: Story, unit: str, kind: str, reason: str) -> None:
    subject = story.unit(unit)
    state = events.has_event(subject, reason=reason, kind=kind)
    story.eventually(state, within="reclaim", since=story.beginning)
    more = events.has_more_events_than(subject, 1, reason=reason)
    story.never(more, since=story.beginning)


@then(parsers.re(rf'{UNIT} never has an? (?P<second>second )?event "(?P<reason>\w+)"'))
def never_comes(story: Story, unit: str, second: str | None, reason: str) -> None:
    state = events.has_more_events_than(story.unit(unit), 1 if second else 0, reason=reason)
    story.never(state, since=story.beginning)


@then(
    parsers.re(
        r'no unit but "(?P<first>[^"]+)"(?: and "(?P<second>[^"]+)")? ever has '
        r'an event "(?P<reason>\w+)"'
    )
)
def never_comes_elsewhere(story: Story, first: str, second: str | None, reason: str) -> None:
    spared = {first, second or first}
    others = events.another_has_event(story.world.namespace, spared, reason=reason)
    story.never(others, since=story.beginning)


@then(parsers.re(r'the Job "(?P<job>[^"]+)" or its unit eventually has an event Warning'))
def warned(story: Story, job: str) -> None:
    warning = events.has_warning(story.job(job), story.unit(job))
    story.eventually(warning, within="create", since=story.acted)


@then(parsers.re(rf'eventually {UNIT} has an event "(?P<reason>\w+)" with its message'))
def comes_with_its_message(story: Story, unit: str, reason: str) -> None:
    subject = story.unit(unit)

    def said() -> set[str]:
        history = story.world.timeline.history(subject)
        return {units.message(seen.object) for seen in history} - {""}

    state = events.has_event_saying(subject, said, reason=reason)
    story.eventually(state, within="create", since=story.beginning)


@then(parsers.re(rf'eventually {UNIT} has had the event "(?P<reason>\w+)" (?P<number>\d+) times'))
def comes_so_often(story: Story, unit: str, number: str, reason: str) -> None:
    state = events.has_more_events_than(story.unit(unit), int(number) - 1, reason=reason)
    story.eventually(state, within="create", since=story.beginning)


@then(parsers.re(rf'{UNIT} never has two equal events "(?P<reason>\w+)"'))
def never_equal(story: Story, unit: str, reason: str) -> None:
    story.never(events.has_equal_events(story.unit(unit), reason=reason), since=story.beginning)


@then(parsers.re(rf"no event about {UNIT} has a message of more than (?P<size>\d+) bytes"))
def never_longer(story: Story, unit: str, size: str) -> None:
    subject = story.unit(unit)
    # Nobody need write one; it may follow what it tells by some time.
    story.give_time(events.has_any_event(subject))
    story.never(events.longer_than(subject, int(size)), window=story.now(), since=story.beginning)
