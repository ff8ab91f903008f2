"""Two copies of the queue component, of which one decides: the first, for as long as it can.

The first has the lead because it was there alone. Whatever is done to it here is done to it alone.
"""

from __future__ import annotations

from pytest_bdd import given, parsers, then, when

from queuecheck.faults import Halt, Rule, Target
from queuecheck.timeline import HarnessError, absent
from steps.states import units
from steps.story import Story

FIRST = "queue"
CONNECTED = parsers.re(
    r"the first queue component is (?P<how>cut off from the API server|connected again)"
)
ONCE = parsers.re(r'"(?P<unit>[^"]+)" is granted exactly once(?P<quiet> while nothing changes)?')


@given("a second queue component beside the first")
def start_second(story: Story) -> None:
    story.act()
    story.world.implementation.second(FIRST)


@given(CONNECTED)
@when(CONNECTED)
def connect(story: Story, how: str) -> None:
    """Cut off it reaches nobody and nobody reaches it, and no connection tells it so."""
    story.act()
    proxy = story.world.proxy
    if how == "connected again":
        proxy.forget()
        return
    proxy.add(Rule(Target(), Halt()))
    seconds = story.world.budgets.seconds("admit")
    if not proxy.await_halt(seconds):
        raise HarnessError(f"the first queue component asked for nothing within {seconds:g} s")


@then(ONCE)
def granted_once(story: Story, unit: str, quiet: str | None) -> None:
    """A grant is more replicas than before, or another time of allocation."""
    subject = story.unit(unit)
    story.eventually(story.admitted(unit), within="admit")
    window = story.quiet() if quiet else story.fence()
    story.never(absent(subject), window=window)
    grants = units.grants([seen.live for seen in story.world.timeline.history(subject)])
    assert grants == 1, f"{subject.label} was granted {grants} times"
