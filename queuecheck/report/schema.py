"""The JSON Schema of ``report.json``, made from the model: the two cannot differ.

``schema.json`` beside this module is what it makes (``python -m queuecheck.report.schema``), for
everybody else. ``problems`` holds a document against it.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import json
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from queuecheck.report.model import API_VERSION, KIND, NOT_RUN, UNDEFINED, Report
from queuecheck.report.plain import camel, named
from queuecheck.verdict import ExitCode, Outcome, Verdict

ID = "https://queuecheck.dev/schemas/report-v1.json"
OUTCOMES = [str(outcome) for outcome in Outcome]
DIGEST = {"pattern": "^sha256:[0-9a-f]{64}$"}
MOMENT = {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"}
COUNT = {"minimum": 0}
# What the types alone do not say, by dataclass and field.
NARROWER: Mapping[str, Mapping[str, Any]] = {
    "Report.digest": DIGEST,
    "CatalogueFacts.digest": DIGEST,
    "RunFacts.started": MOMENT,
    "RunFacts.ended": MOMENT,
    "Judgement.verdict": {"enum": [*map(str, Verdict), "selection passed", "selection failed"]},
    "Judgement.exit_code": {"enum": [int(code) for code in ExitCode]},
    "RequirementRow.level": {"enum": ["must", "should", "may"]},
    "RequirementRow.outcome": {"enum": [*OUTCOMES, NOT_RUN]},
    "RequirementRow.runs": COUNT,
    "RequirementRow.passed": COUNT,
    "ScenarioRun.outcome": {"enum": OUTCOMES},
    "ScenarioRun.requirements": {"minItems": 1},
    "ScenarioRun.repetition": {"minimum": 1},
    "StepRun.outcome": {"enum": ["passed", "failed", UNDEFINED, NOT_RUN]},
    "Claimed.claim": {"enum": ["eventually", "stays", "never", "in order"]},
    "Claimed.outcome": {"enum": ["passed", "failed", "harness-error"]},
    "Claimed.closed_by": {"enum": ["", "fence", "quiet"]},
    "Mark.role": {"enum": ["state", "missing", "fence", "culprit"]},
    "Moment.verb": {"enum": ["listed", "added", "modified", "deleted"]},
}
PLAIN = {str: "string", int: "integer", bool: "boolean"}
MOST_PROBLEMS = 5
LONGEST = 200


def schema() -> dict[str, Any]:
    """The whole schema."""
    definitions: dict[str, Any] = {}
    _define(Report, definitions)
    root = definitions.pop("Report")
    root["properties"] = {
        "apiVersion": {"const": API_VERSION},
        "kind": {"const": KIND},
        **root["properties"],
    }
    root["required"] = ["apiVersion", "kind", *root["required"], "digest"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "The report of a run of queuecheck",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def problems(document: object) -> Iterator[str]:
    """What does not fit, the first few of it, each in one line with its place."""
    # A quarter of a second to import, and wanted only where a report is verified.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    for error in itertools.islice(
        Draft202012Validator(schema()).iter_errors(document), MOST_PROBLEMS
    ):
        message = " ".join(error.message.split())
        if len(message) > LONGEST:  # what is wrong with it stands at the end
            message = f"{message[: LONGEST // 3]}…{message[-2 * LONGEST // 3 :]}"
        yield f"{named(error.path) or 'the report'}: {message}"


def _define(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """A reference to the definition of a dataclass, which is made if need be."""
    reference = {"$ref": f"#/$defs/{kind.__name__}"}
    if kind.__name__ in definitions:
        return reference
    entry: dict[str, Any] = {
        "type": "object",
        "description": " ".join((inspect.getdoc(kind) or "").split()),
        "required": [],
        "properties": {},
    }
    definitions[kind.__name__] = entry
    hints = get_type_hints(kind)
    for field in dataclasses.fields(kind):
        found = _of(hints[field.name], definitions)
        found |= NARROWER.get(f"{kind.__name__}.{field.name}", {})
        entry["properties"][camel(field.name)] = found
        if field.default is field.default_factory is dataclasses.MISSING:
            entry["required"].append(camel(field.name))
    return reference


def _of(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {Union, types.UnionType}:
        found = _of(inner[0], definitions)
        if "$ref" in found:
            return {"anyOf": [found, {"type": "null"}]}
        return {**found, "type": [found["type"], "null"]}
    if dataclasses.is_dataclass(kind):
        assert isinstance(kind, type)
        return _define(kind, definitions)
    if origin is tuple:
        return {"type": "array", "items": _of(inner[0], definitions)}
    if origin is not None:
        return {"type": "object", "additionalProperties": _of(inner[1], definitions)}
    return {"type": PLAIN[kind]}


if __name__ == "__main__":
    text = json.dumps(schema(), indent=2, ensure_ascii=False)
    Path(__file__).with_name("schema.json").write_text(f"{text}\n", encoding="utf-8")
