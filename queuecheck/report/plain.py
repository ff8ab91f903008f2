"""Frozen dataclasses as plain data and back: camelCase keys, and nothing where a default stands.

Known are strings, whole numbers, booleans, None, tuples, mappings from strings and dataclasses of
these. What a later version has added is not read.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import reprlib
import types
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


LONGEST_SHOWN = 60


class NotPlain(Exception):
    """The data does not fit the dataclass; the message is one line with the place."""

    def __init__(self, reason: str, place: tuple[str | int, ...] = ()) -> None:
        """``place`` is the way to it, keys and numbers from 0."""
        super().__init__(reason)
        self.reason = reason
        self.place = place

    def __str__(self) -> str:
        return f"{named(self.place)}: {self.reason}" if self.place else self.reason


def named(place: Iterable[str | int]) -> str:
    """``scenarios[0].ms``."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return "".join(steps).lstrip(".")


def to_plain(value: object) -> Any:
    """Plain data, as ``json.dumps`` takes it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            key: to_plain(found)
            for name, key, default in _layout(type(value))
            if (found := getattr(value, name)) != default
        }
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    return value


def from_plain(kind: type[T], data: object) -> T:
    """The dataclass that plain data stands for; keys that it does not know are passed over.

    Raises NotPlain.
    """
    if not isinstance(data, Mapping):
        raise NotPlain(f"not a mapping: {_shown(data)}")
    anything: Any = kind  # mypy does not take type[T] for hashable
    hints, layout = _hints(anything), _layout(anything)
    missing = [
        key for _, key, default in layout if default is dataclasses.MISSING and key not in data
    ]
    if missing:
        raise NotPlain(f"missing key {missing[0]}")
    return kind(
        **{name: _at(key, hints[name], data[key]) for name, key, _ in layout if key in data}
    )


def camel(name: str) -> str:
    """``ended_early`` as ``endedEarly``."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def _at(step: str | int, kind: Any, data: Any) -> Any:
    """What lies one step further in."""
    try:
        return _read(kind, data)
    except NotPlain as error:
        raise NotPlain(error.reason, (step, *error.place)) from None


def _read(kind: Any, data: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {Union, types.UnionType}:
        return None if data is None else _read(inner[0], data)
    if dataclasses.is_dataclass(kind):
        assert isinstance(kind, type)
        return from_plain(kind, data)
    if origin is tuple:
        if not isinstance(data, list):
            raise NotPlain(f"not a list: {_shown(data)}")
        return tuple(_at(number, inner[0], item) for number, item in enumerate(data))
    if origin is not None:
        if not isinstance(data, Mapping):
            raise NotPlain(f"not a mapping: {_shown(data)}")
        return {str(key): _at(str(key), inner[1], item) for key, item in data.items()}
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise NotPlain(f"not of type {kind.__name__}: {_shown(data)}")
    return data


def _shown(data: object) -> str:
    """The beginning of it; of what may be huge not even the rest is looked at."""
    text = reprlib.repr(data)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


@functools.cache
def _layout(kind: Any) -> tuple[tuple[str, str, Any], ...]:
    """Name, key and default of each field; MISSING where there is none."""
    return tuple((field.name, camel(field.name), _default(field)) for field in _fields(kind))


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
