"""The queue's pressure, as the implementation's metrics tell it."""

from __future__ import annotations

from collections.abc import Callable

from pytest_bdd import given, parsers, then

from queuecheck.implementation import ImplementationError
from steps.story import Story

METRIC = (
    r"the metric (?P<name>job_schedule_attempts|queueunits_in_active_queue) "
    r'of "(?P<quota>[^"]+)"(?: with result "(?P<result>\w+)")?'
)


@given(parsers.re(rf"{METRIC} is eventually at least (?P<number>\d+)"))
def at_least(story: Story, name: str, quota: str, result: str | None, number: str) -> None:
    wanted = int(number)
    _await(story, name, quota, result, f">= {wanted}", lambda value: value >= wanted)


@then(parsers.re(rf"{METRIC} eventually (?P<change>grows|falls)"))
def changes(story: Story, name: str, quota: str, result: str | None, change: str) -> None:
    before = story.number
    if change == "grows":
        _await(story, name, quota, result, f"> {before:g}", lambda value: value > before)
    else:
        _await(story, name, quota, result, f"< {before:g}", lambda value: value < before)


def _await(  # noqa: PLR0917 - what the step's words gave, and what is wanted
    story: Story,
    name: str,
    quota: str,
    result: str | None,
    wanted: str,
    test: Callable[[float], bool],
) -> None:
    """Reads the sample until it passes, and remembers its value."""
    queue = story.quotas.name(quota)
    labels = {"queue": queue} | ({} if result is None else {"result": result})
    shown = ",".join(f'{key}="{value}"' for key, value in labels.items())

    def read() -> float | None:
        values = [
            sample.value
            for sample in story.world.implementation.metrics()
            if sample.name == name and labels.items() <= sample.labels.items()
        ]
        return sum(values) if values else None

    reading = story.world.claims.poll(
        read,
        lambda value: value is not None and test(value),
        sentence=f"the sample {name}{{{shown}}} is {wanted}",
        within="create",
        describe=lambda value: "no such sample" if value is None else f"{value:g}",
        transient=(ImplementationError,),
        hopeless=(story.world.implementation.alive,),
    )
    story.number = reading or 0
