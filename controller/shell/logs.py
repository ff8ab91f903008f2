"""Lines of the log: text or JSON on standard error, with klog-like verbosity.

A line at verbosity n appears when ``--v`` is at least n; warnings and errors always do. Structured
fields follow the message as ``key=value`` (text) or are members of the object (JSON).
"""

import json
import logging
import sys
import time
from collections.abc import Mapping
from typing import Literal, TextIO

Format = Literal["text", "json"]
FIELDS = "queuecheck_fields"


class Journal:
    """The log as one component writes it."""

    def __init__(self, component: str) -> None:
        self.component = component
        self._logger = logging.getLogger(f"controller.{component}")

    def say(self, level: int, message: str, fields: Mapping[str, str] | None = None) -> None:
        """A line at verbosity ``level``."""
        self._logger.log(logging.INFO - level, message, extra={FIELDS: fields or {}})

    def warn(self, message: str, fields: Mapping[str, str] | None = None) -> None:
        """Something that is worth a look although the controller goes on."""
        self._logger.warning(message, extra={FIELDS: fields or {}})

    def fail(self, message: str, fields: Mapping[str, str] | None = None) -> None:
        """Something that the controller could not do."""
        self._logger.error(message, extra={FIELDS: fields or {}})

    def shows(self, level: int) -> bool:
        """Whether lines at that verbosity appear."""
        return self._logger.isEnabledFor(logging.INFO - level)


def configure(*, verbosity: int, layout: Format, stream: TextIO | None = None) -> None:
    """Sends the log to ``stream`` (standard error), replacing what was configured before."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Json() if layout == "json" else _Text())
    root = logging.getLogger("controller")
    root.handlers[:] = [handler]
    root.propagate = False
    root.setLevel(logging.INFO - verbosity)


def _time(record: logging.LogRecord) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{seconds}.{int(record.created % 1 * 1_000_000):06d}Z"


def _severity(record: logging.LogRecord) -> str:
    return record.levelname.lower() if record.levelno > logging.INFO else "info"


def _fields(record: logging.LogRecord) -> Mapping[str, str]:
    fields: Mapping[str, str] = getattr(record, FIELDS, {})
    return fields


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        component = record.name.rsplit(".", 1)[-1]
        head = f"{_time(record)} {_severity(record):7} {component:9} {record.getMessage()}"
        return " ".join([head, *(f"{key}={_quoted(v)}" for key, v in _fields(record).items())])


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(
            {
                **_fields(record),
                "time": _time(record),
                "level": _severity(record),
                "v": max(logging.INFO - record.levelno, 0),
                "component": record.name.rsplit(".", 1)[-1],
                "message": record.getMessage(),
            }
        )


def _quoted(value: str) -> str:
    plain = value and not any(letter.isspace() or letter in '"=' for letter in value)
    return value if plain else json.dumps(value, ensure_ascii=False)
