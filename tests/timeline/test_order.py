import pytest

from queuecheck.timeline import (
    ClaimFailed,
    Condition,
    Sighting,
    Step,
    Unknown,
    all_of,
    exists,
    negate,
)
from tests.timeline.stage import NAMESPACE, Stage, has, job, thing, unit

MARKED = has(unit("low"), marked=1)
EMPTY = has(unit("low"), held=0)
ADMITTED = has(unit("urgent"), held=6)
STARTED = has(job("urgent"), running=True)


def in_order(stage: Stage, *steps: Step | Condition) -> tuple[Sighting, ...]:
    rows = [step if isinstance(step, Step) else Step(step) for step in steps]
    return stage.claims.in_order(rows, within="reclaim")


def worked_example(stage: Stage) -> None:
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "urgent", 2, held=0)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.1)
    stage.write("Unit", "low", 4, held=0, marked=0, at=0.2)
    stage.write("Unit", "urgent", 5, held=6, at=0.3)


def test_states_in_order_are_sighted_one_by_one() -> None:
    stage = Stage()
    worked_example(stage)
    seen = in_order(stage, MARKED, EMPTY, ADMITTED)
    assert [sighting.resource_version for sighting in seen] == [3, 4, 5]


def test_a_state_that_is_there_already_is_sighted_in_the_write_that_made_it() -> None:
    stage = Stage()
    stage.write("Unit", "low", 3, held=6, marked=1)
    stage.write("Unit", "urgent", 4, held=0)
    stage.write("Unit", "low", 5, held=0, marked=0, at=0.2)
    stage.write("Unit", "urgent", 6, held=6, at=0.3)
    found, _, _ = in_order(stage, MARKED, EMPTY, ADMITTED)
    assert found.observation is not None
    assert (found.observation.name, found.observation.resource_version) == ("low", 3)
    assert found.resource_version == 4


def test_a_state_that_comes_before_its_turn_and_stays_is_out_of_order() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.1)
    stage.write("Unit", "urgent", 4, held=6, at=0.2)
    stage.write("Unit", "low", 5, held=0, marked=0, at=0.3)
    stage.write("Unit", "urgent", 6, held=6, seen=True, at=0.4)
    with pytest.raises(ClaimFailed, match=r"(?s)step 3, .*, came too early, at \+200ms,.* before"):
        in_order(stage, MARKED, EMPTY, ADMITTED)


def test_a_state_that_is_over_by_its_turn_must_come_again() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=0, marked=0)
    stage.write("Unit", "low", 2, held=6, marked=0, at=0.1)
    stage.write("Unit", "low", 3, held=0, marked=0, at=0.2)
    seen = in_order(stage, EMPTY, has(unit("low"), held=6), EMPTY)
    assert [sighting.resource_version for sighting in seen] == [1, 2, 3]


def test_a_forbidden_state_between_two_steps_breaks_the_order_even_as_a_blip() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.1)
    stage.write("Unit", "urgent", 4, held=6, at=0.20)
    stage.write("Unit", "urgent", 5, held=0, at=0.21)
    stage.write("Unit", "low", 6, held=0, marked=0, at=0.3)
    stage.write("Unit", "urgent", 7, held=6, at=0.4)
    with pytest.raises(ClaimFailed, match=r"between steps 1 and 2: .*urgent.*, at \+200ms"):
        in_order(stage, MARKED, Step(EMPTY, without=ADMITTED), ADMITTED)


def test_a_forbidden_state_before_the_first_step_breaks_the_order() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "urgent", 2, held=6, at=0.1)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.2)
    with pytest.raises(ClaimFailed, match="before step 1"):
        in_order(stage, Step(MARKED, without=ADMITTED))


def test_a_forbidden_state_that_held_before_and_not_between_is_allowed() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 2, held=0, marked=0, at=0.1)
    seen = in_order(stage, has(unit("low"), held=6), Step(EMPTY, without=MARKED))
    assert len(seen) == 2


def test_two_states_in_one_write_are_in_no_order() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 2, held=0, marked=1, at=0.1)
    with pytest.raises(ClaimFailed, match="in the same write as step 1"):
        in_order(stage, MARKED, EMPTY)


def test_two_states_in_one_write_are_in_order_where_that_is_asked() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 2, held=0, marked=1, at=0.1)
    first, second = in_order(stage, MARKED, Step(EMPTY, may_coincide=True))
    assert first.resource_version == second.resource_version == 2


def test_states_that_may_be_in_one_write_may_be_in_two() -> None:
    stage = Stage()
    worked_example(stage)
    seen = in_order(stage, MARKED, Step(EMPTY, may_coincide=True))
    assert [sighting.resource_version for sighting in seen] == [3, 4]


def test_a_state_that_may_be_in_one_write_may_not_be_in_an_earlier_one() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 2, held=0, marked=0, at=0.1)
    stage.write("Unit", "low", 3, held=0, marked=1, at=0.2)
    with pytest.raises(ClaimFailed, match=r"came too early, at \+100ms"):
        in_order(stage, MARKED, Step(EMPTY, may_coincide=True))


def test_the_order_is_that_of_versions_though_a_stream_comes_late() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Job", "urgent", 5, running=True, at=0.20)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.25)
    stage.write("Unit", "low", 4, held=0, marked=0, at=0.26)
    seen = in_order(stage, MARKED, EMPTY, STARTED)
    assert [sighting.resource_version for sighting in seen] == [3, 4, 5]


def test_an_order_that_only_arrival_shows_is_none() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.20)
    stage.write("Unit", "low", 5, held=0, marked=0, at=0.21)
    stage.write("Job", "urgent", 4, running=True, at=0.30)
    with pytest.raises(ClaimFailed, match="came too early"):
        in_order(stage, MARKED, EMPTY, STARTED)


def test_a_missing_state_is_named_with_what_was_seen_before_it() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.1)
    with pytest.raises(ClaimFailed) as caught:
        in_order(stage, MARKED, EMPTY, ADMITTED)
    expected = caught.value.failure.expected
    assert expected[0].endswith("seen at +100ms, rv 3")
    assert expected[1].endswith("not seen in its turn")
    assert 'step 2, Unit "low" has held 0: not within 5 s' in caught.value.failure.reason


def test_a_gap_makes_the_order_unknown() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 3, held=6, marked=1, at=0.1)
    stage.clock.at(0.2, lambda: stage.timeline.gap("Unit", NAMESPACE, "410"))
    listed = [thing("Unit", "low", 7, held=0, marked=0)]
    stage.clock.at(
        0.3, lambda: stage.timeline.relist("Unit", NAMESPACE, listed, resource_version=9)
    )
    with pytest.raises(Unknown, match="may have been missed"):
        in_order(stage, MARKED, EMPTY)


def test_a_gap_after_the_last_state_does_not_matter() -> None:
    stage = Stage()
    here = stage.timeline.position()
    stage.write("Unit", "low", 1, marked=1)
    stage.write("Unit", "low", 2, held=0)
    stage.timeline.gap("Unit", NAMESPACE, "410")
    steps = [Step(MARKED), Step(EMPTY)]
    assert len(stage.claims.in_order(steps, within="reclaim", since=here)) == 2


def test_without_order_across_kinds_two_kinds_are_unknown() -> None:
    stage = Stage(cross_kind_order=False)
    with pytest.raises(Unknown, match="this cluster promises no order of Job and Unit"):
        in_order(stage, MARKED, STARTED)
    with pytest.raises(Unknown, match="promises no order"):
        in_order(stage, MARKED, Step(EMPTY, without=STARTED))
    with pytest.raises(Unknown, match="promises no order"):
        in_order(stage, all_of(MARKED, STARTED), EMPTY)


def test_without_order_across_kinds_a_cause_orders_two_kinds() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Unit", "low", 700, held=6, marked=0)
    stage.write("Job", "urgent", 5, running=True, at=0.1)
    stage.write("Unit", "low", 701, held=6, marked=1, at=0.2)
    stage.write("Unit", "low", 702, held=0, marked=0, at=0.3)
    seen = in_order(stage, MARKED, Step(STARTED, caused=True), Step(EMPTY, caused=True))
    assert [sighting.resource_version for sighting in seen] == [701, 5, 702]


def test_without_order_across_kinds_each_kind_keeps_its_own_order() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Unit", "low", 1, held=6, marked=0)
    stage.write("Unit", "low", 2, held=0, marked=0, at=0.1)
    stage.write("Unit", "low", 3, held=0, marked=1, at=0.2)
    stage.write("Job", "urgent", 9, running=True, at=0.3)
    with pytest.raises(ClaimFailed, match=r"step 3, .*, came too early"):
        in_order(stage, MARKED, Step(STARTED, caused=True), Step(EMPTY, caused=True))


def test_a_subject_that_is_gone_ends_the_wait_for_its_state() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, held=6, marked=1)
    stage.write("Unit", "low", 2, held=6, marked=1, verb="DELETED", at=0.5)
    with pytest.raises(ClaimFailed, match=r'Unit\s+"low" was deleted at'):
        in_order(stage, MARKED, EMPTY)
    assert stage.timeline.now() < 2


def test_a_deletion_is_a_state_in_the_order() -> None:
    stage = Stage()
    stage.write("Unit", "low", 1, marked=1)
    stage.write("Unit", "low", 2, marked=1, verb="DELETED", at=0.5)
    seen = in_order(stage, MARKED, negate(exists(unit("low"))))
    assert seen[1].resource_version == 2
