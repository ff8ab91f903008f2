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
_SETTINGS = "|".join(SETTINGS)


@given(
    parsers.re(
        rf'an? (?:(?P<policy>Intelligent) )?quota "(?P<quota>[^"]+)" of (?P<cpu>\d+) cpu '
        rf"with (?P<settings>{_SETTINGS})"
    )
)
def make_quota(story: Story, quota: str, cpu: str, settings: str, policy: str | None) -> None:
    story.make_quota(quota, cpu=cpu, settings=SETTINGS[settings], policy=policy or "Priority")


@given(parsers.re(r'the gate and preemption are turned on for "(?P<quota>[^"]+)"'))
def turn_both_on(story: Story, quota: str) -> None:
    story.set_quota(quota, {"metadata": {"annotations": {GATE: "true", PREEMPTION: "true"}}})
    story.settle()


@given(parsers.re(r'preemption is turned on for "(?P<quota>[^"]+)"'))
@when(parsers.re(r'preemption is turned on for "(?P<quota>[^"]+)"'))
def turn_preemption_on(story: Story, quota: str) -> None:
    story.set_quota(quota, {"metadata": {"annotations": {PREEMPTION: "true"}}})


@when(parsers.re(r'the quota "(?P<quota>[^"]+)" is raised to (?P<cpu>\d+) cpu'))
def raise_quota(story: Story, quota: str, cpu: str) -> None:
    story.set_quota(quota, {"spec": {"min": {"cpu": cpu}, "max": {"cpu": cpu}}})
