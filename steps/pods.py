"""Pods: bound and run by the nodes, removed by nobody but the job extension."""

from __future__ import annotations

from pytest_bdd import given, parsers, then, when

from steps.states import pods, units
from steps.story import Story, creation, lingering

RUN = parsers.re(r'the pods of "(?P<job>[^"]+)" run')
RUN_IN_PART = parsers.re(r'(?P<number>\d+) of the pods of "(?P<job>[^"]+)" runs?')
BIND = parsers.re(r'the pods of "(?P<job>[^"]+)" are bound and do not start')
FINISH = parsers.re(r'the pods of "(?P<job>[^"]+)" finish')
END_IN_PART = parsers.re(
    r'(?P<number>\d+) of the pods of "(?P<job>[^"]+)" (?P<how>finish(?:es)?|fails?)'
)
NO_ROOM = parsers.re(r'no further pod of "(?P<job>[^"]+)" finds room')
FAIL = parsers.re(r'the pods of "(?P<job>[^"]+)" fail')

NONE_CREATED = "no pods can be created"
CREATED_AGAIN = "pods can be created again"


@given(RUN)
@when(RUN)
def run(story: Story, job: str) -> None:
    story.act()
    story.jobs.run_pods(job, story.jobs.asks[job].pods)


@given(RUN_IN_PART)
@when(RUN_IN_PART)
def run_in_part(story: Story, number: str, job: str) -> None:
    story.act()
    story.jobs.run_pods(job, int(number))


@given(BIND)
@when(BIND)
def bind(story: Story, job: str) -> None:
    story.act()
    story.jobs.bind_pods(job)


@given(FINISH)
@when(FINISH)
def finish(story: Story, job: str) -> None:
    story.act()
    story.jobs.finish_pods(job)


@given(END_IN_PART)
@when(END_IN_PART)
def end_in_part(story: Story, number: str, job: str, how: str) -> None:
    story.act()
    phase = "Failed" if how.startswith("fail") else "Succeeded"
    story.jobs.end_pods(job, int(number), phase=phase)


@given(NO_ROOM)
def take_no_more(story: Story, job: str) -> None:
    story.world.nodes.close_slot(story.world.slot(job))


@given(FAIL)
@when(FAIL)
def fail(story: Story, job: str) -> None:
    story.act()
    story.jobs.end_pods(job, story.jobs.asks[job].pods, phase="Failed")


@given(parsers.re(r'the pods of "(?P<job>[^"]+)" linger once they are deleted'))
def linger(story: Story, job: str) -> None:
    lingering.keep_pods(story, job)


@then(
    parsers.re(
        r'"(?P<unit>[^"]+)" is admitted once the pods of "(?P<job>[^"]+)" are gone, not before'
    )
)
def admitted_once_gone(story: Story, unit: str, job: str) -> None:
    lingering.let_pods_go(story, job)
    story.never_before(story.let_in(unit), pods.gone(story.job(job)))
    story.eventually(story.admitted(unit), within="admit")


@then(parsers.re(r'no (?:pod|more than (?P<number>\d+) pods?) of "(?P<job>[^"]+)" stays?'))
def none_stays(story: Story, number: str | None, job: str) -> None:
    """Some may come and go: the Job controller is quicker than whoever corrects the Job."""
    story.jobs.await_job_controller()
    story.eventually(pods.at_most(story.job(job), int(number or 0)), within="reclaim")


@given(NONE_CREATED)
@when(NONE_CREATED)
def refuse_pods(story: Story) -> None:
    story.act()
    creation.refuse_pods(story)


@given(CREATED_AGAIN)
@when(CREATED_AGAIN)
def allow_pods(story: Story) -> None:
    story.act()
    creation.allow_pods(story)


@then(parsers.re(r'the unbound pods of "(?P<job>[^"]+)" are eventually removed'))
def are_removed(story: Story, job: str) -> None:
    story.in_order(units.marked(story.unit(job)), pods.going_or_gone(story.job(job)))


@then(parsers.re(r'no (?:bound|finished) pod of "(?P<job>[^"]+)" is ever removed'))
def none_removed(story: Story, job: str) -> None:
    lost = pods.lost(story.job(job), story.jobs.running[job])
    story.never(lost)


@then(parsers.re(r'no pod of "(?P<job>[^"]+)" exists before "(?P<unit>[^"]+)" is admitted'))
def none_before_admission(story: Story, job: str, unit: str) -> None:
    admitted, existing = story.admitted(unit), pods.existing(story.job(job))
    story.in_order(admitted, existing, since=story.beginning)
