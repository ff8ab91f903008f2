"""Failures as people read them, word for word."""

import textwrap

import pytest

from queuecheck.timeline import (
    ClaimFailed,
    Failure,
    Fence,
    Position,
    Quiet,
    Row,
    Selection,
    SetState,
    State,
    Step,
    Subject,
    read,
    render,
)
from tests.timeline.stage import NAMESPACE, Stage, thing

HELD = "status.admissions[0].replicas"
MARK = "status.admissions[0].reclaimState.replicas"
BEGINNING = Position(0, 0, 0.0)


def status(phase: str, held: int, mark: int | None = None) -> dict[str, object]:
    admission: dict[str, object] = {"name": "main", "replicas": held}
    if mark is not None:
        admission["reclaimState"] = {"replicas": mark}
    return {"phase": phase, "admissions": [admission]}


def state(alias: str, sentence: str, path: str, value: int) -> State:
    subject = Subject("QueueUnit", NAMESPACE, f"{alias}-x1", alias)
    return State(
        subject,
        f'"{alias}" is {sentence}',
        lambda found: read(found, path) == value,
        ("status.phase", HELD, MARK),
    )


MARKED = state("low", "marked for 1 replica", MARK, 1)
EMPTY = state("low", "reserving nothing", HELD, 0)
ADMITTED = state("high", "admitted", HELD, 1)


@pytest.fixture
def stage() -> Stage:
    made = Stage(command="queuecheck run --id KQ-PRE-06")
    made.write("QueueUnit", "low-x1", 101, verb="ADDED", status=status("Dequeued", 1))
    made.write("QueueUnit", "high-x1", 104, verb="ADDED", at=0.1, status=status("Enqueued", 0))
    made.write("QueueUnit", "low-x1", 110, at=0.212, status=status("Dequeued", 1, 1))
    return made


def text_of(failure: ClaimFailed) -> str:
    return str(failure) + "\n"


def test_an_order_that_is_broken(stage: Stage) -> None:
    stage.write("QueueUnit", "high-x1", 111, at=0.220, status=status("Dequeued", 1))
    stage.write(
        "Event",
        "low.1",
        112,
        at=0.221,
        verb="ADDED",
        type="Warning",
        reason="Preempted",
        involvedObject={"kind": "QueueUnit", "name": "low-x1"},
        message="to make room for high",
    )
    stage.write("QueueUnit", "low-x1", 130, at=0.480, status=status("Enqueued", 0))
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.in_order([Step(MARKED), Step(EMPTY), Step(ADMITTED)], within="reclaim")
    assert text_of(caught.value) == textwrap.dedent("""\
        these states are seen in this order: step 3, "high" is admitted, came too early, at +220ms,
          resourceVersion 111, before step 2, "low" is reserving nothing
          expected:
            1. "low" is marked for 1 replica: seen at +212ms, rv 110
            2. "low" is reserving nothing: seen at +480ms, rv 130
            3. "high" is admitted: came too early
            judged by status.phase, status.admissions[0].replicas,
                status.admissions[0].reclaimState.replicas
          last state:
            QueueUnit "low" (low-x1): resourceVersion 130
              status.phase                                "Enqueued"
              status.admissions[0].replicas               0
              status.admissions[0].reclaimState.replicas  (not set)
            QueueUnit "high" (high-x1): resourceVersion 111
              status.phase                                "Dequeued"
              status.admissions[0].replicas               1
              status.admissions[0].reclaimState.replicas  (not set)
          changed by the write that broke it (QueueUnit high-x1, rv 111):
            status.admissions[0].replicas: 0 -> 1
            status.phase: "Enqueued" -> "Dequeued"
          every distinct state seen:
                +0ms  rv 101  QueueUnit low added      phase="Dequeued" admissions[0].replicas=1
                                                       reclaimState.replicas=-
              +100ms  rv 104  QueueUnit high added     phase="Enqueued" admissions[0].replicas=0
                                                       reclaimState.replicas=-
              +212ms  rv 110  QueueUnit low modified   phase="Dequeued" admissions[0].replicas=1
                                                       reclaimState.replicas=1
            > +220ms  rv 111  QueueUnit high modified  phase="Dequeued" admissions[0].replicas=1
                                                       reclaimState.replicas=-
              +480ms  rv 130  QueueUnit low modified   phase="Enqueued" admissions[0].replicas=0
                                                       reclaimState.replicas=-
          events:
              +221ms  rv 112  Warning Preempted  QueueUnit low-x1: to make room for high
          waited:
            0.48 s, +0ms to +480ms
          to run it alone:
            queuecheck run --id KQ-PRE-06
        """)


def test_a_state_that_does_not_come(stage: Stage) -> None:
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.eventually(EMPTY, within="reclaim")
    assert text_of(caught.value) == textwrap.dedent("""\
        "low" is reserving nothing: not seen within 5 s (budget reclaim)
          expected:
            "low" is reserving nothing
            judged by status.phase, status.admissions[0].replicas,
                status.admissions[0].reclaimState.replicas
          last state:
            QueueUnit "low" (low-x1): resourceVersion 110
              status.phase                                "Dequeued"
              status.admissions[0].replicas               1
              status.admissions[0].reclaimState.replicas  1
          changed by the last write (QueueUnit low-x1, rv 110):
            status.admissions[0].reclaimState: (not set) -> {"replicas": 1}
          every distinct state seen:
                +0ms  rv 101  QueueUnit low added     phase="Dequeued" admissions[0].replicas=1
                                                      reclaimState.replicas=-
              +212ms  rv 110  QueueUnit low modified  phase="Dequeued" admissions[0].replicas=1
                                                      reclaimState.replicas=1
          waited:
            5.25 s, +0ms to +5250ms
          to run it alone:
            queuecheck run --id KQ-PRE-06
        """)


def test_a_state_that_must_not_come(stage: Stage) -> None:
    fence = Fence(state("later", "refused", HELD, 0), within="mark", sentence="decided after it")
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.never(MARKED, fence, since=BEGINNING)
    assert text_of(caught.value) == textwrap.dedent("""\
        never: "low" is marked for 1 replica: it was so at +212ms, resourceVersion 110
          expected:
            never: "low" is marked for 1 replica
            until: "later" is refused (decided after it)
            judged by status.phase, status.admissions[0].replicas,
                status.admissions[0].reclaimState.replicas
          last state:
            QueueUnit "low" (low-x1): resourceVersion 110
              status.phase                                "Dequeued"
              status.admissions[0].replicas               1
              status.admissions[0].reclaimState.replicas  1
            QueueUnit "later" (later-x1): was never seen
          changed by the write that broke it (QueueUnit low-x1, rv 110):
            status.admissions[0].reclaimState: (not set) -> {"replicas": 1}
          every distinct state seen:
                +0ms  rv 101  QueueUnit low added     phase="Dequeued" admissions[0].replicas=1
                                                      reclaimState.replicas=-
            > +212ms  rv 110  QueueUnit low modified  phase="Dequeued" admissions[0].replicas=1
                                                      reclaimState.replicas=1
          waited:
            0.21 s, +0ms to +212ms
          to run it alone:
            queuecheck run --id KQ-PRE-06
        """)


def test_a_set_that_does_not_stay() -> None:
    stage = Stage()
    pods = Selection("Pod", NAMESPACE, lambda _: True, 'pods of "low"')
    two = SetState(pods, 'pods of "low" are 2', lambda found: len(found) == 2, ("spec.nodeName",))
    stage.write("Pod", "low-a", 1, spec={"nodeName": "n1"})
    stage.write("Pod", "low-b", 2, spec={})
    stage.write("Pod", "low-a", 3, verb="DELETED", at=0.5, spec={"nodeName": "n1"})
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.stays(two, Quiet())
    assert text_of(caught.value) == textwrap.dedent("""\
        stays: pods of "low" are 2: it was not so at +500ms, resourceVersion 3
          expected:
            stays: pods of "low" are 2
            for 2 s (budget quiet)
            judged by spec.nodeName
          last state:
            pods of "low": 1 there
              low-b  nodeName=-
          changed by the write that broke it (Pod low-a, rv 3):
            it was deleted
          every distinct state seen:
                +0ms  rv 1  Pod low-a modified  nodeName="n1"
                +0ms  rv 2  Pod low-b modified  nodeName=-
            > +500ms  rv 3  Pod low-a deleted   (does not exist)
          waited:
            0.50 s, +0ms to +500ms
        """)


def test_a_reading_that_does_not_come() -> None:
    stage = Stage(command="queuecheck run --id KQ-OBS-04")
    readings = iter([0, 0, 0, 1, *[1] * 100])
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.poll(
            lambda: next(readings),
            lambda value: value == 2,
            sentence="preempted_total is 2",
            within="mark",
            describe=lambda value: f"preempted_total {value}",
        )
    assert text_of(caught.value) == textwrap.dedent("""\
        preempted_total is 2: not so within 5 s (budget mark)
          expected:
            preempted_total is 2
          every distinct state seen:
                +0ms  reading  preempted_total 0
              +300ms  reading  preempted_total 1
          waited:
            5.00 s, +0ms to +5000ms
          to run it alone:
            queuecheck run --id KQ-OBS-04
        """)


def test_no_line_is_wider_than_a_hundred_columns() -> None:
    word = "administratively " * 20
    failure = Failure(
        claim="eventually",
        sentence=word,
        reason=word,
        expected=(word, "x" * 90),
        changes=(f"status.message: {word}",),
        seen=(Row(1.0, 5, "Unit " + "long-name-" * 9, word), Row(2.0, 6, "Unit a", "there")),
        events=(Row(1.0, 5, "Warning Preempted", word),),
        command="queuecheck run",
    )
    assert max(len(line) for line in render(failure).splitlines()) <= 100


def test_a_long_history_keeps_its_beginning_and_its_end() -> None:
    rows = tuple(Row(at / 10, at, "Unit a", f"x={at}") for at in range(1, 101))
    text = render(Failure(claim="stays", sentence="s", reason="r", seen=rows))
    assert "x=1\n" in text
    assert "x=100\n" in text
    assert "… 60 more …" in text


def test_states_that_differ_in_nothing_shown_are_one_line() -> None:
    stage = Stage()
    for version in range(1, 6):
        stage.write("QueueUnit", "low-x1", version, other=version, status=status("Enqueued", 1))
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.never(state("low", "there", HELD, 1), Quiet(), since=BEGINNING)
    assert len(caught.value.failure.seen) == 1


def test_events_about_others_are_shown_only_if_there_are_none_about_the_subject(
    stage: Stage,
) -> None:
    about = {"kind": "Job", "name": "other"}
    stage.timeline.observe("Event", "ADDED", thing("Event", "e", 105, involvedObject=about))
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.eventually(EMPTY, within="reclaim", since=BEGINNING)
    assert [row.text for row in caught.value.failure.events] == ["Job other: "]
    about = {"kind": "QueueUnit", "name": "low-x1"}
    stage.timeline.observe("Event", "ADDED", thing("Event", "f", 120, involvedObject=about))
    with pytest.raises(ClaimFailed) as caught:
        stage.claims.eventually(EMPTY, within="reclaim", since=BEGINNING)
    assert [row.text for row in caught.value.failure.events] == ["QueueUnit low-x1: "]
