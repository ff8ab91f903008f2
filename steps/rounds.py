"""Rounds, from the first mark until no mark is left: what is marked in one, and how often."""

from __future__ import annotations

from dataclasses import replace

from pytest_bdd import parsers, then

from queuecheck.timeline import Step, negate
from steps.states import units
from steps.story import Story
from steps.words import OBJECTS, named, split


@then(parsers.re(r'the first round marks "(?P<unit>[^"]+)"'))
def marks(story: Story, unit: str) -> None:
    nobody = units.nobody_marked(story.world.namespace)
    begun = Step(negate(nobody, sentence="a unit is marked"))
    marked = Step(units.marked(story.unit(unit)), without=nobody, may_coincide=True)
    story.world.claims.in_order((begun, marked), within="mark", since=story.acted)


@then(parsers.re(r'the first round does not mark "(?P<unit>[^"]+)"'))
def spares(story: Story, unit: str) -> None:
    spared = units.marked(story.unit(unit))
    nobody = units.nobody_marked(story.world.namespace)
    begun = Step(negate(nobody, sentence="a unit is marked"), without=spared)
    over = Step(nobody, without=spared)
    story.world.claims.in_order((begun, over), within="reclaim", since=story.acted)


@then(parsers.re(rf"{OBJECTS} (?:is|are) marked only once"))
def only_once(story: Story, objects: str) -> None:
    for each in split(objects):
        subject = story.unit(named(each)[1])
        marked = units.marked(subject)
        begun = story.eventually(marked, within="mark", since=story.beginning)
        over = negate(marked, sentence=f"{subject.label} is not marked")
        ended = story.eventually(over, within="reclaim", since=begun.position)
        again = replace(marked, sentence=f"{subject.label} is marked again")
        story.never(again, since=ended.position)
