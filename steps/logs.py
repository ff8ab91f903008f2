"""The log: that it has a line which names what a decision is about, not how it is worded."""

from __future__ import annotations

import re

from pytest_bdd import parsers, then

from steps.story import Story


@then(
    parsers.re(
        r'the log eventually has a line with the Queue "(?P<quota>[^"]+)" and "(?P<unit>[^"]+)"'
        r'(?: or "(?P<other>[^"]+)")?'
    )
)
def names(story: Story, quota: str, unit: str, other: str | None) -> None:
    """A line that was written since the latest act."""
    queue = _whole(story.quotas.name(quota))
    references = [f"{story.world.namespace}/{each}" for each in (unit, other) if each]
    units = [_whole(reference) for reference in references]

    def lines() -> list[str]:
        texts = story.world.implementation.logs(since=story.log_mark).values()
        return [line for text in texts for line in text.splitlines()]

    def told(line: str) -> bool:
        return bool(queue.search(line)) and any(each.search(line) for each in units)

    story.world.claims.poll(
        lines,
        lambda found: any(map(told, found)),
        sentence=f"a line of the log names the queue {quota} and {' or '.join(references)}",
        within="reclaim",
        describe=lambda found: found[-1] if found else "no line since the latest act",
        hopeless=(story.world.implementation.alive,),
    )


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
