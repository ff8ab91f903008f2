"""The states that features name, by the words that name them.

``"low"`` is the unit of that name, ``the Job "low"`` its Job, ``the pods of "low"`` the Job's pods,
all of them together, ``the Queue "team"`` the Queue that the implementation keeps for a quota,
``the quota "team"`` what the units that name it hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from queuecheck.timeline import Condition, Subject, absent, exists
from steps.states import allocation, jobs, marks, pods, queues, quotas, standing, units
from steps.story import PARENT_LABEL, Story

_OBJECT = r'(?:the Job |the pods of |the Queue |the quota )?"[^"]+"'
# One object, or several: "a" · "a" and "b" · "a", "b" and "c" · "a" or "b".
OBJECTS = rf"(?P<objects>{_OBJECT}(?:(?:, {_OBJECT})* (?:and|or) {_OBJECT})?)"
BUDGETS = {"admitted": "admit", "marked": "mark", "resumed": "admit"}

_Words = Mapping[str, Callable[..., Condition]]

# What a group of the pattern finds is given to the state as text, after the object.
_OF_MARKS: _Words = {
    r"marked for a number of replicas other than (\d+)": (
        lambda unit, number: marks.marked_for_another_number(unit, int(number))
    ),
    r'marked in "([^"]+)"': marks.marked_in,
    r"marked in a phase other than (\w+)": marks.marked_in_another_phase,
    r"marked within its protection of (\d+ [sm])": allocation.marked_within_protection,
    r"unmarked": marks.unmarked,
    r"holding (\d+) replicas? and unmarked": (
        lambda unit, number: marks.left_with(unit, int(number))
    ),
}
OF_UNIT: _Words = {
    **_OF_MARKS,
    r"waiting": units.waits,
    r"marked": units.marked,
    r"marked for (\d+) replicas?": lambda unit, number: units.marked(unit, int(number)),
    r"holding (\d+) replicas?": lambda unit, number: units.holds(unit, int(number)),
    r"finished": units.finished,
    r"reserving nothing": units.reserves_nothing,
    r"holding anything": units.holds_anything,
    r"reserving nothing and unmarked": units.released,
    r"Dequeued with (\d+) replicas? and no reclaimState": (
        lambda unit, number: units.dequeued(unit, int(number))
    ),
    r"holding more than (\d+) replicas?": (
        lambda unit, number: units.holds_more_than(unit, int(number))
    ),
    r"reporting (\d+) running replicas?": (
        lambda unit, number: units.reports_running(unit, int(number))
    ),
    r'saying "(.+)"': units.saying,
    r'naming the victims "(.+)" and "(.+)"': units.naming_victims,
    r"in phase (\w+)": units.in_phase,
    r"in a phase other than (\w+)": units.in_another_phase,
    r"there": exists,
    r"gone": absent,
    r"refused": units.refused,
    r"saying why it waits": units.says_why,
    r"without admissions": units.without_admissions,
    r"of priority (-?\d+)": standing.of_priority,
    r"asking for (\d+) replicas?": standing.asking_for,
    r"asking for (\d+) replicas? in one podSet of its Job's name": standing.asking_by_its_name,
    r"asking for (\d+) cpu in all": standing.asking_in_all,
}
# The state is given the Job as it was created, after the unit.
OF_UNIT_OF_JOB: _Words = {
    r"standing for its Job": standing.stands_for,
    r"carrying the labels and annotations of its Job": standing.carries_metadata,
    r"of its Job's PriorityClass": standing.of_class,
}
# The state is given the quota's real name, after the unit or the Queue.
NAMING = r'naming the quota "(.+)"'
BELOW = r'below "(.+)"'
OF_JOB: _Words = {
    r"resumed": jobs.resumed,
    r"suspended": jobs.suspended,
    r"changed": jobs.changed,
    r"counting (\d+) finished pods?": jobs.counts_finished,
}
OF_PODS: _Words = {
    r"there": pods.existing,
    r"running": pods.all_running,
    r"being deleted or gone": pods.going_or_gone,
    r"(\d+) in number, none bound": lambda job, number: pods.unbound(job, int(number)),
    r"fewer than (\d+)": lambda job, number: pods.fewer_than(job, int(number)),
}
OF_QUEUE: _Words = {
    r"there": queues.there,
    r"gone": absent,
    r"of the policy (\w+)": queues.of_policy,
    r"of the priority (-?\d+)": queues.of_priority,
    r'carrying the annotation "(\S+)" with "(.*)"': queues.annotated,
    r'carrying the annotation "(\S+)" other than "(.*)"': queues.annotated_otherwise,
    r'carrying no annotation "(\S+)"': queues.not_annotated,
    r'carrying the label "(\S+)" with "(.*)"': queues.labelled,
    r'carrying "(\S+)" as a label or an annotation': queues.carrying,
}
OF_QUOTA: _Words = {
    r"used for (\d+) cpu": quotas.used,
    r"used beyond (\d+) cpu": quotas.used_beyond,
}


_ALL: Mapping[str, Collection[str]] = {
    "": {*OF_UNIT, *OF_UNIT_OF_JOB, NAMING, "admitted"},
    "the Job": OF_JOB,
    "the pods of": OF_PODS,
    "the Queue": {*OF_QUEUE, BELOW},
    "the quota": OF_QUOTA,
}


def nonsense(objects: str, state: str) -> str:
    """What is wrong with the words, before anything is run; "" if each object can be so."""
    for each in split(objects):
        noun, _ = named(each)
        if not any(re.fullmatch(pattern, state) for pattern in _ALL[noun]):
            return f"{each} cannot be {state!r}"
    return ""


def condition(story: Story, name: str, state: str) -> Condition:
    """The state that a feature's words mean. Raises ValueError for words that mean none."""
    noun, alias = named(name)
    if not noun and state == "admitted":
        return story.admitted(alias)
    if not noun and state in OF_UNIT_OF_JOB:
        return OF_UNIT_OF_JOB[state](story.unit(alias), story.jobs.created[alias])
    if not noun and (found := re.fullmatch(NAMING, state)):
        return standing.names_quota(story.unit(alias), story.quotas.name(found[1]))
    if noun == "the Queue" and (found := re.fullmatch(BELOW, state)):
        return queues.labelled(story.queue(alias), PARENT_LABEL, story.quotas.name(found[1]))
    words, subject = _of(story, noun, alias)
    for pattern, meaning in words.items():
        if found := re.fullmatch(pattern, state):
            return meaning(subject, *found.groups())
    raise ValueError(f"{name} cannot be {state!r}")


def ruled_out(story: Story, name: str, state: str) -> Condition:
    """What must not be seen of an object that never is what the words say."""
    noun, alias = named(name)
    if not noun and state == "admitted":
        return story.let_in(alias)
    return condition(story, name, state)


def too_early(story: Story, name: str, state: str) -> Condition | None:
    """A unit whose admission ends the table holds nothing before, and its Job is suspended."""
    noun, alias = named(name)
    ends = not noun and state.startswith(("admitted", "Dequeued"))
    return story.let_in(alias) if ends else None


def split(objects: str) -> list[str]:
    """The objects one by one, each as it is named."""
    return re.findall(_OBJECT, objects)


def named(name: str) -> tuple[str, str]:
    """The noun before the name, "" for a unit, and the name."""
    found = re.fullmatch(r'(?:(the Job|the pods of|the Queue|the quota) )?"([^"]+)"', name)
    if found is None:
        raise ValueError(
            f'an object is "…", the Job "…", the pods of "…", the Queue "…" or the quota "…", '
            f"not {name!r}"
        )
    return found[1] or "", found[2]


def _of(story: Story, noun: str, alias: str) -> tuple[_Words, Subject | quotas.Users]:
    if noun == "the Queue":
        return OF_QUEUE, story.queue(alias)
    if noun == "the quota":
        return OF_QUOTA, story.users(alias)
    if not noun:
        return OF_UNIT, story.unit(alias)
    return (OF_JOB if noun == "the Job" else OF_PODS), story.job(alias)
