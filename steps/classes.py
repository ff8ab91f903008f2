"""Classes of the cluster that pods refer to by name."""

from __future__ import annotations

from pytest_bdd import given, parsers

from queuecheck.kube.resource import RUNTIME_CLASSES
from steps.story import Story


@given(parsers.re(r'a RuntimeClass "(?P<name>[^"]+)" with an overhead of (?P<cpu>\d+) cpu'))
def make_runtime_class(story: Story, name: str, cpu: str) -> None:
    """Its real name is unique on the cluster; Jobs that name it get that one."""
    story.jobs.runtime_classes[name] = story.world.name(name)
    story.world.create(
        RUNTIME_CLASSES,
        {
            "apiVersion": RUNTIME_CLASSES.api_version,
            "kind": RUNTIME_CLASSES.kind,
            "metadata": {"name": story.world.name(name)},
            "handler": "sandbox",
            "overhead": {"podFixed": {"cpu": cpu}},
        },
    )
