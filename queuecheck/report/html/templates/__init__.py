"""The pages' templates. Whatever they are given is escaped, unless a drawing of ours made it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from queuecheck.report.html.tones import STYLE, definitions
from queuecheck.report.text import printable

HERE = Path(__file__).parent
STRESSED = re.compile(r"\*([^*\s](?:[^*]*[^*\s])?)\*")


def render(name: str, **values: Any) -> str:
    """The text of a template with these values. Raises what is a fault of the template."""
    return _environment().get_template(name).render(**values)


def raw(name: str) -> Markup:
    """The text of a file beside the templates, as it is."""
    return Markup((HERE / name).read_text("utf-8"))  # noqa: S704 - our own file


def digest(script: str) -> str:
    """What a page's policy calls this script, and no other one."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_written,
    )
    # Our own text, which nobody outside has a part in.
    environment.globals["picture_style"] = Markup(STYLE)  # noqa: S704
    environment.filters["code"] = code
    environment.filters["address"] = address
    environment.filters["linked"] = linked
    environment.filters["reason"] = reason
    environment.globals["picture_parts"] = Markup(definitions())  # noqa: S704
    return environment


def address(url: str) -> str:
    """An address that a page may link to, or "": nothing but the web."""
    return url if url.startswith(("https://", "http://")) else ""


def code(value: str) -> Markup:
    """A text with what stands between backticks as code, between asterisks as stressed."""
    parts = printable(value).split("`")
    if len(parts) % 2 == 0:  # one without its other half
        return Markup("`").join(_stressed(part) for part in parts)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else _stressed(part)
        for number, part in enumerate(parts)
    )


def linked(value: str, places: Mapping[str, str]) -> Markup:
    """A text in which each name leads to its place."""
    parts = re.split(rf"\b({'|'.join(map(re.escape, places))})\b" if places else "$^", value)
    return Markup().join(
        Markup('<a class="whole" href="{}">{}</a>').format(places[part], part)
        if number % 2
        else Markup.escape(printable(part))
        for number, part in enumerate(parts)
    )


def reason(headline: str) -> str:
    """A headline without the verdict, where that is said beside it."""
    return headline.partition(": ")[2] or headline


def _stressed(value: str) -> Markup:
    return Markup().join(
        Markup("<em>{}</em>").format(part) if number % 2 else Markup.escape(part)
        for number, part in enumerate(STRESSED.split(value))
    )


def _written(value: Any) -> Any:
    """What no page can hold is replaced before it is escaped."""
    return printable(value) if type(value) is str else value
