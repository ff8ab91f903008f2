"""A run of a scenario as a page shows it: its steps, what each claimed and saw, its picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from queuecheck.report.html.axis import Instant
from queuecheck.report.html.chart import shown
from queuecheck.report.html.draw import draw
from queuecheck.report.html.instead import instead
from queuecheck.report.html.lanes import Looks
from queuecheck.report.html.outcomes import Shown, outcome
from queuecheck.report.html.reading import CULPRIT, WINDOWS, Reading, act_of, closing, read
from queuecheck.report.model import ScenarioRun, StepRun
from queuecheck.report.picture import Claimed, Mark


@dataclass(frozen=True)
class State:
    """A state that a claim waited for: its number in the picture, 0 if it has none there.

    ``when`` is "" if it was not seen.
    """

    number: int
    text: str
    when: str


@dataclass(frozen=True)
class Claim:
    """What a step claimed: its states, or its window and what closed it."""

    sentence: str
    states: tuple[State, ...]
    window: str
    shown: Shown


@dataclass(frozen=True)
class Row:
    """A row of a step's table; ``state`` is what was seen of it, None where that is told below."""

    cells: tuple[str, ...]
    state: State | None = None


@dataclass(frozen=True)
class Step:
    """A step as it was played. A claim whose states are the rows of the table is told there."""

    run: StepRun
    shown: Shown
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Broken:
    """What was wrong, where it can be told: which step, what was expected and seen, and when.

    ``instead`` is what the objects were to the end of a wait that was given up. ``caught`` says
    that a write was seen that must not be: that tells more than something that never came.
    """

    step: str
    expected: str
    states: tuple[State, ...]
    seen: str
    moment: str
    instead: tuple[str, ...]
    caught: bool


@dataclass(frozen=True)
class Scene:
    """``key`` is its anchor; ``example`` the row of an outline, in words."""

    key: str
    run: ScenarioRun
    shown: Shown
    steps: tuple[Step, ...]
    picture: Markup
    example: str
    broken: Broken | None


def scene(run: ScenarioRun, looks: Looks, *, key: str, ordered: bool) -> Scene:
    """Everything a page says of a run."""
    reading = read(run, looks, ordered=ordered)
    numbers = {} if reading is None else reading.numbers
    return Scene(
        key=key,
        run=run,
        shown=outcome(run.outcome),
        steps=tuple(_steps(run, numbers)),
        picture=_picture(reading, key),
        example=", ".join(f"{name}: {value}" for name, value in run.example.items()),
        broken=_broken(run, numbers, looks),
    )


def _picture(reading: Reading | None, key: str) -> Markup:
    if reading is None or not reading.chart.lanes:
        return Markup()
    # The drawing escapes what it is given; nothing else makes it.
    return Markup(draw(reading.chart, key=key))  # noqa: S704


def _steps(run: ScenarioRun, numbers: Mapping[tuple[int, int], int]) -> Iterator[Step]:
    act = act_of(run)
    for place, step in enumerate(run.steps):
        claims = [
            _claim(claim, number, numbers)
            for number, claim in enumerate(run.claims)
            if claim.step == place and (place >= act or claim.outcome != "passed")
        ]
        heading, *body = [Row(cells) for cells in step.table] or [Row(())]
        if body and len(claims) == 1 and len(claims[0].states) == len(body):
            seen = claims.pop().states
            body = [Row(row.cells, state) for row, state in zip(body, seen, strict=True)]
        rows = (heading, *body) if step.table else ()
        yield Step(step, outcome(step.outcome), rows, tuple(claims))


def _claim(claim: Claimed, number: int, numbers: Mapping[tuple[int, int], int]) -> Claim:
    window = ""
    if claim.claim in WINDOWS:
        span = f"from {_at(claim.began)} to {_at(claim.ended)}"
        window = ", ".join(part for part in (span, closing(claim)) if part)
    return Claim(
        sentence=claim.sentence,
        states=() if window else tuple(_states(claim, number, numbers)),
        window=window,
        shown=outcome(claim.outcome),
    )


def _states(claim: Claimed, number: int, numbers: Mapping[tuple[int, int], int]) -> Iterator[State]:
    for index, mark in enumerate(claim.marks):
        if mark.role in {"state", "missing"}:
            when = "" if mark.ms is None or mark.role == "missing" else _at(mark.ms)
            yield State(numbers.get((number, index), 0), mark.sentence, when)


def _broken(
    run: ScenarioRun, numbers: Mapping[tuple[int, int], int], looks: Looks
) -> Broken | None:
    if run.outcome == "passed":
        return None
    stopped = next((step for step in run.steps if step.outcome not in {"passed", "not-run"}), None)
    failed = [
        (number, claim) for number, claim in enumerate(run.claims) if claim.outcome != "passed"
    ]
    number, claim = failed[-1] if failed else (0, None)
    return Broken(
        step="" if stopped is None else f"{stopped.keyword} {stopped.text}",
        expected="" if claim is None else claim.sentence,
        states=() if claim is None else tuple(_states(claim, number, numbers)),
        seen=_seen(run.reason, claim),
        moment="" if claim is None else _moment(claim),
        instead=() if claim is None else instead(claim, run.picture, looks),
        caught=claim is not None and _culprit(claim) is not None,
    )


def _seen(reason: str, claim: Claimed | None) -> str:
    """The reason without the sentence that it repeats."""
    return reason if claim is None else reason.removeprefix(f"{claim.sentence}: ")


def _moment(claim: Claimed) -> str:
    culprit = _culprit(claim)
    if culprit is None or culprit.ms is None:
        return f"{_at(claim.ended)}, when the wait was given up"
    return f"{_at(culprit.ms)}, {_write(culprit)}"


def _culprit(claim: Claimed) -> Mark | None:
    return next((mark for mark in claim.marks if mark.role == CULPRIT), None)


def _write(mark: Mark) -> str:
    return f"when {mark.kind} {mark.name} was written (resourceVersion {mark.version})"


def _at(ms: int) -> str:
    return shown(Instant(ms))
