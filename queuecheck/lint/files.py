"""What is wrong with a feature file by itself, whatever its steps mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from queuecheck.catalogue import Problem
from queuecheck.lint.model import Background, Examples, FeatureFile, Scenario

MOST_LINES = 150
MOST_BACKGROUND = 4
# Each with what to write instead. A cell such as 100m is a quantity, not a time.
FORBIDDEN = (
    (
        re.compile(r"jsonpath|\{\.[a-z]|\$\.[a-z]|\[\?\(", re.IGNORECASE),
        "a jsonpath",
        "name the field or the state in words",
    ),
    (
        re.compile(r"\bHTTP\b|\b(?:GET|POST|PUT|PATCH|DELETE)\b"),
        "a word of HTTP",
        "say what is done to which object",
    ),
    (
        re.compile(r"\bsleep(?:s|ing)?\b", re.IGNORECASE),
        "a sleep",
        "name the state that is waited for",
    ),
)
SECONDS = re.compile(
    r"\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?|minutes?|h|hours?)\b"
    r"|\b(?:milliseconds|seconds|minutes)\b",
    re.IGNORECASE,
)
PROTECTION = re.compile("protect", re.IGNORECASE)
ROW = re.compile(r"\s*\|")
BAR = re.compile(r"(?<!\\)\|")


def problems_of(file: FeatureFile) -> Iterator[Problem]:
    """Every problem of one file."""
    yield from _length(file)
    yield from _words(file)
    yield from _alignment(file)
    for background in file.backgrounds:
        yield from _background(file, background)
    for scenario in file.scenarios:
        yield from _backgrounds(file, scenario)
        yield from _cells(file, scenario)
        yield from _outline(file, scenario)


def _length(file: FeatureFile) -> Iterator[Problem]:
    if len(file.lines) > MOST_LINES:
        message = f"the file has {len(file.lines)} lines, more than {MOST_LINES}"
        yield Problem(file.name, MOST_LINES + 1, message, "split it by topic")


def _words(file: FeatureFile) -> Iterator[Problem]:
    protection = set(_lines_about_protection(file))
    for number, line in enumerate(file.lines, start=1):
        for pattern, what, remedy in FORBIDDEN:
            if found := pattern.search(line):
                yield Problem(file.name, number, f"{what}, {found[0]!r}", remedy)
        if (found := SECONDS.search(line)) and number not in protection:
            remedy = "leave the time to the class of the wait; only a protection time is named"
            yield Problem(file.name, number, f"a time, {found[0]!r}", remedy)


def _alignment(file: FeatureFile) -> Iterator[Problem]:
    """A table is read down its columns, too."""
    above: list[int] = []
    for number, line in enumerate(file.lines, start=1):
        bars = [found.start() for found in BAR.finditer(line)] if ROW.match(line) else []
        if above and bars and bars != above:
            message = "the bars of the row are not below those of the row above"
            yield Problem(file.name, number, message, "align the columns of the table")
        above = bars


def _lines_about_protection(file: FeatureFile) -> Iterator[int]:
    """Every line that names protection, and those of the scenarios that have such a step."""
    for number, line in enumerate(file.lines, start=1):
        if PROTECTION.search(line):
            yield number
    for scenario in file.scenarios:
        if any(PROTECTION.search(step.text) for step in scenario.all_steps):
            last = max(step.line + len(step.table) for step in scenario.steps)
            yield from range(scenario.line, last + 1)


def _background(file: FeatureFile, background: Background) -> Iterator[Problem]:
    for step in background.steps:
        if step.keyword != "given":
            message = f"a {step.keyword.title()} in a Background is run like a Given"
            yield Problem(file.name, step.line, message, "move it into the scenarios")
    for step in background.steps:
        for row in step.table:
            yield from _row_cells(file, row.cells, row.line)


def _backgrounds(file: FeatureFile, scenario: Scenario) -> Iterator[Problem]:
    lines = sum(len(each.steps) for each in scenario.backgrounds)
    if lines > MOST_BACKGROUND:
        line = scenario.backgrounds[-1].line
        message = f"{lines} steps of Background before a scenario, more than {MOST_BACKGROUND}"
        yield Problem(file.name, line, message, "move some into the scenarios that need them")


def _cells(file: FeatureFile, scenario: Scenario) -> Iterator[Problem]:
    tables = [step.table for step in scenario.steps]
    tables += [(table.head, *table.rows) for table in scenario.examples if table.head]
    for table in tables:
        for row in table:
            yield from _row_cells(file, row.cells, row.line)


def _row_cells(file: FeatureFile, cells: tuple[str, ...], line: int) -> Iterator[Problem]:
    if not all(cells):
        message = f"cell {cells.index('') + 1} of the row is empty"
        yield Problem(file.name, line, message, 'write what it means, such as "none"')


def _outline(file: FeatureFile, scenario: Scenario) -> Iterator[Problem]:
    for table in scenario.examples:
        if not table.rows:
            message = f"Examples without a row: {scenario.name!r} is not run"
            yield Problem(file.name, table.line, message, "add a row or remove the table")
        yield from _columns(file, scenario, table)


def _columns(file: FeatureFile, scenario: Scenario, table: Examples) -> Iterator[Problem]:
    used = set(re.findall(r"<(.+?)>", _text(scenario)))
    named = set(table.head.cells) if table.head else set()
    line = table.head.line if table.head else table.line
    for name in sorted(used - named):
        message = f"the Examples have no column for <{name}>"
        yield Problem(file.name, line, message, f"add the column {name} or correct the name")
    for name in sorted(named - used):
        message = f"no step uses the column {name}"
        yield Problem(file.name, line, message, f"remove it or write <{name}> where it is meant")


def _text(scenario: Scenario) -> str:
    """All in which parameters are replaced."""
    words = [scenario.name]
    for step in scenario.all_steps:
        words += [step.text, step.docstring]
        words += [cell for row in step.table for cell in row.cells]
    return "\n".join(words)
