"""What a feature names, the states that its words mean, and claims about them.

`"low"` is the unit of that name, `the Job "low"` its Job, `the pods of "low"` the Job's pods, all
of them together.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_bdd import given, parsers, then

from queuecheck.timeline import Condition, Subject
from steps import states
from steps.story import Story

OBJECT = r'(?P<object>(?:the Job |the pods of )?"[^"]+")'
EVENTUALLY = parsers.re(rf"{OBJECT} (?:is|are) eventually (?P<state>.+)")
NEVER = parsers.re(rf"{OBJECT} (?:is|are) never (?P<state>(?:(?! while ).)+)")
NEVER_WHILE = parsers.re(
    rf"{OBJECT} (?:is|are) never (?P<state>(?:(?! while ).)+) "
    r"while (?:the gate is closed|the job extension is held)"
)
BUDGETS = {"admitted": "admit", "marked": "mark", "resumed": "admit"}

OF_JOB: dict[str, Callable[[Subject], Condition]] = {
    "resumed": states.resumed,
    "suspended": states.suspended,
}
OF_PODS: dict[str, Callable[[Subject], Condition]] = {
    "there": states.existing,
    "being deleted or gone": states.going_or_gone,
}
OF_UNIT: dict[str, Callable[[Subject], Condition]] = {
    "waiting": states.waits,
    "marked": states.marked,
    "reserving nothing": states.reserves_nothing,
    "reserving nothing and not marked": states.released,
}


@given(EVENTUALLY)
@then(EVENTUALLY)
def eventually(story: Story, object: str, state: str) -> None:  # noqa: A002 - a word of the step
    budget = BUDGETS.get(state, "reclaim")
    story.eventually(condition(story, object, state), within=budget, since=story.acted)


@then(NEVER)
def never(story: Story, object: str, state: str) -> None:  # noqa: A002 - a word of the step
    story.never(_ruled_out(story, object, state))


@given(NEVER_WHILE)
@then(NEVER_WHILE)
def never_while(story: Story, object: str, state: str) -> None:  # noqa: A002
    _, alias = _named(object)
    if state == "admitted":
        # There is nothing to be admitted before the unit is there.
        story.eventually(states.waits(story.unit(alias)), within="create", since=story.acted)
    # Behind a closed gate nobody need look at a fence, and a held extension takes no Job over.
    story.never(_ruled_out(story, object, state), window=story.quiet())


@then("these states are seen in this order:")
def in_order(story: Story, datatable: list[list[str]]) -> None:
    (first, second), *rows = datatable
    if (first, second) != ("object", "state"):
        raise ValueError(f"the table's columns are object and state, not {first} and {second}")
    too_early = _too_early(story, *rows[-1])
    story.in_order(*(condition(story, *row) for row in rows), too_early=too_early)


def condition(story: Story, name: str, state: str) -> Condition:
    """The state that a feature's words mean. Raises ValueError for words that mean none."""
    kind, alias = _named(name)
    if kind == "the Job " and state in OF_JOB:
        return OF_JOB[state](story.job(alias))
    if kind == "the pods of " and state in OF_PODS:
        return OF_PODS[state](story.job(alias))
    if kind is None and state == "admitted":
        return story.admitted(alias)
    if kind is None and state in OF_UNIT:
        return OF_UNIT[state](story.unit(alias))
    found = None if kind else _with_words(story.unit(alias), state)
    if found is None:
        raise ValueError(f"{name} cannot be {state!r}")
    return found


def _with_words(unit: Subject, state: str) -> Condition | None:
    if found := re.fullmatch(r"marked for (\d+) replicas?", state):
        return states.marked(unit, int(found[1]))
    if found := re.fullmatch(r"Dequeued with (\d+) replicas? and no reclaimState", state):
        return states.dequeued(unit, int(found[1]))
    if found := re.fullmatch(r'saying "(.+)"', state):
        return states.saying(unit, found[1])
    if found := re.fullmatch(r"in phase (\w+)", state):
        return states.in_phase(unit, found[1])
    if found := re.fullmatch(r"in a phase other than (\w+)", state):
        return states.in_another_phase(unit, found[1])
    return None


def _named(name: str) -> tuple[str | None, str]:
    found = re.fullmatch(r'(the Job |the pods of )?"([^"]+)"', name)
    if found is None:
        raise ValueError(f'an object is "…", the Job "…" or the pods of "…", not {name!r}')
    return found[1], found[2]


def _ruled_out(story: Story, name: str, state: str) -> Condition:
    """What must not be seen of an object that never is what the words say."""
    kind, alias = _named(name)
    if kind is None and state == "admitted":
        return story.let_in(alias)
    return condition(story, name, state)


def _too_early(story: Story, name: str, state: str) -> Condition | None:
    """A unit whose admission ends the table holds nothing before, and its Job is suspended."""
    kind, alias = _named(name)
    ends = kind is None and state.startswith(("admitted", "Dequeued"))
    return story.let_in(alias) if ends else None
