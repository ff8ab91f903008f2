"""Rounds, from the first mark until no mark is left: what is marked in one, and how often."""

from __future__ import annotations

from dataclasses import replace

from pytest_bdd import given, parsers, then

from queuecheck.kube import KubeObject
from queuecheck.timeline import Condition, Fence, Sighting, Step, Subject, Window, any_of, negate
from steps.states import events, units
from steps.story import GATE, PREEMPTION, Ask, Story
from steps.words import OBJECTS, named, split

WHOLE = Ask(1, "2")
HALFWAY = parsers.re(
    r'a round in the quota "(?P<quota>[^"]+)" that waits for the job extension: '
    r'"(?P<victim>[^"]+)"(?P<elsewhere> of another namespace)? is marked, '
    r'(?:"(?P<spared>[^"]+)" is not, )?'
    r'"(?P<preemptor>[^"]+)"(?: and "(?P<second>[^"]+)" wait| waits)'
)


@given(HALFWAY)
def halfway(  # noqa: PLR0917 - one argument for each word of the step
    story: Story,
    quota: str,
    victim: str,
    elsewhere: str | None,
    spared: str | None,
    preemptor: str,
    second: str | None,
) -> None:
    """Those admitted hold all of the quota: a second preemptor would have the other one marked.

    Victims go from the lowest priority up, preemptors from the highest down, all of 2 cpu. The job
    extension is held before the mark is made.
    """
    victims = [alias for alias in (victim, spared) if alias]
    preemptors = [alias for alias in (preemptor, second) if alias]
    cpu = 2 * len(victims)
    if elsewhere:
        story.jobs.put_elsewhere(victim)
    story.act()
    story.quotas.make(quota, limits={"cpu": str(cpu)}, settings={}, policy="Priority")
    story.quotas.await_queue(quota)
    for priority, alias in enumerate(victims, start=1):
        story.jobs.submit(alias, priority=priority, ask=WHOLE)
    for alias in victims:
        story.jobs.await_admission(alias)
    for below, alias in enumerate(preemptors):
        story.jobs.submit(alias, priority=100 - below, ask=WHOLE)
    for alias in preemptors:
        story.jobs.await_waiting(alias)
    story.extension_held = True
    story.world.implementation.hold("extension")
    annotations = {GATE: "true", PREEMPTION: "true"}
    story.quotas.change(quota, {"metadata": {"annotations": annotations}})
    story.have_looked_again(quota)
    story.eventually(units.marked(story.unit(victims[0])), within="mark", since=story.acted)
    story.act()


@then(parsers.re(r'the first round for "(?P<preemptor>[^"]+)" marks "(?P<unit>[^"]+)"'))
def marks(story: Story, preemptor: str, unit: str) -> None:  # noqa: ARG001 - it is the only one
    begun = Step(_a_unit_is_marked(story))
    over = units.nobody_marked(story.world.namespace)
    marked = Step(units.marked(story.unit(unit)), without=over, may_coincide=True)
    story.world.claims.in_order((begun, marked), within="mark", since=story.acted)


@then(parsers.re(rf'the first round for "(?P<preemptor>[^"]+)" does not mark {OBJECTS}'))
def spares(story: Story, preemptor: str, objects: str) -> None:
    begun, over = _first_round(story, preemptor)
    spared = any_of(*(units.marked(story.unit(named(each)[1])) for each in split(objects)))
    if story.extension_held:
        window = Fence(over, within="quiet", otherwise="quiet")
    else:
        window = Fence(over, within="reclaim")
    story.never(spared, window=window, since=begun.position)


def _first_round(story: Story, preemptor: str) -> tuple[Sighting, Condition]:
    """Where the first mark is seen, and what ends the round after that.

    It is over when no mark is left, or when the preemptor has been put back: its unit tells of an
    attempt that it did not tell of before. What is marked later is another round's.
    """
    begun = story.eventually(_a_unit_is_marked(story), within="mark", since=story.acted)
    unit = story.unit(preemptor)
    told = _told(_at(story, unit, begun))
    put_back = units.of_unit(unit, "put back", lambda found: _told(found) != told)
    return begun, any_of(units.nobody_marked(story.world.namespace), put_back)


def _at(story: Story, unit: Subject, sighting: Sighting) -> KubeObject | None:
    """The unit as it was then; None where it was not there."""
    found = None
    for seen in story.world.timeline.history(unit):
        if seen.resource_version <= sighting.resource_version:
            found = seen.live
    return found


def _a_unit_is_marked(story: Story) -> Condition:
    return negate(units.nobody_marked(story.world.namespace), sentence="a unit is marked")


def _told(found: KubeObject | None) -> tuple[str, int]:
    return (units.message(found), units.attempts(found)) if found else ("", 0)


@then(parsers.re(rf"{OBJECTS} (?:is|are) marked only once"))
def only_once(story: Story, objects: str) -> None:
    ends = _first_marks(story, objects)
    window = story.window()
    for unit, ended in ends:
        story.never(_marked_again(unit), window=window, since=ended.position)


@then(parsers.re(rf"no admission of {OBJECTS} is marked twice"))
def once_an_admission(story: Story, objects: str) -> None:
    """Neither the mark nor its event comes again, until the unit is admitted again."""
    ends = _first_marks(story, objects)
    window = story.window()
    for unit, ended in ends:
        admission = _until_admitted_again(story, unit, ended, window)
        for state in (
            _marked_again(unit),
            events.has_more_events_than(unit, 1, reason="Preempted"),
        ):
            story.never(state, window=admission, since=ended.position)


def _first_marks(story: Story, objects: str) -> list[tuple[Subject, Sighting]]:
    """The units, each with the end of its first mark."""
    ends = []
    for each in split(objects):
        unit = story.unit(named(each)[1])
        marked = units.marked(unit)
        begun = story.eventually(marked, within="mark", since=story.beginning)
        over = negate(marked, sentence=f"{unit.label} is unmarked")
        ends.append((unit, story.eventually(over, within="reclaim", since=begun.position)))
    return ends


def _marked_again(unit: Subject) -> Condition:
    return replace(units.marked(unit), sentence=f"{unit.label} is marked again")


def _until_admitted_again(story: Story, unit: Subject, ended: Sighting, window: Window) -> Window:
    """The window, unless the unit is given more before its end than the reclaim has left it."""
    emptied = _at(story, unit, ended)
    left = sum(units.held(emptied).values()) if emptied else 0
    more = units.of_unit(
        unit, "admitted again", lambda found: sum(units.held(found).values()) > left
    )
    if isinstance(window, Fence):
        why = f"{window.sentence}, or {more.sentence}"
        return replace(window, state=any_of(window.state, more), sentence=why)
    return Fence(more, within=window.budget, otherwise=window.budget)
