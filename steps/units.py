"""Units themselves: made without a Job, reported on by the harness, marked by hand."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.states.allocation import duration
from steps.story import Story
from steps.story.units import Holding, PodSet

UNIT = r'"(?P<unit>[^"]+)"'
NONE = "none"
WRITES = 20
RAISED_MEANWHILE = parsers.re(
    rf'the quota "(?P<quota>[^"]+)" is raised to (?P<cpu>\d+) cpu while others write to {UNIT}'
)
MADE = parsers.re(rf"a unit {UNIT} without a Job, with priority (?P<priority>-?\d+), asks for:")
MANY = parsers.re(
    r"(?P<number>\d+) admitted units without Jobs, of priority (?P<priority>-?\d+) "
    r"and with names of (?P<length>\d+) characters"
)
REPORTED = parsers.re(rf"{UNIT} is reported by hand to hold:")
MARKED = parsers.re(rf"{UNIT} is marked by hand for (?P<replicas>\d+) replicas?")
ALLOCATED_EARLIER = parsers.re(rf"{UNIT} was last allocated (?P<time>\d+ [sm]) ago")
PROTECTION_OVER = parsers.re(rf"the protection of (?P<time>\d+ [sm]) is over for {UNIT}")


@given(MADE)
@when(MADE)
def make(story: Story, unit: str, priority: str, datatable: list[list[str]]) -> None:
    """Columns podSet, count, cpu."""
    wanted = [
        PodSet(row["podSet"], int(row["count"]), row["cpu"])
        for row in _rows(datatable, "podSet", "count", "cpu")
    ]
    story.jobs.outlast_equals(int(priority))
    story.act()
    story.units.create(unit, priority=int(priority), pod_sets=wanted)


@given(MANY)
def make_many(story: Story, number: str, priority: str, length: str) -> None:
    story.act()
    names = [f"unit-{each}-".ljust(int(length), "x") for each in range(int(number))]
    for name in names:
        story.units.create(name, priority=int(priority), pod_sets=[PodSet("main", 1, "1")])
    for name in names:
        story.eventually(story.admitted(name), within="admit", since=story.acted)


@given(REPORTED)
@when(REPORTED)
def report(story: Story, unit: str, datatable: list[list[str]]) -> None:
    """Columns podSet, replicas, running, marked; ``none`` for an entry without a mark."""
    rows = _rows(datatable, "podSet", "replicas", "running", "marked")
    story.act()
    story.units.report(
        unit,
        [
            Holding(
                row["podSet"],
                int(row["replicas"]),
                int(row["running"]),
                None if row["marked"] == NONE else int(row["marked"]),
            )
            for row in rows
        ],
    )


@given(MARKED)
@when(MARKED)
def mark(story: Story, unit: str, replicas: str) -> None:
    story.act()
    story.units.mark(unit, int(replicas))


@given(ALLOCATED_EARLIER)
def allocate_earlier(story: Story, unit: str, time: str) -> None:
    """Written by hand: the field is what the protection counts from."""
    story.act()
    story.units.allocate_earlier(unit, duration(time))


@given(PROTECTION_OVER)
def outlast_protection(story: Story, unit: str, time: str) -> None:
    story.units.outlast_protection(unit, duration(time))


@when(RAISED_MEANWHILE)
def raise_meanwhile(story: Story, quota: str, cpu: str, unit: str) -> None:
    """The writes begin before the decision that the quota makes possible, and end after it."""
    story.act()
    story.units.annotate(unit, WRITES // 4)
    story.quotas.change(quota, {"spec": {"min": {"cpu": cpu}, "max": {"cpu": cpu}}})
    story.have_looked_again(quota)
    story.units.annotate(unit, WRITES)


def _rows(table: list[list[str]], *columns: str) -> list[dict[str, str]]:
    heads, *rows = table
    if tuple(heads) != columns:
        raise ValueError(f"the table's columns are {', '.join(columns)}, not {', '.join(heads)}")
    return [dict(zip(heads, row, strict=True)) for row in rows]
