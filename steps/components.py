"""The implementation's components: held back, let go, ended, started again."""

from __future__ import annotations

from contextlib import nullcontext

from pytest_bdd import given, parsers, when

from steps.story import Story
from steps.story.starting import starts

WHO = r"the (?P<who>controller|(?:first )?queue component|job extension)"
VERB = parsers.re(rf"{WHO} is (?P<verb>held|let go|stopped|started|restarted|killed)")
PROTECTION = parsers.re(r"the protection time is set to (?P<duration>\d+ (?:s|m))")
PROTECT_TIME = "defaultReclaimProtectTime"
NO_PROTECTION = "the configuration names no protection time"
COMPONENTS = {"controller": None, "queue component": "queue", "job extension": "extension"}
# After these a component does nothing until it is let go or started.
SILENCING = frozenset({"held", "stopped", "killed"})
STARTING = frozenset({"started", "restarted", "let go"})


@given(VERB)
@when(VERB)
def act_on(story: Story, who: str, verb: str) -> None:
    story.act()
    component = COMPONENTS[who.removeprefix("first ")]
    if component != "queue":
        story.extension_held = verb in SILENCING
    implementation = story.world.implementation
    # Whatever is still held or stopped when the scenario ends, the world lets go or starts.
    verbs = {
        "held": implementation.hold,
        "let go": implementation.release,
        "stopped": implementation.stop,
        "started": implementation.start,
        "restarted": implementation.restart,
        "killed": implementation.kill,
    }
    with starts("again") if verb in STARTING else nullcontext():
        verbs[verb](component)


@given(PROTECTION)
@when(PROTECTION)
def protect(story: Story, duration: str) -> None:
    """The implementation is started again: protection is a setting of its configuration."""
    story.act()
    implementation = story.world.implementation
    time = duration.replace(" ", "")
    with starts(f"with a protection time of {duration}"):
        implementation.reconfigure({**implementation.config, PROTECT_TIME: time})


@given(NO_PROTECTION)
def leave_protection_out(story: Story) -> None:
    """The implementation is started again, and left to its default."""
    story.act()
    implementation = story.world.implementation
    kept = {key: value for key, value in implementation.config.items() if key != PROTECT_TIME}
    with starts("without a protection time"):
        implementation.reconfigure(kept)
