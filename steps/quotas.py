"""Quotas and their settings."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.story import GATE, POLICY_LABEL, PREEMPTION, SETTINGS, SYNCED_PREFIX, Story

NAMED = {
    "the gate and preemption": (GATE, PREEMPTION),
    "the gate": (GATE,),
    "preemption": (PREEMPTION,),
}
QUOTA = r'"(?P<quota>[^"]+)"'
WITH = rf"with (?P<settings>{'|'.join(SETTINGS)})"
PLACE = r'(?: below (?:"(?P<parent>[^"]+)"|(?P<root>the root)))?'
ANY_KIND = rf"an? (?:(?P<policy>[A-Z]\w+) )?quota {QUOTA} of (?P<cpu>\d+) cpu"
MADE = parsers.re(rf"{ANY_KIND}{PLACE} {WITH}")
LIMITED = parsers.re(rf"a quota {QUOTA} {WITH} and these limits:")
ANNOTATED_FROM_THE_START = parsers.re(
    rf"a quota {QUOTA} of (?P<cpu>\d+) cpu with these annotations:"
)
WITHOUT_POLICY = parsers.re(rf"a quota {QUOTA} of (?P<cpu>\d+) cpu without a policy")
TURNED = parsers.re(
    rf"(?P<annotations>{'|'.join(NAMED)}) (?:is|are) turned (?P<switch>on|off) for {QUOTA}"
)
SIZED = parsers.re(rf"the quota {QUOTA} is (?:raised|lowered) to (?P<cpu>\d+) cpu")
DELETED = parsers.re(rf"the quota {QUOTA} is deleted")
CREATED_AGAIN = parsers.re(rf"the quota {QUOTA} is created again")
POLICY_CHANGED = parsers.re(rf"the policy of {QUOTA} is changed to (?P<policy>\w+)")
ANNOTATED = parsers.re(
    rf'the annotation "(?P<key>[^"]+)" of the quota {QUOTA} is '
    r'(?:set to "(?P<value>[^"]*)"|removed)'
)


def annotations_of(datatable: list[list[str]]) -> dict[str, str]:
    """The columns are annotation and value; values stand in quotes, so that none is empty."""
    _, *rows = datatable
    return {key: value.strip('"') for key, value in rows}


@when(MADE)
def make(  # noqa: PLR0917 - one argument for each word of the step
    story: Story,
    quota: str,
    cpu: str,
    settings: str,
    policy: str | None,
    parent: str | None,
    root: str | None,
) -> None:
    story.act()
    story.quotas.make(
        quota,
        limits={"cpu": cpu},
        settings=SETTINGS[settings],
        policy=policy or "Priority",
        parent="" if root else parent,
    )


@given(MADE)
def make_and_see(  # noqa: PLR0917 - one argument for each word of the step
    story: Story,
    quota: str,
    cpu: str,
    settings: str,
    policy: str | None,
    parent: str | None,
    root: str | None,
) -> None:
    make(story, quota, cpu, settings, policy, parent, root)
    story.quotas.await_queue(quota)


@given(LIMITED)
def make_with_limits(story: Story, quota: str, settings: str, datatable: list[list[str]]) -> None:
    """The columns are resource and max, and min where it is not the same."""
    heads, *rows = datatable
    limits = [dict(zip(heads, row, strict=True)) for row in rows]
    story.quotas.make(
        quota,
        limits={limit["resource"]: limit["max"] for limit in limits},
        guaranteed={limit["resource"]: limit.get("min", limit["max"]) for limit in limits},
        settings=SETTINGS[settings],
        policy="Priority",
    )
    story.quotas.await_queue(quota)


@when(ANNOTATED_FROM_THE_START)
def make_annotated(story: Story, quota: str, cpu: str, datatable: list[list[str]]) -> None:
    settings = annotations_of(datatable)
    story.act()
    story.quotas.make(quota, limits={"cpu": cpu}, settings=settings, policy="Priority")


@given(ANNOTATED_FROM_THE_START)
def make_annotated_and_see(story: Story, quota: str, cpu: str, datatable: list[list[str]]) -> None:
    make_annotated(story, quota, cpu, datatable)
    story.quotas.await_queue(quota)


@when(WITHOUT_POLICY)
def make_without_policy(story: Story, quota: str, cpu: str) -> None:
    story.act()
    story.quotas.make(quota, limits={"cpu": cpu}, settings={}, policy=None)


@given(TURNED)
@when(TURNED)
def turn(story: Story, quota: str, annotations: str, switch: str) -> None:
    value = "true" if switch == "on" else "false"
    story.quotas.change(
        quota, {"metadata": {"annotations": dict.fromkeys(NAMED[annotations], value)}}
    )
    story.settle(quota)


@given(SIZED)
@when(SIZED)
def resize(story: Story, quota: str, cpu: str) -> None:
    story.quotas.change(quota, {"spec": {"min": {"cpu": cpu}, "max": {"cpu": cpu}}})


@given(DELETED)
@when(DELETED)
def delete(story: Story, quota: str) -> None:
    story.quotas.delete(quota)


@given(CREATED_AGAIN)
@when(CREATED_AGAIN)
def create_again(story: Story, quota: str) -> None:
    story.quotas.create_again(quota)


@given(POLICY_CHANGED)
@when(POLICY_CHANGED)
def change_policy(story: Story, quota: str, policy: str) -> None:
    story.quotas.change(quota, {"metadata": {"labels": {POLICY_LABEL: policy}}})
    story.settle(quota)


@given(ANNOTATED)
def annotate_and_settle(story: Story, quota: str, key: str, value: str | None) -> None:
    """Where the annotation has to come to the Queue, it has, and is heeded."""
    if key.startswith(SYNCED_PREFIX):
        story.quotas.change(quota, {"metadata": {"annotations": {key: value}}})
        story.settle(quota)
    else:
        annotate(story, quota, key, value)


@when(ANNOTATED)
def annotate(story: Story, quota: str, key: str, value: str | None) -> None:
    story.quotas.patch(quota, {"metadata": {"annotations": {key: value}}})
