"""Queues: made, changed or deleted by hand, and what they tell."""

from __future__ import annotations

from pytest_bdd import given, parsers, then, when

from steps.quotas import annotations_of
from steps.states import queues
from steps.story import SETTINGS, Story

QUEUE = r'"(?P<queue>[^"]+)"'
MADE = parsers.re(
    rf"a hand-made Queue {QUEUE}(?P<place> outside the component's namespace)? "
    rf"with the policy (?P<policy>\w+) and (?P<settings>{'|'.join(SETTINGS)})"
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


@given(DELETED)
@when(DELETED)
def delete(story: Story, queue: str) -> None:
    story.quotas.delete_queue(queue)


@then(parsers.re(rf"the Queue {QUEUE} eventually carries these annotations:"))
def carries(story: Story, queue: str, datatable: list[list[str]]) -> None:
    state = queues.carries(story.queue(queue), annotations_of(datatable))
    story.eventually(state, within="create", since=story.acted)


@then(parsers.re(rf"the Queue {QUEUE} eventually lists these waiting units:"))
def lists(story: Story, queue: str, datatable: list[list[str]]) -> None:
    """The columns are position, unit and priority."""
    _, *rows = datatable
    items = [
        {
            "name": unit,
            "namespace": story.world.namespace,
            "priority": int(priority),
            "position": int(position),
        }
        for position, unit, priority in rows
    ]
    state = queues.listing(story.queue(queue), items)
    # An implementation need not write the list at each change.
    story.eventually(state, within="reclaim", since=story.acted)
