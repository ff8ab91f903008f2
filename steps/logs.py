"""The log: that it has a line which names what a decision is about.

Its words are asserted only where they are upstream's, and a requirement of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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

    def told(line: str) -> bool:
        return bool(queue.search(line)) and any(each.search(line) for each in units)

    _await(story, f"a line of the log names the queue {quota} and {' or '.join(references)}", told)


@then(parsers.re(r'the log eventually has a line with the text "(?P<text>[^"]+)"'))
def says(story: Story, text: str) -> None:
    """A line that was written since the latest act."""
    _await(story, f"a line of the log has {text!r}", lambda line: text in line)


def _await(story: Story, sentence: str, test: Callable[[str], bool]) -> None:
    def lines() -> list[str]:
        texts = story.world.implementation.logs(since=story.log_mark).values()
        return [line for text in texts for line in text.splitlines()]

    story.world.claims.poll(
        lines,
        lambda found: any(map(test, found)),
        sentence=sentence,
        within="reclaim",
        describe=lambda found: found[-1] if found else "no line since the latest act",
        hopeless=(story.world.implementation.alive,),
    )


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
