"""The implementation's components, held back and let go."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.story import Story

EXTENSION = parsers.re(r"the job extension is (?P<how>held|let go)")


@given(EXTENSION)
@when(EXTENSION)
def extension(story: Story, how: str) -> None:
    story.act()
    story.extension_held = how == "held"
    # Whatever is still held when the scenario ends is let go by the world.
    if story.extension_held:
        story.world.implementation.hold("extension")
    else:
        story.world.implementation.release("extension")
