"""What became better or worse from one report to another: pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from queuecheck.report.model import NOT_RUN, Report, RequirementRow
from queuecheck.verdict import Outcome

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

    def __str__(self) -> str:
        said = " -> ".join(
            "(not in the catalogue)" if row is None else row.outcome
            for row in (self.before, self.after)
        )
        reason = self.after.reason if self.after is not None else ""
        return f"{self.id} ({self.level.upper()}): {said}{f': {reason}' if reason else ''}"


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
        pairs[name] = (before.configuration.get(name, ""), after.configuration.get(name, ""))
    for name, (old, new) in pairs.items():
        if old != new:
            yield f"{name}: {old or '(none)'} -> {new or '(none)'}"


def _change(name: str, before: RequirementRow | None, after: RequirementRow | None) -> Change:
    known = after or before
    assert known is not None
    old, new = RANK.get(_outcome(before)), RANK.get(_outcome(after))
    if old is None or new is None or old == new:
        return Change(name, known.level, before, after, "changed")
    return Change(name, known.level, before, after, "worse" if new > old else "better")


def _outcome(row: RequirementRow | None) -> str:
    return NOT_RUN if row is None else row.outcome
