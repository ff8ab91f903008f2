"""Queues that somebody makes, changes or deletes by hand."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.story import SETTINGS, Story

QUEUE = r'"(?P<queue>[^"]+)"'
MADE = parsers.re(
    rf"a hand-made Queue {QUEUE}(?P<place> outside the queue namespace)? "
    rf"with the policy (?P<policy>\w+) and (?P<settings>{'|'.join(SETTINGS)})"
)
ANNOTATED = parsers.re(
    rf'the annotation "(?P<key>[^"]+)" of the Queue {QUEUE} is '
    r'(?:set to "(?P<value>[^"]*)"|removed)'
)
DELETED = parsers.re(rf"the Queue {QUEUE} is deleted by hand")


@given(MADE)
@when(MADE)
def make_queue(story: Story, queue: str, policy: str, settings: str, place: str | None) -> None:
    story.act()
    story.quotas.make_queue(
        queue,
        policy=policy,
        settings=SETTINGS[settings],
        namespace=story.world.namespace if place else None,
    )


@given(ANNOTATED)
def annotate_and_settle(story: Story, queue: str, key: str, value: str | None) -> None:
    annotate(story, queue, key, value)
    story.settle(queue)


@when(ANNOTATED)
def annotate(story: Story, queue: str, key: str, value: str | None) -> None:
    story.quotas.patch_queue(queue, {"metadata": {"annotations": {key: value}}})


@given(DELETED)
@when(DELETED)
def delete(story: Story, queue: str) -> None:
    story.quotas.delete_queue(queue)
