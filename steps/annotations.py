"""Annotations of Jobs, quotas and Queues, as their users set and remove them."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.states import queues
from steps.story import SYNCED_PREFIX, Story

ANNOTATED = parsers.re(
    r'the annotation "(?P<key>[^"]+)" of the (?P<kind>Job|quota|Queue) "(?P<name>[^"]+)" is '
    r'(?:set to "(?P<value>[^"]*)"|removed)'
)


@when(ANNOTATED)
def annotate(story: Story, kind: str, name: str, key: str, value: str | None) -> None:
    """Units that wait are tried again under what the Queue says now."""
    _annotate(story, kind, name, key, value)
    if not story.quotas.made(name):
        return
    if kind == "quota" and key.startswith(SYNCED_PREFIX):
        story.give_time(queues.carries(story.queue(name), {key: value}))
        story.have_looked_again(name)
    elif kind == "Queue":
        story.have_looked_again(name)


def _annotate(story: Story, kind: str, name: str, key: str, value: str | None) -> None:
    patch = {"metadata": {"annotations": {key: value}}}
    if kind == "Job":
        story.act()
        story.jobs.change(name, patch)
    elif kind == "quota":
        story.quotas.patch(name, patch)
    else:
        story.quotas.patch_queue(name, patch)


@given(ANNOTATED)
def annotate_and_settle(story: Story, kind: str, name: str, key: str, value: str | None) -> None:
    """Where an annotation of the quota has to come to the Queue, it has, and is heeded.

    Without a quota nobody is admitted by a Queue, and nothing can show that it has settled.
    """
    copied = kind == "quota" and key.startswith(SYNCED_PREFIX)
    if copied:
        story.quotas.change(name, {"metadata": {"annotations": {key: value}}})
    else:
        _annotate(story, kind, name, key, value)
    if copied or (kind == "Queue" and story.quotas.made(name)):
        story.settle(name)
