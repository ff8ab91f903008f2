"""Writing a report in all its views: each file is there whole, or as it was before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from queuecheck.report.document import dumps
from queuecheck.report.junit import junit
from queuecheck.report.markdown import summary
from queuecheck.report.model import Report

# ``report.json`` comes last: where it is, the other views of the same run are.
VIEWS: Mapping[str, Callable[[Report], str]] = {
    "junit.xml": junit,
    "summary.md": summary,
    "report.json": dumps,
}


def publish(report: Report, directory: Path) -> tuple[Path, ...]:
    """Writes every view into the directory, which is made. Raises OSError."""
    directory.mkdir(parents=True, exist_ok=True)
    return tuple(
        write_whole(directory / name, view(report).encode()) for name, view in VIEWS.items()
    )


def write_whole(file: Path, content: bytes) -> Path:
    """Writes beside the file and then puts it in its place. Raises OSError, and then leaves it."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return file
