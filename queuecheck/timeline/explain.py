"""From a claim that failed to a ``Failure``: what was seen of its subjects, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from queuecheck.kube import KubeObject
from queuecheck.timeline import fields
from queuecheck.timeline.failure import Failure, LastState, Row
from queuecheck.timeline.observation import Observation, Position
from queuecheck.timeline.state import Condition, Selection, SetState, State, Subject
from queuecheck.timeline.timeline import Timeline, concerns
from queuecheck.timeline.track import is_after, relevant

Related = Callable[[Sequence[Observation], Sequence[Subject | Selection]], Sequence[Observation]]
EVENT = "Event"
OTHER_EVENTS = 5


def involved_events(
    observations: Sequence[Observation], subjects: Sequence[Subject | Selection]
) -> Sequence[Observation]:
    """Events about the subjects or namesakes; if there are none, the last few next to them."""
    spaces = {subject.namespace for subject in subjects}
    events = [seen for seen in observations if seen.kind == EVENT and seen.namespace in spaces]
    about = [seen for seen in events if any(_is_about(seen, subject) for subject in subjects)]
    return about or events[-OTHER_EVENTS:]


def explain(
    timeline: Timeline,
    *,
    claim: str,
    sentence: str,
    reason: str,
    conditions: Sequence[Condition],
    since: Position,
    began: float,
    related: Related,
    by_version: bool,
    across: bool,
    command: str,
    culprit: Observation | None = None,
    expected: Sequence[str] = (),
) -> Failure:
    """Gathers what a reader needs to know why.

    ``by_version``: versions of what the claim looks at can be compared, ``across``: those of all
    kinds, so of events too.
    """
    leaves = _leaves(conditions)
    seen = relevant(timeline.observations(), conditions)
    seen.sort(key=lambda each: (each.resource_version, each.sequence))
    later = [each for each in seen if is_after(each, since, by_version=by_version)]
    wanted = expected or [condition.sentence for condition in conditions] or [sentence]
    paths = dict.fromkeys(path for leaf in leaves for path in leaf.fields)
    judged = [f"judged by {', '.join(paths)}"] if paths else []
    title, changes = _changes(seen, later, culprit)
    return Failure(
        claim=claim,
        sentence=sentence,
        reason=reason,
        expected=(*wanted, *judged),
        last=tuple(_last(timeline, leaf) for leaf in leaves),
        changes=changes,
        changes_title=title,
        seen=_rows(seen, later, leaves, culprit),
        events=tuple(
            event_row(each)
            for each in related(
                [
                    each
                    for each in timeline.observations()
                    if each.kind == EVENT and is_after(each, since, by_version=across)
                ],
                [leaf.subject for leaf in leaves],
            )
        ),
        waited=timeline.now() - began,
        began=began,
        ended=timeline.now(),
        command=command,
    )


def _leaves(conditions: Sequence[Condition]) -> list[State | SetState]:
    """One leaf for each subject, with the fields of all the states about it."""
    merged: dict[str, State | SetState] = {}
    for condition in conditions:
        for leaf in condition.leaves():
            known = merged.get(leaf.subject.label)
            paths = tuple(dict.fromkeys((*(known.fields if known else ()), *leaf.fields)))
            merged[leaf.subject.label] = _with_fields(leaf, paths)
    return list(merged.values())


def _with_fields(leaf: State | SetState, paths: tuple[str, ...]) -> State | SetState:
    if isinstance(leaf, State):
        return State(leaf.subject, leaf.sentence, leaf.test, paths, leaf.may_return)
    return SetState(leaf.subject, leaf.sentence, leaf.test, paths)


def _last(timeline: Timeline, leaf: State | SetState) -> LastState:
    if isinstance(leaf, SetState):
        found = timeline.selected(leaf.subject)
        rows = tuple((item["metadata"]["name"], fields.line(item, leaf.fields)) for item in found)
        return LastState(leaf.subject.label, f"{len(found)} there", rows)
    history = timeline.history(leaf.subject)
    if not history:
        return LastState(leaf.subject.label, "was never seen")
    last = history[-1]
    if last.live is None:
        return LastState(
            leaf.subject.label, f"was deleted (resourceVersion {last.resource_version})"
        )
    shown = tuple((path, fields.show(fields.read(last.live, path))) for path in leaf.fields)
    return LastState(leaf.subject.label, f"resourceVersion {last.resource_version}", shown)


def _changes(
    seen: Sequence[Observation], later: Sequence[Observation], culprit: Observation | None
) -> tuple[str, tuple[str, ...]]:
    """The diff of the write that broke the claim, or of the last write to a subject."""
    last = culprit or (later[-1] if later else None)
    if last is None:
        return "changed", ()
    before = _before(seen, last)
    if before is None and culprit is None:
        return "changed", ()
    title = "changed by the write that broke it" if culprit else "changed by the last write"
    lines = fields.differences(before.live if before else None, last.live)
    return f"{title} ({last.kind} {last.name}, rv {last.resource_version})", lines


def _before(seen: Sequence[Observation], last: Observation) -> Observation | None:
    earlier = [
        each
        for each in seen
        if (each.kind, each.namespace, each.name) == (last.kind, last.namespace, last.name)
        and (each.resource_version, each.sequence) < (last.resource_version, last.sequence)
    ]
    return earlier[-1] if earlier else None


def _rows(
    seen: Sequence[Observation],
    later: Sequence[Observation],
    leaves: Sequence[State | SetState],
    culprit: Observation | None,
) -> tuple[Row, ...]:
    """Each state that differs in the shown fields from the one before, for each object."""
    texts: dict[tuple[str, str, str, str], str] = {}
    rows: list[Row] = []
    kept = {each.sequence for each in later}
    starts: dict[tuple[str, str, str, str], Row] = {}
    for each in seen:
        for leaf in leaves:
            if not concerns(each, leaf.subject) or not _selected(each, leaf):
                continue
            key = (leaf.subject.label, each.kind, each.namespace, each.name)
            text = fields.line(each.live, leaf.fields) or ("there" if each.live else "")
            is_culprit = culprit is not None and each.sequence == culprit.sequence
            row = Row(each.at, each.resource_version, _what(each, leaf), text, is_culprit)
            if each.sequence not in kept and not is_culprit:
                starts[key] = row
            elif texts.get(key) != text or is_culprit:
                rows.append(row)
            texts[key] = text
    return tuple(sorted((*starts.values(), *rows), key=lambda row: row.resource_version))


def _selected(seen: Observation, leaf: State | SetState) -> bool:
    return isinstance(leaf, State) or leaf.subject.where(seen.object)


def _what(seen: Observation, leaf: State | SetState) -> str:
    alias = isinstance(leaf, State) and leaf.subject.alias
    return f"{seen.kind} {alias or seen.name} {seen.verb.lower()}"


def _is_about(seen: Observation, subject: Subject | Selection) -> bool:
    if isinstance(subject, Selection):
        return subject.where(seen.object)
    name = _involved(seen.object).get("name", "")
    return bool(name) and (name.startswith(subject.name) or subject.name.startswith(name))


def _involved(event: KubeObject) -> KubeObject:
    involved = event.get("involvedObject") or event.get("regarding") or {}
    return involved if isinstance(involved, dict) else {}


def event_row(seen: Observation) -> Row:
    """An observed event in one line: its type and reason, what it is about, its message."""
    involved = _involved(seen.object)
    what = f"{seen.object.get('type', '')} {seen.object.get('reason', '')}"
    message = seen.object.get("message") or seen.object.get("note") or ""
    text = f"{involved.get('kind', '')} {involved.get('name', '')}: {message}"
    return Row(seen.at, seen.resource_version, what, text)
