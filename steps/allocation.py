"""When a unit was allocated: ``status.lastAllocateTime``."""

from __future__ import annotations

from datetime import datetime, timedelta

from pytest_bdd import given, parsers, then

from queuecheck.kube import KubeObject
from queuecheck.timeline import exists
from steps.states import allocation, units
from steps.story import Story

TIME = r'the allocation time of "(?P<unit>[^"]+)"'
# What the clock of the implementation may be ahead of the API server's.
TOLERANCE = timedelta(seconds=1)


@given(parsers.re(r'the clock has moved on since "(?P<unit>[^"]+)" was (?P<how>created|admitted)'))
def move_on(story: Story, unit: str, how: str) -> None:
    """Times in the API may have whole seconds: two that must differ need so much between them."""
    state = story.admitted(unit) if how == "admitted" else exists(story.unit(unit))
    story.jobs.outlast(story.eventually(state, within="admit", since=story.beginning).at)


@then(parsers.re(rf"{TIME} lies between its creation and the write that set it"))
def is_of_the_write(story: Story, unit: str) -> None:
    written, time = _first(story, unit)
    created = allocation.instant(written["metadata"]["creationTimestamp"])
    at = _server_time(written)
    assert created <= time <= at + TOLERANCE, (
        f'the lastAllocateTime of "{unit}" is {time}, its creation {created}, '
        f"and the API server had taken the write by {at}"
    )


@then(parsers.re(rf"{TIME} is eventually later than at its first admission"))
def is_another(story: Story, unit: str) -> None:
    _, first = _first(story, unit)

    def later(found: KubeObject) -> bool:
        time = allocation.allocated(found)
        return time is not None and time > first and any(units.held(found).values())

    sentence = f"allocated later than at {first}, and holding something"
    state = units.of_unit(story.unit(unit), sentence, later)
    story.eventually(state, within="reclaim", since=story.acted)


def _first(story: Story, unit: str) -> tuple[KubeObject, datetime]:
    """The unit as it was when it first had an allocation time, and that time."""
    state = units.of_unit(
        story.unit(unit), "allocated", lambda found: allocation.allocated(found) is not None
    )
    found = story.eventually(state, within="admit", since=story.beginning).object
    time = allocation.allocated(found)
    assert time is not None
    return found, time


def _server_time(found: KubeObject) -> datetime:
    """The latest moment at which the API server can have taken the write, by its own clock."""
    entries = found["metadata"]["managedFields"]
    recorded = max(allocation.instant(entry["time"]) for entry in entries)
    return recorded + allocation.RECORDED_TO
