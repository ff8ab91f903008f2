"""Quotas and their settings."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.states import queues
from steps.story import GATE, POLICY_LABEL, PREEMPTION, SETTINGS, Story

NAMED = {
    "the gate and preemption": (GATE, PREEMPTION),
    "the gate": (GATE,),
    "preemption": (PREEMPTION,),
}
QUOTA = r'"(?P<quota>[^"]+)"'
WITH = rf"with (?P<settings>{'|'.join(SETTINGS)})"
WITH_OR_WITHOUT = rf"(?:{WITH}|without a policy label)"
PLACE = r'(?: below (?:"(?P<parent>[^"]+)"|(?P<root>the root)))?'
ANY_KIND = rf"an? (?:(?P<policy>[A-Z]\w+) )?quota {QUOTA} of (?P<cpu>\d+) cpu"
MADE = parsers.re(rf"{ANY_KIND}{PLACE} {WITH}")
CREATED = parsers.re(rf"{ANY_KIND}{PLACE} {WITH_OR_WITHOUT} is created")
LIMITED = parsers.re(rf"a quota {QUOTA} {WITH} and these limits:")
ANNOTATED = rf"a quota {QUOTA} of (?P<cpu>\d+) cpu"
TURNED = parsers.re(
    rf"(?P<annotations>{'|'.join(NAMED)}) (?:is|are) turned (?P<switch>on|off) for {QUOTA}"
)
SIZED = parsers.re(
    rf"the quota {QUOTA} is (?:raised|lowered) to (?P<cpu>\d+) cpu"
    r"(?P<alone> with nothing else happening)?"
)
GONE_OR_BACK = parsers.re(rf"the quota {QUOTA} is (?P<how>deleted|created again)")
POLICY_CHANGED = parsers.re(rf"the policy of {QUOTA} is changed to (?P<policy>\w+)")


def annotations_of(datatable: list[list[str]]) -> dict[str, str]:
    """The columns are annotation and value; values stand in quotes, so that none is empty."""
    _, *rows = datatable
    return {key: value.strip('"') for key, value in rows}


@when(CREATED)
def make(  # noqa: PLR0917 - one argument for each word of the step
    story: Story,
    quota: str,
    cpu: str,
    settings: str | None,
    policy: str | None,
    parent: str | None,
    root: str | None,
) -> None:
    """Of the policy Priority, unless another one is named, or none at all."""
    story.act()
    story.quotas.make(
        quota,
        limits={"cpu": cpu},
        settings=SETTINGS[settings] if settings else {},
        policy=(policy or "Priority") if settings else None,
        parent="" if root else parent,
    )


@given(MADE)
def make_and_see(  # noqa: PLR0917 - one argument for each word of the step
    story: Story,
    quota: str,
    cpu: str,
    settings: str | None,
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


@when(parsers.re(rf"{ANNOTATED} is created with these annotations:"))
def make_annotated(story: Story, quota: str, cpu: str, datatable: list[list[str]]) -> None:
    settings = annotations_of(datatable)
    story.act()
    story.quotas.make(quota, limits={"cpu": cpu}, settings=settings, policy="Priority")


@given(parsers.re(rf"{ANNOTATED} with these annotations:"))
def make_annotated_and_see(story: Story, quota: str, cpu: str, datatable: list[list[str]]) -> None:
    """They have come to the Queue, and nobody has put them there by hand."""
    make_annotated(story, quota, cpu, datatable)
    carried = queues.carries(story.queue(quota), annotations_of(datatable))
    story.eventually(carried, within="create")


@given(TURNED)
@when(TURNED)
def turn(story: Story, quota: str, annotations: str, switch: str) -> None:
    value = "true" if switch == "on" else "false"
    story.quotas.change(
        quota, {"metadata": {"annotations": dict.fromkeys(NAMED[annotations], value)}}
    )
    story.settle(quota)


@given(SIZED)
def resize_and_settle(story: Story, quota: str, cpu: str) -> None:
    """Whoever waits has been tried under the new limit."""
    _resize(story, quota, cpu)
    story.settle(quota)


@when(SIZED)
def resize(story: Story, quota: str, cpu: str, alone: str | None) -> None:
    """That a limit alone makes an implementation look again is a requirement of its own."""
    _resize(story, quota, cpu)
    if not alone:
        story.have_looked_again(quota)


def _resize(story: Story, quota: str, cpu: str) -> None:
    story.quotas.change(quota, {"spec": {"min": {"cpu": cpu}, "max": {"cpu": cpu}}})


@given(GONE_OR_BACK)
@when(GONE_OR_BACK)
def delete_or_create_again(story: Story, quota: str, how: str) -> None:
    if how == "deleted":
        story.quotas.delete(quota)
    else:
        story.quotas.create_again(quota)


@given(POLICY_CHANGED)
@when(POLICY_CHANGED)
def change_policy(story: Story, quota: str, policy: str) -> None:
    story.quotas.change(quota, {"metadata": {"labels": {POLICY_LABEL: policy}}})
    story.settle(quota)
