"""Rounds, from the first mark until no mark is left: what is marked in one, and how often."""

from __future__ import annotations

from dataclasses import replace

from pytest_bdd import given, parsers, then

from queuecheck.timeline import Step, negate
from steps.states import units
from steps.story import GATE, PREEMPTION, Ask, Story
from steps.words import OBJECTS, named, split


@given(
    parsers.re(
        r'a round in the quota "(?P<quota>[^"]+)" that waits for the job extension: '
        r'"(?P<victim>[^"]+)" is marked, "(?P<preemptor>[^"]+)" waits'
    )
)
def halfway(story: Story, quota: str, victim: str, preemptor: str) -> None:
    """Both ask for the whole quota of 2 cpu; the job extension is held before the mark is made."""
    whole = Ask(1, "2")
    story.act()
    story.quotas.make(quota, limits={"cpu": "2"}, settings={GATE: "true"}, policy="Priority")
    story.quotas.await_queue(quota)
    story.jobs.submit(victim, priority=1, ask=whole)
    story.jobs.await_admission(victim)
    story.jobs.submit(preemptor, priority=100, ask=whole)
    story.jobs.await_waiting(preemptor)
    story.extension_held = True
    story.world.implementation.hold("extension")
    story.quotas.change(quota, {"metadata": {"annotations": {PREEMPTION: "true"}}})
    story.eventually(units.marked(story.unit(victim)), within="mark", since=story.acted)
    story.act()


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
