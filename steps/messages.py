"""What a unit's message says, and how often the unit was tried."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_bdd import given, parsers, then

from queuecheck.timeline import State
from steps.states import units
from steps.story import Story

UNIT = r'"(?P<unit>[^"]+)"'
NAMES_WHAT_IS_SHORT = parsers.re(
    rf"the message of {UNIT} eventually names the quota or the resource"
    r'(?P<anew>, and reads differently)?(?:, then "(?P<end>.+)")?'
)
AT_LEAST = parsers.re(rf"the attempts of {UNIT} are eventually at least (?P<number>\d+)")
NAMES_A_QUOTA = parsers.re(
    rf'the message of {UNIT} eventually names the quota "(?P<quota>[^"]+)"'
    r'(?: or "(?P<other>[^"]+)")?'
)
CONTAINS = parsers.re(rf'the message of {UNIT} eventually contains "(?P<text>.+)"')
# The requirement is that the message says so; its words are the implementation's own.
FAILURE = re.compile(
    r"fail|error|not (?:supported|implemented|possible)|unsupported|cannot", re.IGNORECASE
)


@given(NAMES_WHAT_IS_SHORT)
@then(NAMES_WHAT_IS_SHORT)
def names_what_is_short(story: Story, unit: str, anew: str | None, end: str | None) -> None:
    """Differently: from when it was read last. What comes then is the end of the message."""
    quota = story.quotas.name(story.quotas.latest)
    before, end = story.message if anew else None, end or ""

    def test(text: str) -> bool:
        named = text.removesuffix(end)
        return text != before and text.endswith(end) and (quota in named or "cpu" in named)

    sentence = f"a message with {quota} or cpu"
    sentence += f", other than {before!r}" if anew else ""
    sentence += f", that ends with {end!r}" if end else ""
    sighting = story.eventually(
        _saying(story, unit, sentence, test), within="mark", since=story.acted
    )
    story.message = units.message(sighting.object)


@given(NAMES_A_QUOTA)
@then(NAMES_A_QUOTA)
def names_a_quota(story: Story, unit: str, quota: str, other: str | None) -> None:
    names = [story.quotas.name(alias) for alias in (quota, other) if alias]
    state = _saying(
        story,
        unit,
        f"a message with {' or '.join(names)}",
        lambda text: any(name in text for name in names),
    )
    story.eventually(state, within="create", since=story.acted)


@then(CONTAINS)
def contains(story: Story, unit: str, text: str) -> None:
    wanted = story.filled(text)
    state = _saying(story, unit, f"a message with {wanted!r}", lambda said: wanted in said)
    story.eventually(state, within="create", since=story.acted)


@then(parsers.re(rf"the message of {UNIT} eventually says that the attempt failed"))
def says_failed(story: Story, unit: str) -> None:
    state = _saying(
        story, unit, "a message that tells of a failure", lambda text: bool(FAILURE.search(text))
    )
    story.eventually(state, within="mark", since=story.acted)


@given(AT_LEAST)
@then(AT_LEAST)
def attempts_at_least(story: Story, unit: str, number: str) -> None:
    story.eventually(_attempts_above(story, unit, int(number) - 1), within="create")


@then(parsers.re(rf"the attempts of {UNIT} eventually grow"))
def attempts_grow(story: Story, unit: str) -> None:
    before = story.world.claims.up_to(story.acted, story.unit(unit))
    found = before[-1].live if before else None
    number = units.attempts(found) if found else 0
    story.eventually(_attempts_above(story, unit, number), within="create", since=story.acted)


def _saying(story: Story, unit: str, sentence: str, test: Callable[[str], bool]) -> State:
    return units.of_unit(
        story.unit(unit),
        f"waiting with {sentence}",
        lambda found: bool(units.message(found)) and test(units.message(found)),
    )


def _attempts_above(story: Story, unit: str, number: int) -> State:
    subject = story.unit(unit)
    return State(
        subject,
        f"{subject.label} has more than {number} attempts",
        lambda found: found is not None and units.attempts(found) > number,
        ("status.attempts", "status.message"),
    )
