"""The queue's pressure, as the implementation's metrics tell it.

A series is a queue's if one of its labels has the queue's name as its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_bdd import given, parsers, then

from queuecheck.implementation import ImplementationError, Sample
from queuecheck.timeline import Quiet
from steps.story import Story

METRIC = (
    r"the metric (?P<name>job_schedule_attempts|queueunits_in_active_queue) "
    r'of "(?P<quota>[^"]+)"(?: with result "(?P<result>\w+)")?'
)
COUNTS = parsers.re(rf"{METRIC} is eventually (?P<how>exactly|at least) (?P<number>\d+)")
GROWS = parsers.re(rf"{METRIC} eventually grows(?: by (?P<number>\d+))?")
FALLS = parsers.re(rf"{METRIC} eventually falls")


@given(COUNTS)
@then(COUNTS)
def counts(  # noqa: PLR0917 - one argument for each word of the step
    story: Story, name: str, quota: str, result: str | None, how: str, number: str
) -> None:
    wanted = int(number)
    if how == "exactly":
        _await(story, name, quota, result, f"{wanted}", lambda value: value == wanted)
    else:
        _await(story, name, quota, result, f">= {wanted}", lambda value: value >= wanted)


@then(GROWS)
def grows(story: Story, name: str, quota: str, result: str | None, number: str | None) -> None:
    """By so much, or by anything, since it was read last."""
    wanted = story.number + int(number or 1)
    _await(story, name, quota, result, f">= {wanted:g}", lambda value: value >= wanted)


@then(FALLS)
def falls(story: Story, name: str, quota: str, result: str | None) -> None:
    before = story.number
    _await(story, name, quota, result, f"< {before:g}", lambda value: value < before)


@then(parsers.re(r'the metrics eventually have no series of "(?P<quota>[^"]+)"'))
def no_series(story: Story, quota: str) -> None:
    story.world.claims.poll(
        lambda: _series(story, quota),
        lambda found: not found,
        sentence=f'no sample has a label with the name of the queue "{quota}"',
        within="absent",
        describe=_shown,
        transient=(ImplementationError,),
        hopeless=(story.world.implementation.alive,),
    )


@then(parsers.re(r'no series of "(?P<quota>[^"]+)" is ever negative'))
def never_negative(story: Story, quota: str) -> None:
    story.world.claims.poll_throughout(
        lambda: _series(story, quota),
        lambda found: all(sample.value >= 0 for sample in found),
        sentence=f'no series of the queue "{quota}" is negative',
        window=Quiet(),
        describe=_shown,
        transient=(ImplementationError,),
        hopeless=(story.world.implementation.alive,),
    )


def _series(story: Story, quota: str) -> list[Sample]:
    queue = story.quotas.name(quota)
    samples = story.world.implementation.metrics()
    return [sample for sample in samples if queue in sample.labels.values()]


def _shown(found: Sequence[Sample]) -> str:
    return ", ".join(f"{sample.name} {sample.value:g}" for sample in found) or "no series"


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
