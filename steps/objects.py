"""Claims about the objects that a feature names; ``steps/words.py`` has their states."""

from __future__ import annotations

from pytest_bdd import given, parsers, then

from queuecheck.lint import judged_by
from queuecheck.lint.words import Arguments
from queuecheck.timeline import Window, any_of, negate
from steps.states import units
from steps.story import Story
from steps.words import (
    BUDGETS,
    OBJECTS,
    condition,
    named,
    nonsense,
    ruled_out,
    split,
    too_early,
)

WHILE = r"while (?P<reason>the gate is closed|the job extension is held|nothing changes)"
STATE = r"(?P<state>(?:(?! while | before ).)+)"
EVENTUALLY = parsers.re(rf"{OBJECTS} (?:is|are) eventually (?P<state>.+)")
NEVER = parsers.re(rf"{OBJECTS} (?:is|are) never {STATE}")
NOT_YET = parsers.re(rf"{OBJECTS} (?:is|are) not yet {STATE}")
NEVER_WHILE = parsers.re(rf"{OBJECTS} (?:is|are) never {STATE} {WHILE}")
NEVER_BEFORE = parsers.re(
    rf'{OBJECTS} (?:is|are) never {STATE} before "(?P<unit>[^"]+)" is admitted'
)
STAYS = parsers.re(rf"{OBJECTS} stays? {STATE}")
STAYS_WHILE = parsers.re(rf"{OBJECTS} stays? {STATE} {WHILE}")


def _judge(arguments: Arguments) -> str:
    return nonsense(arguments["objects"], arguments["state"].removesuffix(" again"))


def _judge_table(arguments: Arguments) -> str:
    rows = [row for row in arguments["datatable"][1:] if len(row) == 2]
    return next((told for row in rows if (told := nonsense(*row))), "")


@given(EVENTUALLY)
@then(EVENTUALLY)
@judged_by(_judge)
def eventually(story: Story, objects: str, state: str) -> None:
    """``again``: it has been otherwise in between."""
    wanted, again = state.removesuffix(" again"), state.endswith(" again")
    for each in split(objects):
        seen, since = condition(story, each, wanted), story.acted
        if again:
            otherwise = negate(seen, sentence=f"not: {seen.sentence}")
            since = story.eventually(otherwise, within="reclaim", since=since).position
        story.eventually(seen, within=BUDGETS.get(wanted, "reclaim"), since=since)


@given(NOT_YET)
@then(NOT_YET)
@given(NEVER)
@then(NEVER)
@judged_by(_judge)
def never(story: Story, objects: str, state: str) -> None:
    story.never(any_of(*(ruled_out(story, each, state) for each in split(objects))))


@given(NEVER_WHILE)
@then(NEVER_WHILE)
@judged_by(_judge)
def never_while(story: Story, objects: str, state: str, reason: str) -> None:
    begun = story.acted
    if state == "admitted":
        # Nothing is admitted before it is there: a quiet period counts from then. That it is
        # decided on comes before the fence, too: an implementation that takes up several Jobs at a
        # time may be quicker with the fence.
        for each in split(objects):
            unit = story.unit(named(each)[1])
            begun = story.eventually(units.waits(unit), within="create", since=begun).position
            story.give_time(units.decided(unit))
    states = any_of(*(ruled_out(story, each, state) for each in split(objects)))
    window = _window(story, reason)
    for since in (begun, story.acted):
        story.never(states, window=window, since=since)


@then(NEVER_BEFORE)
@judged_by(_judge)
def never_before(story: Story, objects: str, state: str, unit: str) -> None:
    states = (ruled_out(story, each, state) for each in split(objects))
    story.never_before(any_of(*states), story.admitted(unit))


@given(STAYS)
@then(STAYS)
@judged_by(_judge)
def stays(story: Story, objects: str, state: str) -> None:
    budget = BUDGETS.get(state, "create")
    for each in split(objects):
        story.stays(condition(story, each, state), within=budget)


@given(STAYS_WHILE)
@then(STAYS_WHILE)
@judged_by(_judge)
def stays_while(story: Story, objects: str, state: str, reason: str) -> None:
    budget = BUDGETS.get(state, "create")
    for each in split(objects):
        wanted = condition(story, each, state)
        # The window opens when the state is there.
        story.eventually(wanted, within=budget, since=story.acted)
        story.stays(wanted, within=budget, window=_window(story, reason))


@then("these states are seen in this order:")
@judged_by(_judge_table)
def in_order(story: Story, datatable: list[list[str]]) -> None:
    (first, second), *rows = datatable
    if (first, second) != ("object", "state"):
        raise ValueError(f"the table's columns are object and state, not {first} and {second}")
    states = (condition(story, *row) for row in rows)
    story.in_order(*states, too_early=too_early(story, *rows[-1]))


def _window(story: Story, reason: str) -> Window:
    """What is marked need not end first: behind the gate it may, a held extension ends nothing."""
    return story.quiet() if reason == "nothing changes" else story.fence()
