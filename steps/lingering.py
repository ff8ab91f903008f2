"""What takes its time to go once it is deleted, and what comes when it is gone."""

from __future__ import annotations

from pytest_bdd import given, parsers, then

from steps.states import pods, standing
from steps.story import Story, lingering


@given(
    parsers.re(
        r'the (?P<what>pods of|unit) "(?P<name>[^"]+)" '
        r"(?:linger once they are|lingers once it is) deleted"
    )
)
def linger(story: Story, what: str, name: str) -> None:
    keep = lingering.keep_unit if what == "unit" else lingering.keep_pods
    keep(story, name)


@then(
    parsers.re(
        r'"(?P<unit>[^"]+)" is admitted once the pods of "(?P<job>[^"]+)" are gone, not before'
    )
)
def admitted_once_gone(story: Story, unit: str, job: str) -> None:
    lingering.let_pods_go(story, job)
    story.never_before(story.let_in(unit), pods.gone(story.job(job)))
    story.eventually(story.admitted(unit), within="admit")


@then(parsers.re(r'"(?P<unit>[^"]+)" is a new unit once the old one is gone'))
def is_another(story: Story, unit: str) -> None:
    lingering.let_unit_go(story, unit)
    stands_for = standing.stands_for(story.unit(unit), story.jobs.created[unit])
    story.eventually(stands_for, within="create", since=story.acted)
