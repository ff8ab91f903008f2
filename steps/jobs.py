"""Jobs: submitted, admitted, changed and deleted by their users, completed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import yaml
from pytest_bdd import given, parsers, then, when

from queuecheck.kube import KubeObject
from queuecheck.timeline import Selection, SetState, exists
from steps.states import jobs, units
from steps.story import FENCE, NO_QUOTA, QUOTA_LABEL, Ask, Story

JOB = r'the Job "(?P<job>[^"]+)"'
WITH_PRIORITY = r'Job "(?P<job>[^"]+)" with priority (?P<priority>-?\d+)'
# Without a quota's name the Job asks the quota made last.
ASK = r'(?:(?P<pods>\d+) pods of )?(?P<cpu>\d+) cpu(?: from (?P<quota>"[^"]+"|no quota))?'
SUBMITTED = parsers.re(rf"the {WITH_PRIORITY} asks for {ASK}")
SUBMITTED_WITH = parsers.re(rf"the {WITH_PRIORITY} is submitted with:")
UNSUSPENDED = parsers.re(rf"{JOB} is created unsuspended and asks for {ASK}")
GONE_OR_BACK = parsers.re(rf"{JOB} is (?P<how>deleted|created again)")
SWITCHED = parsers.re(rf"{JOB} is (?P<how>suspended|resumed) by hand")
NAMES_ANOTHER = parsers.re(rf'{JOB} names the quota "(?P<quota>[^"]+)"')
PARALLELISM_SET = parsers.re(rf"the parallelism of {JOB} is set to (?P<number>\d+)")
AT_ONCE = parsers.re(r"(?P<number>\d+) Jobs at once ask for (?P<cpu>\d+) cpu each")
COMPLETES = parsers.re(rf"{JOB} completes once its pods have run")
SEVERAL = parsers.re(
    r"these (?P<which>waiting Jobs|waiting Jobs, created in the same second|"
    r"admitted Jobs, their pods not bound):"
)
ONE_AFTER_THE_OTHER = "these Jobs are submitted one after the other:"
_Wanted = tuple[str, int | None, Ask]


def ask_of(pods: str | None, cpu: str) -> Ask:
    """So many pods of so many cpu; one pod where no number is given."""
    return Ask(int(pods or 1), cpu)


def quota_of(said: str | None) -> str | None:
    """The quota's alias, from the quotes in which it was said; None for the one made last."""
    return NO_QUOTA if said == "no quota" else said and said.strip('"')


@given(SUBMITTED)
@when(SUBMITTED)
def submit(  # noqa: PLR0917 - one argument for each word of the step
    story: Story, job: str, priority: str, pods: str | None, cpu: str, quota: str | None
) -> None:
    story.jobs.outlast_equals(int(priority))
    story.act()
    ask = ask_of(pods, cpu)
    story.jobs.submit(job, priority=int(priority), ask=ask, quota=quota_of(quota))


@given(SUBMITTED_WITH)
@when(SUBMITTED_WITH)
def submit_with(story: Story, job: str, priority: str, docstring: str) -> None:
    """One pod of 1 cpu, unless the text says otherwise."""
    story.jobs.outlast_equals(int(priority))
    story.act()
    said = yaml.safe_load(docstring)
    story.jobs.submit(job, priority=int(priority), ask=Ask(1, "1"), said=said)


@given(parsers.re(rf"the waiting {WITH_PRIORITY} asks for {ASK}"))
def submit_and_wait(  # noqa: PLR0917 - one argument for each word of the step
    story: Story, job: str, priority: str, pods: str | None, cpu: str, quota: str | None
) -> None:
    submit(story, job, priority, pods, cpu, quota)
    story.jobs.await_waiting(job)


@given(
    parsers.re(
        rf"the admitted {WITH_PRIORITY} asks for {ASK}, "
        r"(?P<how>its pods not (?:bound|created)|its pods running|\d+ of its pods running)"
    )
)
def submit_and_admit(  # noqa: PLR0917 - one argument for each word of the step
    story: Story,
    job: str,
    priority: str,
    pods: str | None,
    cpu: str,
    quota: str | None,
    how: str,
) -> None:
    submit(story, job, priority, pods, cpu, quota)
    ask = story.jobs.asks[job]
    if how == "its pods not created":
        story.eventually(story.admitted(job), within="admit")
        return
    story.jobs.await_admission(job)
    if how == "its pods not bound":
        return
    number = ask.pods if how.startswith("its") else int(how.split(maxsplit=1)[0])
    story.jobs.run_pods(job, number)
    # That it is reported is a requirement of its own.
    story.give_time(units.reports_running(story.unit(job), number))


@given(SEVERAL)
def submit_several(story: Story, which: str, datatable: list[list[str]]) -> None:
    if which.startswith("admitted"):
        # How a burst is dealt with is a requirement of its own.
        _submit_each(story, datatable, then=story.jobs.await_admission)
    elif which.endswith("second"):
        story.jobs.await_waiting(*_submit_in_one_second(story, datatable))
    else:
        story.jobs.await_waiting(*_submit_each(story, datatable))


@given(ONE_AFTER_THE_OTHER)
@when(ONE_AFTER_THE_OTHER)
def submit_each(story: Story, datatable: list[list[str]]) -> None:
    _submit_each(story, datatable)


@given(AT_ONCE)
@when(AT_ONCE)
def submit_at_once(story: Story, number: str, cpu: str) -> None:
    story.act()
    for each in range(1, int(number) + 1):
        story.jobs.submit(f"job-{each}", priority=0, ask=Ask(1, cpu))


def _submit_each(
    story: Story, datatable: list[list[str]], *, then: Callable[[str], None] | None = None
) -> list[str]:
    """Jobs of one priority are created in different seconds, each when ``then`` is done."""
    story.act()
    wanted = list(_wanted(datatable))
    for job, priority, ask in wanted:
        story.jobs.outlast_equals(priority)
        story.jobs.submit(job, priority=priority, ask=ask)
        if then is not None:
            then(job)
    return [job for job, _, _ in wanted]


def _submit_in_one_second(story: Story, datatable: list[list[str]]) -> list[str]:
    story.act()
    wanted = {job: (priority, ask) for job, priority, ask in _wanted(datatable)}
    story.jobs.submit_in_one_second(wanted)
    return list(wanted)


def _wanted(datatable: list[list[str]]) -> Iterator[_Wanted]:
    """The rows of a table: job, priority ("none": no class), cpu, and maybe pods and memory."""
    heads, *rows = datatable
    for row in rows:
        cells = dict(zip(heads, row, strict=True))
        priority = None if cells["priority"] == "none" else int(cells["priority"])
        ask = Ask(int(cells.get("pods") or 1), cells["cpu"], cells.get("memory", ""))
        yield cells["job"], priority, ask


@given(UNSUSPENDED)
@when(UNSUSPENDED)
def submit_unsuspended(
    story: Story, job: str, pods: str | None, cpu: str, quota: str | None
) -> None:
    story.act()
    ask = ask_of(pods, cpu)
    story.jobs.submit(job, priority=0, ask=ask, suspend=False, quota=quota_of(quota))


@given(GONE_OR_BACK)
@when(GONE_OR_BACK)
def delete_or_create_again(story: Story, job: str, how: str) -> None:
    if how == "deleted":
        story.act()
        story.jobs.delete(job)
    else:
        story.jobs.recreate(job)


@given(SWITCHED)
@when(SWITCHED)
def switch(story: Story, job: str, how: str) -> None:
    story.jobs.switch(job, suspend=how == "suspended")


@given(NAMES_ANOTHER)
@when(NAMES_ANOTHER)
def name_quota(story: Story, job: str, quota: str) -> None:
    story.act()
    story.jobs.change(job, {"metadata": {"labels": {QUOTA_LABEL: story.quotas.name(quota)}}})


@given(PARALLELISM_SET)
@when(PARALLELISM_SET)
def set_parallelism(story: Story, job: str, number: str) -> None:
    story.act()
    story.jobs.change(job, {"spec": {"parallelism": int(number)}})


@given(COMPLETES)
@then(COMPLETES)
def completes(story: Story, job: str) -> None:
    story.eventually(story.admitted(job), within="admit")
    story.jobs.run_pods(job, story.jobs.asks[job].pods)
    story.jobs.finish_pods(job)


@then(parsers.re(rf"{JOB} has never counted a failed pod"))
def has_not_failed(story: Story, job: str) -> None:
    failed = jobs.counts_a_failed_pod(story.job(job))
    story.never(failed, window=story.now(), since=story.beginning)


@then(parsers.re(r'no QueueUnit "(?P<unit>[^"]+)" ever exists'))
def no_unit(story: Story, unit: str) -> None:
    story.never(exists(story.unit(unit)))


@then(parsers.re(r"exactly one QueueUnit \"(?P<unit>[^\"]+)\" exists in the Job's namespace"))
def one_unit(story: Story, unit: str) -> None:
    units = Selection(
        "QueueUnit", story.world.namespace, lambda _: True, "units in the Job's namespace"
    )
    alone = SetState(
        units,
        f'the only unit in the namespace is "{unit}"',
        lambda found: [each["metadata"]["name"] for each in found] == [unit],
        ("metadata.name",),
    )
    story.eventually(alone, within="create", since=story.acted)
    others = SetState(
        units,
        f'there is a unit other than "{unit}"',
        lambda found: any(not _is_ours(each, unit) for each in found),
        ("metadata.name",),
    )
    story.never(others)


def _is_ours(found: KubeObject, unit: str) -> bool:
    name = str(found["metadata"]["name"])
    return name == unit or name.startswith(FENCE)
