"""What became better or worse from one report to another: pure."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from queuecheck.report.model import NOT_RUN, Report, RequirementRow
from queuecheck.verdict import Outcome

WIDTH = 100
# From best to worst. What did not run says nothing, so going there and back is neither.
RANK: Mapping[str, int] = {
    Outcome.PASSED: 0,
    Outcome.STALE_BASELINE: 0,
    Outcome.EXPECTED_FAILURE: 2,
    Outcome.FAILED: 2,
}


@dataclass(frozen=True)
class Change:
    """A requirement whose outcome differs. ``before`` or ``after`` is None where it is not there.

    ``kind`` is worse, better, or changed where nobody can say.
    """

    id: str
    level: str
    before: RequirementRow | None
    after: RequirementRow | None
    kind: str

    @property
    def named(self) -> str:
        """The requirement with its level."""
        return f"{self.id} ({self.level.upper()})"

    @property
    def way(self) -> str:
        """From which outcome to which."""
        return " -> ".join(
            "(not in the catalogue)" if row is None else row.outcome
            for row in (self.before, self.after)
        )

    @property
    def reason(self) -> str:
        """Why it came to the second outcome, "" where nothing has to be said."""
        return self.after.reason if self.after is not None else ""

    def __str__(self) -> str:
        return f"{self.named}: {self.way}{f': {self.reason}' if self.reason else ''}"


def changes(before: Report, after: Report) -> tuple[Change, ...]:
    """Every difference in outcome, in the order of the second catalogue."""
    old = {row.id: row for row in before.requirements}
    new = {row.id: row for row in after.requirements}
    names = [*new, *(name for name in old if name not in new)]
    return tuple(
        _change(name, old.get(name), new.get(name))
        for name in names
        if _outcome(old.get(name)) != _outcome(new.get(name))
    )


def told(found: Sequence[Change]) -> Iterator[str]:
    """A line for each change; those that went the same way without a reason share a paragraph."""
    alike = Counter(change.way for change in found if not change.reason)
    for change in found:
        if change.reason or alike[change.way] == 1:
            yield f"  {change}"
    for way, number in alike.items():
        if number > 1:
            names = [each.named for each in found if each.way == way and not each.reason]
            yield f"  {way} ({number}):"
            yield from _wrapped(names)


def sides(before: Report, after: Report) -> Iterator[str]:
    """What is compared with what."""
    for name, report in (("before", before), ("after", after)):
        run = f"run {report.run.id} of {report.run.started}"
        yield f"{name + ':':<8}{report.implementation.title}, {run}, {report.judgement.headline}"


def differences(before: Report, after: Report) -> Iterator[str]:
    """What else is not the same, so that results may differ for it."""
    pairs = {
        "implementation": (before.implementation.title, after.implementation.title),
        "catalogue": (before.catalogue.digest, after.catalogue.digest),
        "cluster": tuple(
            " and ".join(sorted({f"{each.kind} {each.server}".strip() for each in report.clusters}))
            for report in (before, after)
        ),
        "verdict": (before.judgement.verdict, after.judgement.verdict),
    }
    for name in sorted({*before.configuration, *after.configuration}):
        # What was asked for, beside what was found: a cluster, an implementation.
        told = f"setting {name}" if name in pairs else name
        pairs[told] = (before.configuration.get(name, ""), after.configuration.get(name, ""))
    for name, (old, new) in pairs.items():
        if old != new:
            yield f"{name}: {old or '(none)'} -> {new or '(none)'}"


def _wrapped(names: Sequence[str]) -> Iterator[str]:
    # A name and its level stay together.
    kept = ", ".join(name.replace(" ", "\0") for name in names)
    for line in textwrap.wrap(
        kept, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    ):
        yield line.replace("\0", " ")


def _change(name: str, before: RequirementRow | None, after: RequirementRow | None) -> Change:
    known = after or before
    assert known is not None
    old, new = RANK.get(_outcome(before)), RANK.get(_outcome(after))
    if old is None or new is None or old == new:
        return Change(name, known.level, before, after, "changed")
    return Change(name, known.level, before, after, "worse" if new > old else "better")


def _outcome(row: RequirementRow | None) -> str:
    return NOT_RUN if row is None else row.outcome
