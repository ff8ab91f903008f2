"""A group of commands that imports a command when it is called, not when it is listed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from queuecheck.suggestion import did_you_mean


@dataclass(frozen=True)
class Entry:
    """Where a command is, ``module:name``, and what it does in a few words."""

    place: str
    summary: str


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
        rows = [(name, entry.summary) for name, entry in self._entries.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
