"""Tables of states that are seen one after the other."""

from __future__ import annotations

import re

from pytest_bdd import then

from queuecheck.timeline import Condition
from steps import states
from steps.story import Story
from steps.units import state_of


@then("these states are seen in this order:")
def in_order(story: Story, datatable: list[list[str]]) -> None:
    (first, second), *rows = datatable
    if (first, second) != ("object", "state"):
        raise ValueError(f"the table's columns are object and state, not {first} and {second}")
    too_early = _too_early(story, *rows[-1])
    story.in_order(*(_state(story, thing, state) for thing, state in rows), too_early=too_early)


def _too_early(story: Story, thing: str, text: str) -> Condition | None:
    """A unit whose admission ends the table holds nothing before, and its Job is suspended."""
    unit = re.fullmatch(r'unit "([^"]+)"', thing)
    ends = unit is not None and text.startswith(("admitted", "Dequeued"))
    return story.let_in(unit[1]) if unit and ends else None


def _state(story: Story, thing: str, text: str) -> Condition:
    found = re.fullmatch(r'(unit|Job|pods of) "([^"]+)"', thing)
    if found is None:
        raise ValueError(f'an object is unit "…", Job "…" or pods of "…", not {thing!r}')
    kind, alias = found.groups()
    if kind == "unit":
        return state_of(story, alias, text)
    if (kind, text) == ("Job", "resumed"):
        return states.resumed(story.job(alias))
    if (kind, text) == ("pods of", "existing"):
        return states.existing(story.job(alias))
    if (kind, text) == ("pods of", "being deleted or gone"):
        return states.going_or_gone(story.job(alias))
    raise ValueError(f"{thing} cannot be {text!r}")
