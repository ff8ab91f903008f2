"""Settings of a run: what each is, and where its value comes from.

Pure: sources are mappings from names to values, and ``merged`` lays one over the other. A name is
that of the flag without its hyphens in front; a budget is ``budget.CLASS``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from queuecheck.budgets import DEFAULTS
from queuecheck.suggestion import did_you_mean

PREFIX = "QUEUECHECK_"
BUDGET = "budget"
DRAWN = "random"
# Variables of that prefix which are no settings of a run, or are made by Kubernetes for a Service.
OTHERS = ("_RELEASES_URL", "_SERVICE_", "_PORT")
CONFIG = "QUEUECHECK_CONFIG"
YES = frozenset({"1", "true", "yes", "on"})
NO = frozenset({"0", "false", "no", "off"})


class SettingError(ValueError):
    """A value that cannot be used; the message names where it was given."""


class Kind(Enum):
    """What a value has to be, in the words of an error."""

    TEXT = "a text"
    WORDS = "a list of texts"
    WHOLE = "a whole number"
    NUMBER = "a finite number"
    SWITCH = "true or false"
    INPUT = "the path of a file"
    OUTPUT = "the path of a directory"
    SEED = "a seed, or true to draw one"


@dataclass(frozen=True)
class Declared:
    """A setting that there is. ``everywhere``: it may stand in a file too."""

    name: str
    kind: Kind
    everywhere: bool = True

    @property
    def variable(self) -> str:
        """The environment's name for it."""
        return variable(self.name)


@dataclass(frozen=True)
class Setting:
    """A value, and where it comes from: a flag, a variable, a file, or ``default``."""

    value: object
    origin: str


def merged(*sources: Mapping[str, Setting]) -> dict[str, Setting]:
    """Every name of every source; the first source that has it decides."""
    found: dict[str, Setting] = {}
    for source in sources:
        for name, setting in source.items():
            found.setdefault(name, setting)
    return found


def variable(name: str) -> str:
    """``timeout-scale`` is ``QUEUECHECK_TIMEOUT_SCALE``."""
    return PREFIX + name.replace("-", "_").upper()


def budgets_of(words: Iterable[str], *, origin: str) -> dict[str, Setting]:
    """Of ``mark=30 admit=5``. Raises SettingError."""
    found = {}
    for word in words:
        name, equals, number = word.partition("=")
        try:
            seconds = float(number) if equals else None
        except ValueError:
            seconds = None
        if seconds is None:
            raise SettingError(f"{origin}: {word!r} is no CLASS=SECONDS, such as mark=30")
        found[f"{BUDGET}.{name}"] = Setting(_seconds(name, seconds, origin), origin)
    return found


def from_environment(
    environment: Mapping[str, str], declared: Iterable[Declared]
) -> dict[str, Setting]:
    """What variables say. An empty one says nothing. Raises SettingError."""
    known = {each.variable: each for each in declared}
    found: dict[str, Setting] = {}
    for name, text in environment.items():
        if not name.startswith(PREFIX) or name == CONFIG or not text.strip():
            continue
        if name == variable(BUDGET):
            found.update(budgets_of(text.split(), origin=name))
        elif name in known:
            found[known[name].name] = Setting(_read(text, known[name].kind, name), name)
        else:
            _refuse_near(name, [*known, variable(BUDGET), CONFIG])
    return found


def from_file(
    table: Mapping[str, object], declared: Iterable[Declared], *, file: Path
) -> dict[str, Setting]:
    """What a file says; its paths are seen from where it is. Raises SettingError."""
    known = {each.name: each for each in declared}
    writable = [each.name for each in known.values() if each.everywhere]
    found: dict[str, Setting] = {}
    for name, value in table.items():
        if name == BUDGET:
            found.update(_budget_table(value, file))
            continue
        if name not in known:
            hint = did_you_mean(name, [*writable, BUDGET])
            raise SettingError(f"{file}: unknown key {name!r}{hint}")
        if not known[name].everywhere:
            raise SettingError(
                f"{file}: {name} is said for one run, by --{name} or {variable(name)}, "
                "and never in a file"
            )
        where = f"{file}: {name}"
        checked = _checked(value, known[name].kind, where)
        found[name] = Setting(_placed(checked, known[name].kind, file, where), str(file))
    return found


def _budget_table(value: object, file: Path) -> dict[str, Setting]:
    if not isinstance(value, Mapping):
        raise SettingError(f"{file}: {BUDGET}: {_shown(value)} is not a table of seconds by class")
    where = f"{file}: {BUDGET}"
    return {
        f"{BUDGET}.{name}": Setting(_seconds(str(name), seconds, where), str(file))
        for name, seconds in value.items()
    }


def _seconds(name: str, value: object, where: str) -> float:
    if name not in DEFAULTS:
        hint = did_you_mean(name, DEFAULTS) or f"; there is {', '.join(DEFAULTS)}"
        raise SettingError(f"{where}: unknown budget {name!r}{hint}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SettingError(f"{where}.{name}: {_shown(value)} is not a number of seconds")
    if not math.isfinite(value) or value < 0:
        raise SettingError(f"{where}.{name}: {value:g} is not a time one can wait")
    return float(value)


def _read(text: str, kind: Kind, where: str) -> object:
    """The value that a variable's text means."""
    text = text.strip()
    wrong = SettingError(f"{where}: {_shown(text)} is not {kind.value}")
    if kind is Kind.WORDS:
        return tuple(text.replace(",", " ").split())
    if kind is Kind.SWITCH:
        if text.lower() not in YES | NO:
            raise wrong
        return text.lower() in YES
    if kind is Kind.SEED:
        return DRAWN if text.lower() in YES - {"1"} else text
    try:
        number = int(text) if kind is Kind.WHOLE else float(text) if kind is Kind.NUMBER else None
    except ValueError as error:
        raise wrong from error
    if number is not None:
        return _checked(number, kind, where)
    return Path(text) if kind in {Kind.INPUT, Kind.OUTPUT} else text


def _checked(value: object, kind: Kind, where: str) -> object:
    """The value of a file, if it is of the kind."""
    right: object = None
    match kind:
        case Kind.TEXT | Kind.INPUT | Kind.OUTPUT:
            right = value if isinstance(value, str) and value and "\0" not in value else None
        case Kind.WORDS:
            texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
            right = tuple(value) if isinstance(value, list) and texts else None
        case Kind.WHOLE:
            right = value if isinstance(value, int) and not isinstance(value, bool) else None
        case Kind.NUMBER:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            right = value if number and math.isfinite(value) else None  # type: ignore[arg-type]
        case Kind.SWITCH:
            right = value if isinstance(value, bool) else None
        case Kind.SEED:
            right = DRAWN if value is True else None
            if isinstance(value, int | str) and not isinstance(value, bool):
                right = str(value)
    if right is None:
        raise SettingError(f"{where}: {_shown(value)} is not {kind.value}")
    return right


def _placed(value: object, kind: Kind, file: Path, where: str) -> object:
    """Paths are seen from the file; what is written stays beside it."""
    if kind is Kind.INPUT:
        return file.parent / str(value)
    if kind is Kind.OUTPUT:
        place = (file.parent / str(value)).resolve()
        if not place.is_relative_to(file.parent.resolve()):
            raise SettingError(
                f"{where}: {value} leads out of the file's directory; "
                "a flag may name any place, a file only those beside it"
            )
        return file.parent / str(value)
    return value


def _refuse_near(name: str, known: Iterable[str]) -> None:
    """A misspelt variable; others of that prefix may be anybody's, as those of a Service."""
    if any(part in name for part in OTHERS):
        return
    suffixes = [each.removeprefix(PREFIX) for each in known]
    if hint := did_you_mean(name.removeprefix(PREFIX), suffixes):
        raise SettingError(f"{name}: unknown variable{hint.replace('mean ', 'mean ' + PREFIX)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
