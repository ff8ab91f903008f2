"""The implementation's components, held back and let go."""

from __future__ import annotations

from pytest_bdd import given, when

from steps.story import Story


@given("the job extension is held")
def hold_extension(story: Story) -> None:
    implementation = story.world.implementation
    story.world.on_cleanup(
        lambda: implementation.release("extension"), sentence="let the job extension go"
    )
    implementation.hold("extension")


@when("the job extension is let go")
def release_extension(story: Story) -> None:
    story.act()
    story.world.implementation.release("extension")
