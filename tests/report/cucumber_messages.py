"""The published schema of Cucumber Messages, and that a stream of them is valid and whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA = Path(__file__).parent / "cucumber" / "messages.schema.json"
Envelope = Mapping[str, Any]


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))


def parsed(text: str) -> list[Envelope]:
    """The envelopes of a file, each valid, and each naming only what came before it."""
    envelopes = [json.loads(line) for line in text.splitlines()]
    known: set[str] = set()
    for envelope in envelopes:
        validator().validate(envelope)
        ((kind, message),) = envelope.items()
        named = set(references(message)) - set(definitions(message))
        assert named <= known, f"{kind} names {sorted(named - known)} too early"
        known |= set(definitions(message))
    return envelopes


def definitions(value: Any) -> Iterator[str]:
    """The IDs that a message gives."""
    if isinstance(value, Mapping):
        if isinstance(value.get("id"), str):
            yield value["id"]
        for item in value.values():
            yield from definitions(item)
    elif isinstance(value, list):
        for item in value:
            yield from definitions(item)


def references(value: Any) -> Iterator[str]:
    """The IDs that a message names: ``pickleId``, ``astNodeIds`` and so on."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key.endswith("Id") and key != "workerId":
                yield item
            elif key.endswith("Ids"):
                yield from item
            else:
                yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def only(envelopes: Sequence[Envelope], kind: str) -> list[Any]:
    """The messages of a kind."""
    return [envelope[kind] for envelope in envelopes if kind in envelope]


def statuses(envelopes: Sequence[Envelope]) -> dict[str, list[str]]:
    """What became of each test case's steps, hooks included, by the pickle's name and in order."""
    names = {pickle["id"]: pickle["name"] for pickle in only(envelopes, "pickle")}
    cases = {case["id"]: names[case["pickleId"]] for case in only(envelopes, "testCase")}
    runs = {run["id"]: cases[run["testCaseId"]] for run in only(envelopes, "testCaseStarted")}
    found: dict[str, list[str]] = {name: [] for name in runs.values()}
    for step in only(envelopes, "testStepFinished"):
        found[runs[step["testCaseStartedId"]]].append(step["testStepResult"]["status"])
    return found
