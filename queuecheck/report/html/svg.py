"""Elements of SVG as text. What comes from outside is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from queuecheck.report.text import printable


def text(value: str) -> str:
    """A text as it may stand between tags or in a quoted attribute."""
    return escape(printable(value))


def number(value: float) -> str:
    """One decimal, which of a page's width is less than a pixel; none where it takes none."""
    return f"{value:.1f}".removesuffix(".0")


def percent(value: float) -> str:
    """``12.5%``."""
    return f"{number(value)}%"


def element(name: str, *content: str, **attributes: str | float) -> str:
    """One element. ``class_`` is ``class``, other underscores are hyphens; content is markup."""
    words = [name]
    for key, value in attributes.items():
        shown = text(value) if isinstance(value, str) else number(value)
        words.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    opening = " ".join(words)
    inner = "".join(content)
    return f"<{opening}>{inner}</{name}>" if inner else f"<{opening}/>"


def lines(elements: Iterable[str]) -> str:
    """One element a line, so that two pictures can be compared."""
    return "\n".join(elements)
