"""Where the settings of a run are found: flags, then variables, then a file, then defaults."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from queuecheck.budgets import DEFAULTS
from queuecheck.cli.settings import (
    BUDGET,
    CONFIG,
    Declared,
    Kind,
    Setting,
    SettingError,
    budgets_of,
    from_environment,
    from_file,
    merged,
    variable,
)
from queuecheck.reading import Unreadable, read_written

FILE = "queuecheck.toml"
# Where a run puts its report, and others look for it, when nobody says.
REPORTS = Path("reports")
# These say what one run is to do, or that somebody has agreed: no file says it for all runs.
FOR_ONE_RUN = frozenset({"yes", "must-fail", "rerun-failed", "kind-reuse"})
NO_SETTINGS = frozenset({"config", "show-config", "help", BUDGET})
WRITTEN = frozenset({"report", "evidence"})


def settle(context: click.Context, *, of: click.Command | None = None) -> dict[str, Setting]:
    """Each setting of the command that is run. Raises a usage error.

    ``of`` is another command, whose settings bear on this one too, as far as somebody has given
    them.
    """
    params = (of or context.command).params
    options = {_name(each): each for each in params if isinstance(each, click.Option)}
    declared = [_declared(name, each) for name, each in options.items() if name not in NO_SETTINGS]
    try:
        flags, defaults = _given(context, options)
        environment = _converted(from_environment(os.environ, declared), options, context)
        file = _converted(_file(context.params.get("config"), declared), options, context)
        found = merged(flags, environment, file, defaults)
    except SettingError as error:
        raise click.UsageError(str(error)) from error
    order = [*options, *(f"{BUDGET}.{name}" for name in DEFAULTS)]
    return {name: found[name] for name in order if name in found}


def report_of(context: click.Context) -> tuple[Path, bool]:
    """The report that a command's ``--report`` names, else that of a run; and whether it does."""
    from queuecheck.cli.run import run  # noqa: PLC0415 - which has the settings from here

    found = settle(context, of=run)["report"]
    place = found.value if isinstance(found.value, Path) else REPORTS
    return place, found.origin == "--report"


def shown(settings: Mapping[str, Setting]) -> list[str]:
    """A line for each: its name, its value, where that comes from."""
    rows = [(name, _text(each.value), each.origin) for name, each in settings.items()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"{name:<{widths[0]}}  {value:<{widths[1]}}  {origin}" for name, value, origin in rows]


def _given(
    context: click.Context, options: Mapping[str, click.Option]
) -> tuple[dict[str, Setting], dict[str, Setting]]:
    """What the command line says, and what there is without it."""
    flags: dict[str, Setting] = {}
    defaults: dict[str, Setting] = {}
    for name, option in options.items():
        assert option.name is not None
        if option.name not in context.params:
            continue
        value = context.params[option.name]
        if name == BUDGET:
            flags.update(budgets_of(value, origin=f"--{name}"))
        elif name not in NO_SETTINGS:
            said = context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
            if said:
                flags[name] = Setting(value, f"--{name}")
            else:
                defaults[name] = Setting(value, "default")
    budgets = {f"{BUDGET}.{name}": Setting(value, "default") for name, value in DEFAULTS.items()}
    return flags, {**defaults, **budgets}


def _file(named: Path | None, declared: list[Declared]) -> dict[str, Setting]:
    """The file that is named, or the one in the working directory if there is one."""
    file = named or (Path(text) if (text := os.environ.get(CONFIG)) else Path(FILE))
    if named is None and not text and not file.exists():
        return {}
    try:
        table = tomllib.loads(read_written(file))
    except Unreadable as error:
        raise SettingError(str(error)) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"{file}: not usable TOML: {error}") from error
    except RecursionError as error:
        raise SettingError(f"{file}: not usable TOML: it is nested too deeply") from error
    return from_file(table, declared, file=file)


def _converted(
    found: Mapping[str, Setting], options: Mapping[str, click.Option], context: click.Context
) -> dict[str, Setting]:
    """The values as the command's own types have them: choices and ranges are theirs."""
    converted = {}
    for name, setting in found.items():
        value = setting.value
        of = setting.origin if setting.origin == variable(name) else f"{setting.origin}: {name}"
        if name in options and not isinstance(value, tuple):
            try:
                value = options[name].type.convert(value, options[name], context)
            except click.BadParameter as error:
                raise SettingError(f"{of}: {error.message.rstrip('.')}") from error
            if _kind(name, options[name]) is Kind.INPUT and not Path(str(value)).exists():
                raise SettingError(f"{of}: there is no {value}")
        converted[name] = Setting(value, setting.origin)
    return converted


def _declared(name: str, option: click.Option) -> Declared:
    return Declared(name, _kind(name, option), everywhere=name not in FOR_ONE_RUN)


def _kind(name: str, option: click.Option) -> Kind:
    if option.multiple:
        return Kind.WORDS
    if option.is_flag:
        return Kind.SWITCH
    if name == "random-order":
        return Kind.SEED
    kinds: list[tuple[type[Any], Kind]] = [
        (click.types.FloatParamType, Kind.NUMBER),
        (click.types.IntParamType, Kind.WHOLE),
        (click.Path, Kind.OUTPUT if name in WRITTEN else Kind.INPUT),
    ]
    return next((kind for type_, kind in kinds if isinstance(option.type, type_)), Kind.TEXT)


def _name(option: click.Option) -> str:
    return max(option.opts, key=len).removeprefix("--")


def _text(value: object) -> str:
    if value is None or value == ():
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
