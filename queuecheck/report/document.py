"""A report as a file: JSON of one line for each scenario and requirement, with a digest."""

from __future__ import annotations

import hashlib
import json
import re
import reprlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from queuecheck.report.model import API_VERSION, KIND, Report
from queuecheck.report.plain import NotPlain, from_plain, to_plain
from queuecheck.report.text import on_a_line
from queuecheck.verdict import Outcome

LARGEST = 200 * 1024 * 1024
LONGEST_WORD = 60
# What is a long list gets a line for each entry: a reader can search it, and compare two of them.
LISTS = frozenset({"requirements", "scenarios"})
# Characters beyond the first 65,536 are written as two halves, which JSON lets stand alone.
HALF = re.compile(r"\\u[dD][89a-fA-F]")


class ReportError(Exception):
    """A file is no report that can be read; the message is one line, whatever the file holds."""

    def __init__(self, message: str) -> None:
        super().__init__(on_a_line(message))


def to_document(report: Report) -> dict[str, Any]:
    """Plain data that says what it is."""
    return {"apiVersion": API_VERSION, "kind": KIND, **to_plain(report)}


def digest_of(document: Mapping[str, Any]) -> str:
    """SHA-256 of all but the digest itself, whatever the layout of the file: ``sha256:…``."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def dumps(report: Report) -> str:
    """The text of ``report.json``."""
    return "{\n" + ",\n".join(_entries(to_document(report))) + "\n}\n"


def failed_in(file: Path) -> frozenset[tuple[str, str]]:
    """File and name of what did not pass in the run of a report. Raises ReportError."""
    fine = {Outcome.PASSED, Outcome.NOT_SUPPORTED}
    runs = read_report(file).scenarios
    return frozenset((run.file, run.name) for run in runs if run.outcome not in fine)


def read_document(file: Path) -> dict[str, Any]:
    """The plain data of a report's file, unchecked but for what it says it is.

    Raises ReportError.
    """
    try:
        if file.is_dir():
            file /= "report.json"
        with file.open("rb") as opened:  # a device has no size, and no end
            content = opened.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ReportError(f"{file}: larger than {LARGEST // 1024**2} MB; no report is")
        text = content.decode("utf-8")
        if not text.strip():
            raise ReportError(f"{file}: empty; no report was written to it")
        document = json.loads(text)
        if HALF.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except OSError as error:
        raise ReportError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ReportError(f"{file}: not JSON: not even text in UTF-8") from error
    except UnicodeEncodeError as error:
        half = error.object[error.start].encode("unicode_escape").decode()
        raise ReportError(f"{file}: not text: it has half of a character, {half}") from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{file}: not JSON: {' '.join(str(error).split())}") from error
    if not isinstance(document, dict) or _says_of_itself(document) != (API_VERSION, KIND):
        raise ReportError(
            f"{file}: not a report of apiVersion {API_VERSION}, kind {KIND}: {_instead(document)}"
        )
    return document


def to_report(document: Mapping[str, Any], *, name: str) -> Report:
    """The report of a document. Raises ReportError, naming the file ``name``."""
    rest = {key: value for key, value in document.items() if key not in {"apiVersion", "kind"}}
    try:
        return from_plain(Report, rest)
    except NotPlain as error:
        raise ReportError(f"{name}: not a whole report: {error}") from error


def read_report(file: Path) -> Report:
    """The report in a file, or in ``report.json`` of a directory. Raises ReportError."""
    return to_report(read_document(file), name=str(file))


def _says_of_itself(document: Mapping[str, Any]) -> tuple[Any, Any]:
    return document.get("apiVersion"), document.get("kind")


def _instead(document: object) -> str:
    """What something else than a report of this version is, and what to do."""
    if not isinstance(document, dict):
        return "it is not even a mapping; name the report.json of a run"
    version, kind = (
        each if isinstance(each, str) and len(each) < LONGEST_WORD else reprlib.repr(each)
        for each in _says_of_itself(document)
    )
    if kind != KIND:
        said = f"it says apiVersion {version}, kind {kind}" if document else "it is empty"
        return f"{said}; name the report.json of a run"
    versions = document.get("versions")
    writer = versions.get("queuecheck") if isinstance(versions, dict) else None
    by = f"queuecheck {writer}" if isinstance(writer, str) and writer else "the queuecheck"
    return f"it says apiVersion {version}; read it with {by[:LONGEST_WORD]} that wrote it"


def _entries(document: Mapping[str, Any]) -> Iterator[str]:
    for key, value in document.items():
        if key in LISTS and value:
            items = ",\n".join(f" {_line(item)}" for item in value)
            yield f"{json.dumps(key)}: [\n{items}\n]"
        else:
            yield f"{json.dumps(key)}: {_line(value)}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
