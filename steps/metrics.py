"""The queue's pressure, as the implementation's metrics tell it."""

from __future__ import annotations

from collections.abc import Callable

from pytest_bdd import given, parsers, then

from queuecheck.implementation import ImplementationError
from steps.story import Story

ATTEMPTS = r'the metric job_schedule_attempts of "(?P<quota>[^"]+)" with result "(?P<result>\w+)"'
ACTIVE = r'the metric queueunits_in_active_queue of "(?P<quota>[^"]+)"'


@given(parsers.re(rf"{ATTEMPTS} is eventually there"))
def attempts_there(story: Story, quota: str, result: str) -> None:
    _await(story, quota, ">= 1", lambda value: value >= 1, result=result)


@then(parsers.re(rf"{ATTEMPTS} eventually grows"))
def attempts_grow(story: Story, quota: str, result: str) -> None:
    before = story.number
    _await(story, quota, f"> {before:g}", lambda value: value > before, result=result)


@given(parsers.re(rf"{ACTIVE} is eventually at least (?P<number>\d+)"))
def active_at_least(story: Story, quota: str, number: str) -> None:
    wanted = int(number)
    _await(story, quota, f">= {wanted}", lambda value: value >= wanted)


@then(parsers.re(rf"{ACTIVE} eventually falls"))
def active_falls(story: Story, quota: str) -> None:
    before = story.number
    _await(story, quota, f"< {before:g}", lambda value: value < before)


def _await(
    story: Story,
    quota: str,
    wanted: str,
    test: Callable[[float], bool],
    *,
    result: str | None = None,
) -> None:
    """Reads the sample until it passes, and remembers its value."""
    queue = story.world.name(quota)
    name = "queueunits_in_active_queue" if result is None else "job_schedule_attempts"
    labels = {"queue": queue} if result is None else {"queue": queue, "result": result}
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
