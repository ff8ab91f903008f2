"""A report as Cucumber Messages, so that what reads Cucumber's own results reads ours.

The protocol is that of https://github.com/cucumber/messages, version 34. Sources, documents and
pickles come from Cucumber's own parser; what a step came to comes from the report. What decided a
scenario outside its steps (it was skipped, its set-up broke, its clean-up failed) is told as a
hook. Each run of a scenario is a test case of its own: a repetition is no retry. Step definitions
are not told: they are no part of a report.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from gherkin.ast_builder import AstBuilder
from gherkin.parser import Parser
from gherkin.pickles.compiler import Compiler
from gherkin.stream.id_generator import IdGenerator

from queuecheck.report.model import Report, ScenarioRun, StepRun

PROTOCOL = "34.2.1"
MEDIA_TYPE = "text/x.cucumber.gherkin+plain"
STATUS = {"passed": "PASSED", "failed": "FAILED", "undefined": "UNDEFINED", "not-run": "SKIPPED"}
HARMLESS = frozenset({"PASSED", "SKIPPED"})
Envelope = dict[str, Any]
COMPACT: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}


def ndjson(report: Report, sources: Mapping[str, str]) -> str:
    """The messages, a line each; the arguments are those of ``messages``."""
    lines = (json.dumps(each, **COMPACT) for each in messages(report, sources))
    return "".join(f"{line}\n" for line in lines)


def messages(report: Report, sources: Mapping[str, str]) -> Iterator[Envelope]:
    """The envelopes, in an order in which each names only what came before it.

    ``sources`` are the feature files' texts by the name that the report gives them. A run whose
    scenario does not stand there any more is left out, and the last message says so.
    """
    return _Stream(report, sources).envelopes()


@dataclass
class _Stream:
    report: Report
    sources: Mapping[str, str]
    ids: IdGenerator = field(default_factory=IdGenerator)
    # Pickles by file, line of the scenario and row of the outline ("" where there is none).
    pickles: dict[tuple[str, int, str], Mapping[str, Any]] = field(default_factory=dict)
    successful: bool = True

    def envelopes(self) -> Iterator[Envelope]:
        yield {"meta": _meta(self.report.versions)}
        for file in dict.fromkeys(run.file for run in self.report.scenarios):
            if file in self.sources:
                yield from self._document(file, self.sources[file])
        hooks = {name: self.ids.get_next_id() for name in HOOKS}
        for name, hook in hooks.items():
            yield {
                "hook": {
                    "id": hook,
                    "name": HOOKS[name],
                    "sourceReference": {},
                    "type": f"{name.upper()}_TEST_CASE",
                }
            }
        run_id = self.ids.get_next_id()
        yield {"testRunStarted": {"id": run_id, "timestamp": _time(self.report.run.started)}}
        told = self.report.judgement.headline
        for run in self.report.scenarios:
            pickle = self.pickles.get((run.file, run.line, _row(run.example)))
            if pickle is None:
                self.successful = False
                told += f"; left out, as it is not in the features any more: {run.place}"
            else:
                yield from self._case(run, pickle, run_id, hooks)
        yield {
            "testRunFinished": {
                "success": self.successful,
                "message": told,
                "timestamp": _time(self.report.run.ended),
                "testRunStartedId": run_id,
            }
        }

    def _document(self, file: str, text: str) -> Iterator[Envelope]:
        parser: Any = Parser(ast_builder=AstBuilder(self.ids))
        document = {**parser.parse(text), "uri": file}
        yield {"source": {"uri": file, "data": text, "mediaType": MEDIA_TYPE}}
        yield {"gherkinDocument": _without_none(document)}
        lines, rows = _places(document["feature"]["children"])
        compiler: Any = Compiler(self.ids)
        for pickle in compiler.compile(document):
            scenario, *row = pickle["astNodeIds"]
            key = (file, lines[scenario], rows[row[0]] if row else "")
            self.pickles.setdefault(key, pickle)
            yield {"pickle": _without_none(pickle)}

    def _case(
        self, run: ScenarioRun, pickle: Mapping[str, Any], run_id: str, hooks: Mapping[str, str]
    ) -> Iterator[Envelope]:
        results = list(_results(run, pickle["steps"]))
        steps = [{"id": self.ids.get_next_id(), **_test_step(result, hooks)} for result in results]
        case, attempt = self.ids.get_next_id(), self.ids.get_next_id()
        yield {
            "testCase": {
                "id": case,
                "pickleId": pickle["id"],
                "testSteps": steps,
                "testRunStartedId": run_id,
            }
        }
        begun = {
            "attempt": 0,
            "id": attempt,
            "testCaseId": case,
            "timestamp": _time(run.started),
        }
        yield {"testCaseStarted": begun | ({"workerId": run.worker} if run.worker else {})}
        for step, result in zip(steps, results, strict=True):
            self.successful &= result.status in HARMLESS
            where = {"testCaseStartedId": attempt, "testStepId": step["id"]}
            yield {"testStepStarted": {**where, "timestamp": _time(run.started, result.began)}}
            outcome: Envelope = {"status": result.status, "duration": _duration(result.ms)}
            if result.message:
                outcome["message"] = result.message
            end = _time(run.started, result.began + result.ms)
            yield {"testStepFinished": {**where, "testStepResult": outcome, "timestamp": end}}
        yield {
            "testCaseFinished": {
                "testCaseStartedId": attempt,
                "timestamp": _time(run.started, run.ms),
                "willBeRetried": False,
            }
        }


def _test_step(result: _Result, hooks: Mapping[str, str]) -> Envelope:
    if result.hook:
        return {"hookId": hooks[result.hook]}
    return {
        "pickleStepId": result.pickle_step,
        "stepDefinitionIds": [],
        "stepMatchArgumentsLists": [],
    }


HOOKS = {"before": "the scenario's world", "after": "the scenario's clean-up"}
# Outcomes that a scenario has before its first step, or after its last.
BEFORE = frozenset({"not-supported", "skipped"})


@dataclass(frozen=True)
class _Result:
    status: str
    began: int
    ms: int
    message: str = ""
    pickle_step: str = ""
    hook: str = ""


def _results(run: ScenarioRun, steps: Sequence[Mapping[str, Any]]) -> Iterator[_Result]:
    """What became of each step; before or after them, what else decided the scenario."""
    played: list[StepRun | None] = [*run.steps, *[None] * len(steps)][: len(steps)]
    stopped = [step for step in played if step is not None and step.outcome != "passed"]
    told = "\n".join(part for part in (run.reason, run.failure) if part)
    at_a_step = any(step.outcome in {"failed", "undefined"} for step in stopped)
    whole = not stopped and None not in played
    if run.outcome != "passed" and not at_a_step and not whole:
        status = "SKIPPED" if run.outcome in BEFORE else "FAILED"
        yield _Result(status, 0, 0, told, hook="before")
    for step, planned in zip(played, steps, strict=True):
        status = STATUS["not-run" if step is None else step.outcome]
        yield _Result(
            status=status,
            began=0 if step is None else step.began,
            ms=0 if step is None else step.ms,
            message="" if status in HARMLESS else told,
            pickle_step=planned["id"],
        )
    if run.outcome != "passed" and whole:
        yield _Result("FAILED", run.ms, 0, told, hook="after")


def _places(children: Sequence[Mapping[str, Any]]) -> tuple[dict[str, int], dict[str, str]]:
    """By node: the lines of scenarios, and the cells of rows of Examples."""
    lines: dict[str, int] = {}
    rows: dict[str, str] = {}
    for child in children:
        if "rule" in child:
            more_lines, more_rows = _places(child["rule"]["children"])
            lines |= more_lines
            rows |= more_rows
        elif "scenario" in child:
            scenario = child["scenario"]
            lines[scenario["id"]] = scenario["location"]["line"]
            for table in scenario["examples"]:
                header = table.get("tableHeader") or {"cells": []}
                names = [cell["value"] for cell in header["cells"]]
                for row in table["tableBody"]:
                    cells = [cell["value"] for cell in row["cells"]]
                    rows[row["id"]] = _row(dict(zip(names, cells, strict=True)))
    return lines, rows


def _row(example: Mapping[str, str]) -> str:
    return json.dumps(dict(sorted(example.items()))) if example else ""


def _meta(versions: Mapping[str, str]) -> Envelope:
    def product(name: str, key: str) -> Envelope:
        version = versions.get(key, "")
        return {"name": name} | ({"version": version} if version else {})

    system, _, machine = versions.get("platform", "unknown unknown").partition(" ")
    return {
        "protocolVersion": PROTOCOL,
        "implementation": product("queuecheck", "queuecheck"),
        "runtime": product("Python", "python"),
        "os": {"name": system},
        "cpu": {"name": machine},
    }


def _time(moment: str, later_ms: int = 0) -> Envelope:
    """``moment`` is UTC as in RFC 3339; "" is the beginning of time."""
    whole = datetime.fromisoformat(moment or "1970-01-01T00:00:00+00:00")
    micros = int(whole.timestamp()) * 1_000_000 + whole.microsecond + later_ms * 1000
    return {"seconds": micros // 1_000_000, "nanos": micros % 1_000_000 * 1000}


def _duration(ms: int) -> Envelope:
    return {"seconds": ms // 1000, "nanos": ms % 1000 * 1_000_000}


def _without_none(value: Any) -> Any:
    """The parser writes None where the protocol has nothing."""
    if isinstance(value, Mapping):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value
