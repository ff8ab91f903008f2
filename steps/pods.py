"""Pods: bound and run by the nodes, removed by nobody but the job extension."""

from __future__ import annotations

from pytest_bdd import given, parsers, then, when

from steps.states import pods, units
from steps.story import Story, creation

PODS = r'(?:(?P<number>\d+) of )?the pods of "(?P<job>[^"]+)"'
RUN = parsers.re(rf"{PODS} runs?")
BIND = parsers.re(r'the pods of "(?P<job>[^"]+)" are bound and do not start')
END = parsers.re(rf"{PODS} (?P<how>finish|fail)(?:e?s)?")
NO_ROOM = parsers.re(r'no further pod of "(?P<job>[^"]+)" finds room')
CREATION = parsers.re(r"(?P<which>no pods can be created|pods can be created again)")


@given(RUN)
@when(RUN)
def run(story: Story, number: str | None, job: str) -> None:
    """All of them, unless a number is given."""
    story.act()
    story.jobs.run_pods(job, int(number or story.jobs.asks[job].pods))


@given(BIND)
@when(BIND)
def bind(story: Story, job: str) -> None:
    story.act()
    story.jobs.bind_pods(job)


@given(END)
@when(END)
def end(story: Story, number: str | None, job: str, how: str) -> None:
    """With all pods that finish the Job is complete."""
    story.act()
    if how == "finish" and number is None:
        story.jobs.finish_pods(job)
        return
    phase = "Failed" if how == "fail" else "Succeeded"
    story.jobs.end_pods(job, int(number or story.jobs.asks[job].pods), phase=phase)


@given(NO_ROOM)
def take_no_more(story: Story, job: str) -> None:
    story.world.nodes.close_slot(story.world.slot(job))


@then(parsers.re(r'no (?:pod|more than (?P<number>\d+) pods?) of "(?P<job>[^"]+)" stays?'))
def none_stays(story: Story, number: str | None, job: str) -> None:
    """Some may come and go: the Job controller is quicker than whoever corrects the Job."""
    story.jobs.await_job_controller()
    story.eventually(pods.at_most(story.job(job), int(number or 0)), within="reclaim")


@given(CREATION)
@when(CREATION)
def switch_creation(story: Story, which: str) -> None:
    story.act()
    if which.startswith("no"):
        creation.refuse_pods(story)
    else:
        creation.allow_pods(story)


@then(parsers.re(r'the unbound pods of "(?P<job>[^"]+)" are eventually removed'))
def are_removed(story: Story, job: str) -> None:
    """Those that were unbound when the unit was marked: the Job controller may make new ones."""
    marked = story.eventually(units.marked(story.unit(job)), within="mark", since=story.acted)
    written = story.world.claims.up_to(marked.position, pods.pods_of(story.job(job)))
    uids = pods.unbound_after(story.job(job), written)
    assert uids, f"{job} was marked, and had no unbound pod"
    removed = pods.removed(story.job(job), uids)
    story.eventually(removed, within="reclaim", since=marked.position)


@then(parsers.re(r'no (?:bound|finished) pod of "(?P<job>[^"]+)" is ever removed'))
def none_removed(story: Story, job: str) -> None:
    lost = pods.lost(story.job(job), story.jobs.running[job])
    story.never(lost)


@then(parsers.re(r'no pod of "(?P<job>[^"]+)" exists before "(?P<unit>[^"]+)" is admitted'))
def none_before_admission(story: Story, job: str, unit: str) -> None:
    admitted, existing = story.admitted(unit), pods.existing(story.job(job))
    story.in_order(admitted, existing, since=story.beginning)
