"""Units: what they hold, what they are marked for, and what must not happen to them."""

from __future__ import annotations

import re

from pytest_bdd import given, parsers, then

from queuecheck.timeline import Condition, Step, negate
from steps import states
from steps.story import Story

STATES = r"admitted|marked|waiting"
EVENTUALLY = parsers.re(rf'"(?P<unit>[^"]+)" is eventually (?P<state>{STATES})')
NEVER_WHILE = parsers.re(
    rf'"(?P<unit>[^"]+)" is never (?P<state>{STATES}) '
    r"while (?:the gate is closed|the job extension is held)"
)


def state_of(story: Story, unit: str, text: str) -> Condition:
    """The state that a feature's words name. Raises ValueError for words that name none."""
    subject = story.unit(unit)
    if text == "admitted":
        return story.admitted(unit)
    if text == "waiting":
        return states.waits(subject)
    if text == "reserving nothing":
        return states.reserves_nothing(subject)
    if text == "reserving nothing and not marked":
        return states.released(subject)
    if found := re.fullmatch(r"marked(?: for (\d+) replicas?)?", text):
        return states.marked(subject, int(found[1]) if found[1] else None)
    if found := re.fullmatch(r"Dequeued with (\d+) replicas? and no reclaimState", text):
        return states.dequeued(subject, int(found[1]))
    if found := re.fullmatch(r'saying "(.+)"', text):
        return states.saying(subject, found[1])
    raise ValueError(f"no unit can be {text!r}")


@given(EVENTUALLY)
@then(EVENTUALLY)
def eventually(story: Story, unit: str, state: str) -> None:
    budget = {"admitted": "admit", "marked": "mark", "waiting": "create"}[state]
    story.eventually(state_of(story, unit, state), within=budget, since=story.acted)


@then(parsers.re(r'eventually unit "(?P<unit>[^"]+)" is (?P<state>.+)'))
def eventually_in_words(story: Story, unit: str, state: str) -> None:
    story.eventually(state_of(story, unit, state), within="reclaim", since=story.acted)


@then(parsers.re(rf'"(?P<unit>[^"]+)" is never (?P<state>{STATES})'))
def never(story: Story, unit: str, state: str) -> None:
    story.never(_ruled_out(story, unit, state))


@given(NEVER_WHILE)
@then(NEVER_WHILE)
def never_while(story: Story, unit: str, state: str) -> None:
    if state == "admitted":
        # There is nothing to be admitted before the unit is there.
        story.eventually(states.waits(story.unit(unit)), within="create", since=story.acted)
    story.never(_ruled_out(story, unit, state), window=story.quiet())


@then(parsers.re(r'the first round marks "(?P<unit>[^"]+)"'))
def first_round_marks(story: Story, unit: str) -> None:
    nobody = states.nobody_marked(story.world.namespace)
    begun = Step(negate(nobody, sentence="a unit is marked"))
    marked = Step(states.marked(story.unit(unit)), without=nobody, may_coincide=True)
    story.world.claims.in_order((begun, marked), within="mark", since=story.acted)


@then(parsers.re(r'the first round does not mark "(?P<unit>[^"]+)"'))
def first_round_spares(story: Story, unit: str) -> None:
    spared = states.marked(story.unit(unit))
    nobody = states.nobody_marked(story.world.namespace)
    begun = Step(negate(nobody, sentence="a unit is marked"), without=spared)
    over = Step(nobody, without=spared)
    story.world.claims.in_order((begun, over), within="reclaim", since=story.acted)


@then(parsers.re(r'the phase of "(?P<unit>[^"]+)" is eventually "(?P<phase>\w+)"'))
def phase_is(story: Story, unit: str, phase: str) -> None:
    state = states.of_unit(
        story.unit(unit), f"in phase {phase}", lambda found: states.phase(found) == phase
    )
    story.eventually(state, within="create", since=story.acted)


@then(parsers.re(r'the phase of "(?P<unit>[^"]+)" is never anything but "(?P<phase>\w+)"'))
def phase_is_nothing_else(story: Story, unit: str, phase: str) -> None:
    # A unit that nobody has looked at yet has no phase; that is not another one.
    other = states.of_unit(
        story.unit(unit),
        f"in a phase other than {phase}",
        lambda found: states.phase(found) not in {"", phase},
    )
    story.never(other)


def _ruled_out(story: Story, unit: str, text: str) -> Condition:
    """What must not be seen of a unit that never is what the words say."""
    return story.let_in(unit) if text == "admitted" else state_of(story, unit, text)
