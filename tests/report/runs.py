"""Runs of scenarios for tests of the views: the worked example, as it was once seen."""

from __future__ import annotations

from dataclasses import replace

from queuecheck.profiles import load_profile
from queuecheck.report import (
    Claimed,
    Happening,
    Lane,
    Mark,
    Moment,
    Picture,
    ScenarioRun,
    StepRun,
)
from queuecheck.report.html.lanes import Looks

SPACE = "qc-1"
LOOKS: Looks = load_profile("koord-queue").looks
ORDER = "these states are seen in this order"


def moment(ms: int, version: int, verb: str = "modified", **shown: str) -> Moment:
    return Moment(ms, version, verb, shown)


def lane(kind: str, name: str, *moments: Moment, owner: str = "") -> Lane:
    return Lane(kind, SPACE, name, name, owner, moments)


def mark(role: str, sentence: str, ms: int, version: int, about: str, *, number: int = 0) -> Mark:
    kind, _, name = about.partition("/")
    return Mark(role, sentence, number, ms, version, kind, SPACE, name)


PICTURE = Picture(
    ended=500,
    lanes=(
        lane("ElasticQuota", "team", moment(5, 1, "added", max="cpu=2", gate="true")),
        lane(
            "Job",
            "low",
            moment(10, 2, "added", suspended="yes", parallelism="1"),
            moment(30, 6, suspended="no", parallelism="1"),
            moment(120, 12, suspended="yes", parallelism="1"),
        ),
        lane(
            "QueueUnit",
            "low",
            moment(12, 3, "added", priority="1"),
            moment(20, 4, phase="Enqueued"),
            moment(22, 5, phase="Dequeued", holds="1"),
            moment(110, 10, phase="Dequeued", holds="1", marked="1"),
            moment(150, 15, phase="Enqueued", holds="0", message="waits"),
            moment(160, 16, phase="Enqueued", holds="0", attempts="1"),
            owner="Job/low",
        ),
        lane(
            "Pod",
            "low-x7",
            moment(40, 7, "added", phase="Pending"),
            moment(125, 13, phase="Pending", deleting="2026-11-30T10:16:09Z"),
            moment(131, 14, "deleted"),
            owner="Job/low",
        ),
        lane(
            "QueueUnit",
            "high",
            moment(105, 9, "added", phase="Enqueued"),
            moment(170, 18, phase="Dequeued", holds="1"),
        ),
    ),
    events=(
        Happening(112, 11, "QueueUnit/low", "Warning", "Preempted", "the queue takes it back"),
        Happening(165, 17, "QueueUnit/low", "Normal", "Reclaimed", count=2),
        Happening(41, 8, "Job/low", "Normal", "Resumed"),
    ),
)
STEPS = (
    StepRun("Given", 'the admitted Job "low"', 5, "passed", 2, 90),
    StepRun("When", 'the Job "high" is submitted', 6, "passed", 95, 4),
    StepRun(
        "Then",
        "these states are seen in this order:",
        7,
        "passed",
        99,
        80,
        (
            ("object", "state"),
            ('"low"', "marked"),
            ('the pods of "low"', "gone"),
            ('"low"', "reserving nothing"),
        ),
    ),
    StepRun("And", '"high" is never admitted before "low" is emptied', 10, "passed", 180, 20),
)
CLAIMS = (
    Claimed(
        0,
        "eventually",
        'QueueUnit "low" is admitted',
        50,
        60,
        "passed",
        marks=(mark("state", 'QueueUnit "low" is admitted', 22, 5, "QueueUnit/low"),),
    ),
    Claimed(
        2,
        "in order",
        ORDER,
        99,
        175,
        "passed",
        marks=(
            mark("state", 'QueueUnit "low" is marked', 110, 10, "QueueUnit/low", number=1),
            mark("state", "its pods are gone", 131, 14, "Pod/low-x7", number=2),
            mark(
                "state", 'QueueUnit "low" is reserving nothing', 150, 15, "QueueUnit/low", number=3
            ),
        ),
    ),
    Claimed(
        3,
        "never",
        'never: QueueUnit "high" is admitted',
        180,
        200,
        "passed",
        "fence",
        (mark("fence", 'QueueUnit "high" is admitted', 170, 18, "QueueUnit/high"),),
    ),
)
PASSED = ScenarioRun(
    requirements=("KQ-SEQ-01",),
    name="The victim is emptied first",
    feature="The worked example",
    rule="The urgent Job is admitted once the release is reported",
    file="features/koord-queue/sequence.feature",
    line=14,
    tags=("KQ-SEQ-01", "must", "koord-queue"),
    text='@KQ-SEQ-01 @must\nScenario: The victim is emptied first\n  When the Job "high" comes',
    outcome="passed",
    ms=210,
    started="2026-11-30T10:00:00.250000+00:00",
    reproduce="queuecheck run features/koord-queue/sequence.feature:14",
    steps=STEPS,
    claims=CLAIMS,
    picture=PICTURE,
)
FAILURE = (
    'never: QueueUnit "high" is admitted: it was so at +170ms, resourceVersion 18\n'
    "  expected:\n"
    '    never: QueueUnit "high" is admitted\n'
    "  last state:\n"
    '    QueueUnit "high": resourceVersion 18'
)
FAILED = replace(
    PASSED,
    name="The preemptor waits for the release",
    line=30,
    outcome="failed",
    reason='never: QueueUnit "high" is admitted: it was so at +170ms, resourceVersion 18',
    failure=FAILURE,
    steps=(*STEPS[:3], replace(STEPS[3], outcome="failed")),
    claims=(
        *CLAIMS[:2],
        replace(
            CLAIMS[2],
            outcome="failed",
            closed_by="",
            marks=(mark("culprit", CLAIMS[2].sentence, 170, 18, "QueueUnit/high"),),
        ),
    ),
)
