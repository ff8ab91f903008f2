"""Claims about the objects that a feature names; ``steps/words.py`` has their states."""

from __future__ import annotations

from pytest_bdd import given, parsers, then

from steps.states import units
from steps.story import Story
from steps.words import BUDGETS, OBJECT, condition, named, ruled_out, too_early

WHILE = r"while (?:the gate is closed|the job extension is held|nothing changes)"
EVENTUALLY = parsers.re(rf"{OBJECT} (?:is|are) eventually (?P<state>.+)")
NEVER = parsers.re(rf"{OBJECT} (?:is|are) never (?P<state>(?:(?! while ).)+)")
NEVER_WHILE = parsers.re(rf"{OBJECT} (?:is|are) never (?P<state>(?:(?! while ).)+) {WHILE}")
STAYS = parsers.re(rf"{OBJECT} stays? (?P<state>(?:(?! while ).)+)")
STAYS_WHILE = parsers.re(rf"{OBJECT} stays? (?P<state>(?:(?! while ).)+) {WHILE}")


@given(EVENTUALLY)
@then(EVENTUALLY)
def eventually(story: Story, object: str, state: str) -> None:  # noqa: A002 - a word of the step
    budget = BUDGETS.get(state, "reclaim")
    story.eventually(condition(story, object, state), within=budget, since=story.acted)


@given(NEVER)
@then(NEVER)
def never(story: Story, object: str, state: str) -> None:  # noqa: A002 - a word of the step
    story.never(ruled_out(story, object, state))


@given(NEVER_WHILE)
@then(NEVER_WHILE)
def never_while(story: Story, object: str, state: str) -> None:  # noqa: A002
    _, alias = named(object)
    if state == "admitted":
        # There is nothing to be admitted before the unit is there.
        story.eventually(units.waits(story.unit(alias)), within="create", since=story.acted)
    # Behind a closed gate nobody need look at a fence, and a held extension takes no Job over.
    story.never(ruled_out(story, object, state), window=story.quiet())


@given(STAYS)
@then(STAYS)
def stays(story: Story, object: str, state: str) -> None:  # noqa: A002 - a word of the step
    budget = BUDGETS.get(state, "create")
    story.stays(condition(story, object, state), within=budget)


@given(STAYS_WHILE)
@then(STAYS_WHILE)
def stays_while(story: Story, object: str, state: str) -> None:  # noqa: A002
    budget = BUDGETS.get(state, "create")
    story.stays(condition(story, object, state), within=budget, window=story.quiet())


@then("these states are seen in this order:")
def in_order(story: Story, datatable: list[list[str]]) -> None:
    (first, second), *rows = datatable
    if (first, second) != ("object", "state"):
        raise ValueError(f"the table's columns are object and state, not {first} and {second}")
    states = (condition(story, *row) for row in rows)
    story.in_order(*states, too_early=too_early(story, *rows[-1]))
