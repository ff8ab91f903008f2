"""Writing a report in all its views: they are there whole, all of one run, or as before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from queuecheck.profiles import load_profile
from queuecheck.report.document import dumps
from queuecheck.report.html.page import page
from queuecheck.report.junit import junit
from queuecheck.report.markdown import summary
from queuecheck.report.messages import ndjson
from queuecheck.report.model import Report

Sources = Mapping[str, str]


def _page(report: Report, _: Sources) -> str:
    return page(report, load_profile(report.catalogue.profile).looks)


# ``report.json`` comes last: where it is, the other views of the same run are.
VIEWS: Mapping[str, Callable[[Report, Sources], str]] = {
    "junit.xml": lambda report, _: junit(report),
    "summary.md": lambda report, _: summary(report),
    "report.html": _page,
    "messages.ndjson": ndjson,
    "report.json": lambda report, _: dumps(report),
}


def publish(report: Report, directory: Path, *, homes: Iterable[Path]) -> tuple[Path, ...]:
    """Writes every view into the directory, which is made. Raises OSError.

    ``homes`` are the directories to which the report's feature files are relative.
    """
    directory.mkdir(parents=True, exist_ok=True)
    sources = _sources(report, list(homes))
    contents = {name: view(report, sources).encode() for name, view in VIEWS.items()}
    return _write_whole(directory, contents)


def _sources(report: Report, homes: Sequence[Path]) -> dict[str, str]:
    """The texts of the feature files that are there, by the name that the report gives them."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(run.file for run in report.scenarios):
        for home in homes:
            if (home / name).is_file():
                found.setdefault(name, (home / name).read_text("utf-8"))
    return found


def _write_whole(directory: Path, contents: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Writes all beside the files, then puts each in its place: a full disk is met before that.

    Raises OSError.
    """
    with ExitStack() as stack:
        written: dict[Path, Path] = {}
        for name, content in contents.items():
            handle, temporary = tempfile.mkstemp(dir=directory, prefix=f".{name}.")
            stack.callback(_discard, Path(temporary))
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(0o644)
            written[directory / name] = Path(temporary)
        for file, beside in written.items():
            beside.replace(file)
    return tuple(written)


def _discard(temporary: Path) -> None:
    with suppress(OSError):  # it is in its place, for the most part
        temporary.unlink()
