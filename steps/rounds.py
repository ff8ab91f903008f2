"""Rounds: what is marked in one, from its first mark until no mark is left."""

from __future__ import annotations

from pytest_bdd import parsers, then

from queuecheck.timeline import Step, negate
from steps.states import units
from steps.story import Story


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
