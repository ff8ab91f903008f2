"""The configuration file: started with, tried, refused; and the controller uninstalled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from pytest_bdd import given, parsers, then, when

from queuecheck.implementation import Attempt
from queuecheck.kube import KubeObject
from queuecheck.timeline import Condition, Selection, SetState, any_of
from steps.story import Story
from steps.story.starting import starts

UNINSTALLED = "the controller is uninstalled"
# Kinds that nobody but the implementation writes once the scenario has made what it makes.
ITS_OWN = ("QueueUnit", "Queue", "ElasticQuota")


@dataclass(frozen=True)
class Tried:
    """An attempt to start, and what must not have become true by it."""

    attempt: Attempt
    changed: Condition


@given("the controller is started with the configuration:")
def start_with(story: Story, docstring: str) -> None:
    story.act()
    with starts("with this configuration"):
        story.world.implementation.reconfigure(yaml.safe_load(docstring))


@when(
    parsers.re(r'a start of the controller is tried with (?P<field>\w+) set to "(?P<value>[^"]+)"'),
    target_fixture="tried",
)
def try_to_start(story: Story, field: str, value: str) -> Tried:
    story.act()
    changed = _changes(story)
    implementation = story.world.implementation
    setting: Any = [{"name": value}] if field == "plugins" else value
    return Tried(implementation.attempt({**implementation.config, field: setting}), changed)


@then(
    parsers.re(
        r'the start fails with one line that names the file, "(?P<field>\w+)" and '
        r'"(?P<value>[^"]+)"'
    )
)
def fails(tried: Tried, field: str, value: str) -> None:
    attempt = tried.attempt
    assert attempt.exit_code is not None, (
        f"the controller started all the same with {attempt.file}, and had said:\n{attempt.output}"
    )
    assert attempt.exit_code != 0, f"it ended with exit code 0, and said:\n{attempt.output}"
    wanted = (str(attempt.file), field, value)
    assert any(all(word in line for word in wanted) for line in attempt.output.splitlines()), (
        f"no line of what it said has {', '.join(wanted)}:\n{attempt.output}"
    )


@then("nothing in the cluster has changed")
def nothing_has_changed(story: Story, tried: Tried) -> None:
    """Judged when the process has ended: what it would have written is there by then."""
    story.never(tried.changed, window=story.now())


@given(UNINSTALLED)
@when(UNINSTALLED)
def uninstall(story: Story) -> None:
    story.act()
    story.world.implementation.uninstall()


def _changes(story: Story) -> Condition:
    """What the implementation writes is not any more as it is now."""
    namespaces = {"Queue": story.world.queue_namespace}
    changes = [
        _changed(story, kind, namespaces.get(kind, story.world.namespace)) for kind in ITS_OWN
    ]
    return any_of(*changes, sentence="an object of the implementation's has changed")


def _changed(story: Story, kind: str, namespace: str) -> SetState:
    everything = Selection(kind, namespace, lambda _: True, f"every {kind} in {namespace}")
    before = _versions(story.world.timeline.selected(everything))
    return SetState(
        everything,
        f"a {kind} has changed",
        lambda found: _versions(found) != before,
        ("metadata.resourceVersion",),
    )


def _versions(found: tuple[KubeObject, ...]) -> dict[str, str]:
    return {each["metadata"]["uid"]: each["metadata"]["resourceVersion"] for each in found}
