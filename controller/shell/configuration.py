"""The configuration file: a KoordQueueConfiguration, read strictly.

Whatever it does not know is an error that names file, field and value, since a misspelt key that
is silently ignored would leave protection off.
"""

import difflib
import re
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from controller.shell.errors import UsageError

API_VERSION = "scheduling.k8s.io/v1"
KIND = "KoordQueueConfiguration"
FIELDS = ("apiVersion", "kind", "defaultReclaimProtectTime", "plugins")
PLUGINS = ("Priority", "ElasticQuotaV2")
LARGEST = 1 << 20

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
_PART = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")


@dataclass(frozen=True)
class Configuration:
    """``protection`` is defaultReclaimProtectTime in seconds; 0 is off."""

    protection: float = 0.0


def read(path: Path) -> Configuration:
    """Reads and checks the file. Raises UsageError with one line."""
    document = _load(path)
    if document is None:
        raise _wrong(path, "", f"is empty; write apiVersion: {API_VERSION} and kind: {KIND}")
    if not isinstance(document, dict):
        raise _wrong(path, "", f"is {_shown(document)}, not a {KIND}")
    for key, value in document.items():
        if key not in FIELDS:
            raise _wrong(path, str(key), _unknown(str(key), value, FIELDS))
    _expect(path, document, "apiVersion", API_VERSION)
    _expect(path, document, "kind", KIND)
    protection = _protection(path, document.get("defaultReclaimProtectTime", "0"))
    _check_plugins(path, document.get("plugins"))
    return Configuration(protection)


def duration(text: str) -> float:
    """Seconds of a duration in Go's syntax (``1h30m``, ``1.5h``, ``300ms``, ``0``).

    Raises ValueError.
    """
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in {"+", "-"} else text
    if rest == "0":
        return 0.0
    if not re.fullmatch(f"(?:{_PART.pattern})+", rest):
        raise ValueError(f"{text!r} is no duration")
    return sign * sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(rest))


class _Strict(yaml.SafeLoader):
    """Refuses duplicate keys, and aliases: a short file could stand for a huge one."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not accepted", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue  # the base class has the words for it
            if key in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"{key}: given twice", problem_mark=key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def _load(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"configuration {path}: {error.strerror}") from error
    if len(raw) > LARGEST:
        raise UsageError(f"configuration {path}: larger than {LARGEST} bytes")
    try:
        return yaml.load(raw.decode("utf-8"), Loader=_Strict)  # noqa: S506 (a SafeLoader)
    except UnicodeDecodeError as error:
        raise UsageError(f"configuration {path}: not UTF-8: {error.reason}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = error.problem or "not YAML"
        if error.context and problem.startswith("but "):  # half a sentence
            problem = f"{error.context}, {problem}"
        raise UsageError(f"configuration {where}: {problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(f"configuration {path}: not YAML: {first}") from error


def _expect(path: Path, document: dict[str, Any], field: str, value: str) -> None:
    found = document.get(field)
    if found is None:
        raise _wrong(path, field, f"missing; write {field}: {value}")
    if found != value:
        raise _wrong(path, field, f"{_shown(found)} is not known; write {value}")


def _protection(path: Path, value: Any) -> float:
    field = "defaultReclaimProtectTime"
    text = "0" if value is None or (value == 0 and not isinstance(value, bool)) else value
    try:
        seconds = duration(text) if isinstance(text, str) else None
    except ValueError:
        seconds = None
    if seconds is None:
        raise _wrong(path, field, f"{_shown(value)} is no duration; write 5m, 90s or 1h30m")
    if not 0 <= seconds <= 1e9:
        raise _wrong(path, field, f"{_shown(value)} is out of range; write 0 or more, such as 5m")
    return seconds


def _check_plugins(path: Path, value: Any) -> None:
    """What they name is always there; a wrong name must not go unnoticed."""
    if value is None:
        return
    if not isinstance(value, list):
        raise _wrong(
            path, "plugins", f"is {_shown(value)}; write a list of names: - name: Priority"
        )
    seen: set[str] = set()
    for index, entry in enumerate(value):
        field = f"plugins[{index}]"
        if not isinstance(entry, dict):
            raise _wrong(path, field, f"is {_shown(entry)}; write name: Priority")
        for key, other in entry.items():
            if key != "name":
                raise _wrong(path, f"{field}.{key}", _unknown(str(key), other, ("name",)))
        name = entry.get("name")
        if name not in PLUGINS:
            raise _wrong(
                path, f"{field}.name", f"unknown plugin {_shown(name)}{_guess(str(name), PLUGINS)}"
            )
        if name in seen:
            raise _wrong(path, f"{field}.name", f"{name} is named twice; leave one out")
        seen.add(name)


def _wrong(path: Path, field: str, problem: str) -> UsageError:
    return UsageError(f"configuration {path}: {field + ': ' if field else ''}{problem}")


def _unknown(field: str, value: Any, known: tuple[str, ...]) -> str:
    return f"unknown field, set to {_shown(value)}{_guess(field, known)}"


def _shown(value: Any) -> str:
    kinds: dict[type, Literal["a mapping", "a list"]] = {dict: "a mapping", list: "a list"}
    if value is None:
        return "nothing"
    text = kinds.get(type(value)) or (f'"{value}"' if isinstance(value, str) else str(value))
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"


def _guess(word: str, known: tuple[str, ...]) -> str:
    folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    hint = f"did you mean {folded[near[0]]}?" if near else f"known: {', '.join(known)}"
    return f"; {hint}"
