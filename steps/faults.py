"""Trouble on the way between the controller and its API server, made by a proxy of the suite.

Only what the implementation sends passes through it: what a scenario itself does and watches is
not disturbed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from pytest_bdd import given, parsers, when

from queuecheck.faults import Delay, Drop, EndWatch, Fault, Halt, Meanwhile, Refuse, Rule, Target
from queuecheck.timeline import HarnessError
from steps.story import Story
from steps.story.starting import starts
from steps.story.units import Holding

PATIENCE_SECONDS = 1
LATE_SECONDS = 1.5
PLURALS = {
    "pods": "pods",
    "Jobs": "jobs",
    "QueueUnits": "queueunits",
    "Queues": "queues",
    "ElasticQuotas": "elasticquotas",
}


@dataclass(frozen=True)
class _Trouble:
    """What happens to which requests; ``times`` None is until the scenario ends."""

    target: Target
    fault: Fault
    times: int | None = None
    every: int = 1
    for_each_kind: bool = False


_WRITES, _WATCHES = Target("write"), Target("watch")
TROUBLE = {
    "every other write is refused as a conflict": _Trouble(_WRITES, Refuse(409), every=2),
    "the next 2 writes are refused as too many requests, to be sent again later": _Trouble(
        _WRITES, Refuse(429, retry_after=PATIENCE_SECONDS), times=2
    ),
    "every other write fails inside the server": _Trouble(_WRITES, Refuse(500), every=2),
    "the answer to every other write is lost": _Trouble(_WRITES, Drop(passed_on=True), every=2),
    # Bounded: many clients wait longer each time before they list or watch again.
    "every watch breaks off after an event, two times": _Trouble(
        _WATCHES, EndWatch(), times=2, for_each_kind=True
    ),
    "every watch ends as too old after an event": _Trouble(
        _WATCHES, EndWatch(gone=True), times=1, for_each_kind=True
    ),
}
BETWEEN = parsers.re(
    r"a proxy between the (?P<who>controller|first queue component) and the API server"
)
MADE = parsers.re(rf"(?P<what>{'|'.join(TROUBLE)})")
LATE = parsers.re(
    rf"the controller is restarted, and lists of (?P<plural>{'|'.join(PLURALS)}) are late"
)
UP_TO = parsers.re(
    r"the job extension is let go up to (?P<answer>the answer to )?its next write "
    r'to "(?P<unit>[^"]+)"'
)
FOREIGN = parsers.re(
    r'somebody else (?:marks "(?P<marked>[^"]+)" for (?P<marks>\d+) replicas?'
    r'|reports (?P<runs>\d+) running replicas? of "(?P<running>[^"]+)") '
    r"just before the controller's next write to it arrives"
)


@given(BETWEEN)
def interpose(story: Story, who: str) -> None:
    story.act()
    story.world.interpose_proxy(None if who == "controller" else "queue")


@given(MADE)
def make_trouble(story: Story, what: str) -> None:
    made = TROUBLE[what]
    story.world.proxy.add(
        Rule(
            made.target,
            made.fault,
            times=made.times,
            every=made.every,
            for_each_kind=made.for_each_kind,
        )
    )
    if made.target.what == "watch":
        # A rule looks at requests, and those of the watches that are open have passed already.
        story.world.proxy.cut_watches()


@when(LATE)
def restart_with_late_lists(story: Story, plural: str) -> None:
    story.act()
    rule = Rule(Target("list", PLURALS[plural]), Delay(LATE_SECONDS), times=None)
    story.world.proxy.add(rule)
    with starts("again"):
        story.world.interpose_proxy()
    if not rule.hits:
        raise HarnessError(f"the controller lists no {plural}: nothing of it was late")


@given(UP_TO)
def let_go_up_to(story: Story, unit: str, answer: str | None) -> None:
    """From that write on it is held again; what it sent does not arrive any more later."""
    story.act()
    proxy, implementation = story.world.proxy, story.world.implementation
    proxy.add(Rule(Target("write", "queueunits", unit), Halt(passed_on=bool(answer))))
    implementation.release("extension")
    seconds = story.world.budgets.seconds("reclaim")
    if not proxy.await_halt(seconds):
        raise AssertionError(f'the job extension wrote nothing to "{unit}" within {seconds:g} s')
    implementation.hold("extension")
    proxy.forget()


@given(FOREIGN)
def meet_a_foreign_write(
    story: Story, marked: str | None, marks: str | None, runs: str | None, running: str | None
) -> None:
    if marked is not None:
        foreign = partial(story.units.mark, marked, int(marks or 0))
    else:
        assert running is not None
        holding = Holding(running, story.jobs.asks[running].pods, int(runs or 0))
        foreign = partial(story.units.report, running, [holding])
    target = Target("write", "queueunits", marked or running or "")
    story.world.proxy.add(Rule(target, Meanwhile(foreign)))
