"""Quotas and their settings."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.story import GATE, PREEMPTION, Story

SETTINGS = {
    "the gate and preemption on": {GATE: "true", PREEMPTION: "true"},
    "the gate and preemption off": {},
    "only the gate on": {GATE: "true"},
    "only preemption on": {PREEMPTION: "true"},
}
NAMED = {"the gate and preemption": (GATE, PREEMPTION), "preemption": (PREEMPTION,)}
_SETTINGS = "|".join(SETTINGS)
TURNED = parsers.re(
    rf"(?P<annotations>{'|'.join(NAMED)}) (?:is|are) turned (?P<switch>on|off) "
    r'for "(?P<quota>[^"]+)"'
)


@given(
    parsers.re(
        rf'an? (?:(?P<policy>Intelligent) )?quota "(?P<quota>[^"]+)" of (?P<cpu>\d+) cpu '
        rf"with (?P<settings>{_SETTINGS})"
    )
)
def make_quota(story: Story, quota: str, cpu: str, settings: str, policy: str | None) -> None:
    story.quotas.make(quota, cpu=cpu, settings=SETTINGS[settings], policy=policy or "Priority")


@given(TURNED)
@when(TURNED)
def turn(story: Story, quota: str, annotations: str, switch: str) -> None:
    value = "true" if switch == "on" else "false"
    story.quotas.change(
        quota, {"metadata": {"annotations": dict.fromkeys(NAMED[annotations], value)}}
    )
    story.settle()


@when(parsers.re(r'the quota "(?P<quota>[^"]+)" is raised to (?P<cpu>\d+) cpu'))
def raise_quota(story: Story, quota: str, cpu: str) -> None:
    story.quotas.change(quota, {"spec": {"min": {"cpu": cpu}, "max": {"cpu": cpu}}})
