"""Help in sections, and a group that imports a command when it is called, not when it is listed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

import click

from queuecheck.cli import streams
from queuecheck.suggestion import did_you_mean


@dataclass(frozen=True)
class Entry:
    """Where a command is, ``module:name``, what it does in a few words, where help lists it."""

    place: str
    summary: str
    section: str


class Refused(click.UsageError):
    """A usage error that says all there is to say: no ``--help`` tells more."""


class LazyGroup(click.Group):
    """A click group over ``entries``, in their order."""

    def __init__(self, *args: Any, entries: Mapping[str, Entry], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """See click."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """See click."""
        if cmd_name not in self._entries:
            return None
        module, _, name = self._entries[cmd_name].place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """See click, which has an exit code of 1 where nobody reads what is written."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            streams.give_up_reader()
            return streams.NO_READER

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """See click; an unknown command is told with the nearest known one."""
        if args[0] not in self._entries:
            hint = did_you_mean(args[0], self._entries) or f"; there is {', '.join(self._entries)}"
            raise click.UsageError(f"no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The summaries, without importing what they are about."""
        width = max(map(len, self._entries))
        for section in dict.fromkeys(entry.section for entry in self._entries.values()):
            rows = [
                (f"{name:<{width}}", entry.summary)
                for name, entry in self._entries.items()
                if entry.section == section
            ]
            with formatter.section(section):
                formatter.write_dl(rows)


class SectionedCommand(click.Command):
    """A command with many options: ``sections`` has, for each title, patterns of their names.

    An option that no pattern fits is in the last one.
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, tuple[str, ...]], **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See click."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for title in self._sections:
            records = [each.get_help_record(ctx) for each in self._listed(title, options)]
            with formatter.section(title):
                formatter.write_dl([record for record in records if record is not None])

    def _listed(self, title: str, options: list[click.Option]) -> Iterator[click.Option]:
        for option in options:
            name = max(option.opts, key=len).removeprefix("--")
            titles = (
                each
                for each, patterns in self._sections.items()
                if any(fnmatch(name, pattern) for pattern in patterns)
            )
            if next(titles, list(self._sections)[-1]) == title:
                yield option
