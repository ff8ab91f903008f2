"""``summary.md``: what a page of a CI run shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from queuecheck.report.model import NOT_RUN, Report, RequirementRow
from queuecheck.verdict import Outcome

WORDS: Mapping[str, str] = {
    **{str(outcome): outcome.word.lower() for outcome in Outcome},
    NOT_RUN: "not run",
}
SYMBOLS: Mapping[str, str] = {
    Outcome.PASSED: "✅",
    Outcome.FAILED: "❌",
    Outcome.STALE_BASELINE: "❌",
}
QUIET = frozenset({Outcome.PASSED, Outcome.NOT_SUPPORTED, NOT_RUN})


class Markup(str):
    """Markdown of our own making; any other text may have come from anywhere."""

    __slots__ = ()


def summary(report: Report) -> str:
    """The whole page."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {escape(report.judgement.headline)}"
    yield ""
    if report.run.ended_early:
        yield f"**This report is partial: {escape(report.run.ended_early)}.**"
        yield ""
    for name in report.run.failed_beside:
        yield f"**{escape(name)} failed beside the scenarios.**"
        yield ""
    cluster = "; ".join(each.reason for each in report.clusters) or "no cluster"
    yield f"{escape(report.implementation.title)} against {escape(report.catalogue.title)}, on"
    yield f"{escape(cluster)}; run {escape(report.run.id)} of {report.run.started}."
    yield ""
    for note in report.judgement.notes:
        yield f"- {escape(note)}"
    yield ""
    yield from _areas(report)
    loud = [row for row in report.requirements if row.outcome not in QUIET]
    if loud:
        yield "## What did not pass"
        yield ""
        yield from table(
            ["requirement", "level", "outcome", "reason", "to play it alone"],
            [
                [
                    row.id,
                    row.level.upper(),
                    _word(row.outcome),
                    row.reason,
                    code(_command(report, row)),
                ]
                for row in loud
            ],
        )
    shaky = [row for row in report.requirements if 0 < row.passed < row.runs]
    times = max((run.repetition for run in report.scenarios), default=1)
    if times > 1:
        always = sum(row.passed == row.runs > 0 for row in report.requirements)
        ran = sum(row.runs > 0 for row in report.requirements)
        yield f"Each scenario was played {times} times; {always} of {ran} always passed."
        yield ""
    if shaky:
        yield "## What passed only at times"
        yield ""
        rows = [[row.id, f"{row.passed} of {row.runs}", _percent(row)] for row in shaky]
        yield from table(["requirement", "passed", "rate"], rows)
    if report.latencies:
        yield "## How long it took"
        yield ""
        yield from table(
            ["from … to …, not judged", "times", "p50", "p95"],
            [
                [each.name, str(each.count), f"{each.p50} ms", f"{each.p95} ms"]
                for each in report.latencies
            ],
        )
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    yield f"To run it again: {code(report.run.reproduce)} ({escape(versions)})."


def _areas(report: Report) -> Iterator[str]:
    rows = [row for row in report.requirements if row.runs or not report.run.selection]
    seen = Counter(row.outcome for row in rows)
    outcomes = [word for word in WORDS if seen[word]]
    body = []
    for area in report.catalogue.areas:
        own = Counter(row.outcome for row in rows if row.area == area.code)
        if own:
            body.append([area.title, *(str(own[word] or "") for word in outcomes)])
    body.append([_bold("all"), *(_bold(seen[word]) for word in outcomes)])
    yield from table(["area", *(_word(word) for word in outcomes)], body)


def _command(report: Report, row: RequirementRow) -> str:
    runs = [report.scenarios[number] for number in row.scenarios]
    telling = [run for run in runs if run.outcome != Outcome.PASSED] or runs
    return telling[0].reproduce if telling else ""


def _percent(row: RequirementRow) -> str:
    return f"{100 * row.passed / row.runs:.0f} %"


def _word(outcome: str) -> str:
    return f"{SYMBOLS[outcome]} {WORDS[outcome]}" if outcome in SYMBOLS else WORDS[outcome]


def table(heading: Sequence[str], body: Iterable[Sequence[str]]) -> Iterator[str]:
    """A Markdown table and an empty line; a cell that is no ``Markup`` is text of any kind."""
    yield _row(heading)
    yield _row(["---"] * len(heading))
    for cells in body:
        yield _row(cells)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|") if isinstance(text, Markup) else escape(text)


def _bold(word: object) -> Markup:
    return Markup(f"**{word}**")


def code(text: str) -> Markup:
    """Text in backticks, of which it may hold some itself."""
    flat = " ".join(text.split())
    if not flat:
        return Markup()
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return Markup(f"{fence}{pad}{flat}{pad}{fence}")


def escape(text: str) -> str:
    """One line in which nothing is markup."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", " ".join(text.split()))
