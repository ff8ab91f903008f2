"""Gherkin as HTML: each line a block, with its keyword, names and cells marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from markupsafe import Markup

from queuecheck.report.text import printable

Link = Callable[[str], str | None]
HEADING = re.compile(r"(\s*)(Feature|Rule|Background|Scenario Outline|Scenario|Examples):(.*)")
STEP = re.compile(r"(\s*)(Given|When|Then|And|But|\*)(\s.*)")
NAME = re.compile(r'("[^"]*"|<[^>]+>)')
FENCES = ('"""', "```")


def highlight(text: str, link: Link = lambda _: None) -> Markup:
    """The lines of a feature. ``link`` gives the address of what a tag names, or None."""
    return Markup("").join(_lines(printable(text), link))


def _lines(text: str, link: Link) -> Iterator[Markup]:
    fenced = False
    for line in text.splitlines():
        fence = line.strip().startswith(FENCES)
        yield _line("doc", _marked("string", line)) if fenced or fence else _plain(line, link)
        fenced ^= fence


def _plain(line: str, link: Link) -> Markup:
    bare = line.strip()
    if bare.startswith("#"):
        return _line("comment", Markup("{}").format(line))
    if bare.startswith("@"):
        return _line("tags", _tags(line, link))
    if bare.startswith("|"):
        pipe = _marked("pipe", "|")
        return _line("row", pipe.join(Markup("{}").format(cell) for cell in line.split("|")))
    if heading := HEADING.fullmatch(line):
        indent, keyword, name = heading.groups()
        told = Markup("{}{}{}").format(indent, _marked("keyword", f"{keyword}:"), name)
        return _line("heading", told)
    if step := STEP.fullmatch(line):
        indent, keyword, words = step.groups()
        named = Markup().join(
            _marked("string", part) if number % 2 else Markup("{}").format(part)
            for number, part in enumerate(NAME.split(words))
        )
        return _line("step", Markup("{}{}{}").format(indent, _marked("keyword", keyword), named))
    return _line("text", Markup("{}").format(line))


def _tags(line: str, link: Link) -> Markup:
    parts = []
    for part in re.split(r"(@\S+)", line):
        address = link(part.removeprefix("@")) if part.startswith("@") else None
        if address is None:
            parts.append(Markup("{}").format(part))
        else:
            parts.append(Markup('<a href="{}">{}</a>').format(address, part))
    return Markup().join(parts)


def _marked(name: str, text: str) -> Markup:
    return Markup('<span class="{}">{}</span>').format(name, text)


def _line(name: str, content: Markup) -> Markup:
    # An empty line has to be as high as any other.
    return Markup('<span class="{}">{}</span>').format(name, content or "\u200b")
