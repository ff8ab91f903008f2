"""Namespaces of a scenario: deleted with all that is in them."""

from __future__ import annotations

from pytest_bdd import given, parsers, then, when

from queuecheck.kube import KubeObject
from queuecheck.kube.resource import NAMESPACES
from steps.story import Story

DELETED = parsers.re(r'the namespace of "(?P<job>[^"]+)" is deleted')


@given(DELETED)
@when(DELETED)
def delete(story: Story, job: str) -> None:
    story.act()
    # Its pods are deleted before the Job is, which fails for want of them.
    story.jobs.failing.add(job)
    story.world.api.delete(NAMESPACES, story.jobs.namespace(job))


@then(parsers.re(r'the namespace of "(?P<job>[^"]+)" is eventually gone, with all that was in it'))
def is_gone(story: Story, job: str) -> None:
    """Read again and again: the recorder watches what is in a namespace, not namespaces."""
    name = story.jobs.namespace(job)

    def left() -> list[KubeObject]:
        found = story.world.api.list(NAMESPACES, field_selector=f"metadata.name={name}")
        return list(found.items)

    story.world.claims.poll(
        left,
        lambda found: not found,
        sentence=f"the namespace {name} is gone",
        within="absent",
        describe=lambda found: str(found[0].get("status")),
    )
