import pytest

from queuecheck.timeline import (
    ClaimFailed,
    HarnessError,
    Quiet,
    Selection,
    SetState,
    State,
    Unknown,
    absent,
    all_of,
    any_of,
    exists,
    negate,
)
from tests.timeline.stage import NAMESPACE, Stage, has, job, thing, unit


def test_a_state_that_holds_already_is_seen_at_once() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=1)
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert (seen.resource_version, seen.object["x"]) == (5, 1)
    assert stage.timeline.now() == 0


def test_a_state_is_seen_the_moment_it_comes() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=0)
    stage.write("Unit", "a", 6, x=1, at=1.5)
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert seen.at == pytest.approx(1.5)
    assert stage.timeline.now() == pytest.approx(1.5)


def test_a_blip_since_a_position_counts_even_when_it_is_over() -> None:
    stage = Stage()
    here = stage.timeline.position()
    stage.write("Unit", "a", 5, x=0)
    stage.write("Unit", "a", 6, x=1)
    stage.write("Unit", "a", 7, x=0)
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit", since=here)
    assert seen.resource_version == 6


def test_a_blip_before_the_claim_does_not_count() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=1)
    stage.write("Unit", "a", 6, x=0)
    with pytest.raises(ClaimFailed, match=r"not seen within 5 s \(budget admit\)"):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")


def test_what_comes_late_from_before_the_position_is_before_it() -> None:
    stage = Stage()
    stage.write("Job", "j", 10)
    here = stage.timeline.position()
    stage.write("Unit", "a", 8, x=1, at=0.1)
    stage.write("Unit", "a", 9, x=0, at=0.1)
    with pytest.raises(ClaimFailed):
        stage.claims.eventually(has(unit("a"), x=1), within="admit", since=here)


def test_a_deleted_subject_ends_the_wait_and_is_the_reason() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=0)
    stage.write("Unit", "a", 6, x=0, verb="DELETED", at=1.0)
    with pytest.raises(ClaimFailed, match='can no longer come true: Unit "a" was deleted at'):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert stage.timeline.now() < 2


def test_a_deletion_before_the_claim_does_not_end_the_wait() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, uid="one")
    stage.write("Unit", "a", 6, uid="one", verb="DELETED")
    stage.write("Unit", "a", 7, uid="two", verb="ADDED", x=1, at=1.0)
    assert stage.claims.eventually(has(unit("a"), x=1), within="admit").resource_version == 7


def test_a_subject_that_may_return_is_waited_for_under_its_new_uid() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, uid="one")
    stage.write("Unit", "a", 6, uid="one", verb="DELETED", at=1.0)
    stage.write("Unit", "a", 7, uid="two", verb="ADDED", x=1, at=2.0)
    state = has(unit("a"), x=1)
    back = State(state.subject, state.sentence, state.test, may_return=True)
    seen = stage.claims.eventually(back, within="admit")
    assert seen.object["metadata"]["uid"] == "two"


def test_a_deletion_is_what_an_absence_waits_for() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5)
    stage.write("Unit", "a", 6, verb="DELETED", at=1.0)
    assert stage.claims.eventually(absent(unit("a")), within="absent").resource_version == 6


def test_an_absence_from_the_start_has_no_object_to_look_at() -> None:
    stage = Stage()
    seen = stage.claims.eventually(absent(unit("a")), within="absent")
    with pytest.raises(HarnessError, match="there is no object"):
        _ = seen.object


def test_a_hopeless_reason_ends_the_wait_though_nothing_is_seen() -> None:
    stage = Stage()
    gone: list[str] = []
    stage.clock.at(1.0, lambda: gone.append("the controller is gone: exit code 2"))
    with pytest.raises(ClaimFailed, match="the controller is gone: exit code 2"):
        stage.claims.eventually(
            has(unit("a"), x=1), within="admit", hopeless=[lambda: gone[0] if gone else None]
        )
    assert stage.timeline.now() < 2


def test_a_state_that_has_come_is_seen_though_the_cause_of_despair_came_first() -> None:
    stage = Stage()
    stage.write("Job", "j", 6, failed=True, at=0.5)
    stage.write("Unit", "a", 5, x=1, at=0.6)
    despair = stage.claims.hopeless_when(has(job("j"), failed=True), "the Job has failed")
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit", hopeless=[despair])
    assert seen.resource_version == 5


def test_a_gap_makes_a_missing_state_unknown() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=0)
    stage.clock.at(1.0, lambda: stage.timeline.gap("Unit", NAMESPACE, "410 Gone"))
    later = [thing("Unit", "a", 9, x=0)]
    stage.clock.at(1.1, lambda: stage.timeline.relist("Unit", NAMESPACE, later, resource_version=9))
    with pytest.raises(Unknown, match="410 Gone"):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")


def test_a_state_seen_after_a_gap_is_seen() -> None:
    stage = Stage()
    stage.clock.at(1.0, lambda: stage.timeline.gap("Unit", NAMESPACE, "EOF"))
    later = [thing("Unit", "a", 9, x=1)]
    stage.clock.at(1.1, lambda: stage.timeline.relist("Unit", NAMESPACE, later, resource_version=9))
    assert stage.claims.eventually(has(unit("a"), x=1), within="admit").resource_version == 9


def test_a_gap_that_a_list_has_closed_is_over_for_the_claims_that_follow() -> None:
    stage = Stage()
    stage.write("Unit", "a", 90, x=0)
    stage.timeline.gap("Unit", NAMESPACE, "EOF")
    stage.timeline.relist("Unit", NAMESPACE, [thing("Unit", "a", 90, x=0)], resource_version=500)
    with pytest.raises(ClaimFailed, match="not seen within 5 s"):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")


def test_what_a_gap_has_swallowed_is_unknown_though_its_subject_is_gone_since() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=0)
    stage.clock.at(1.0, lambda: stage.timeline.gap("Unit", NAMESPACE, "410 Gone"))
    stage.clock.at(1.1, lambda: stage.timeline.relist("Unit", NAMESPACE, [], resource_version=9))
    with pytest.raises(Unknown, match="410 Gone"):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert stage.timeline.now() < 2


def test_a_gap_in_another_kind_or_before_the_claim_does_not_matter() -> None:
    stage = Stage()
    stage.timeline.gap("Unit", NAMESPACE, "EOF")
    stage.timeline.relist("Unit", NAMESPACE, [thing("Unit", "a", 9)], resource_version=9)
    stage.write("Unit", "b", 10)
    stage.timeline.gap("Job", NAMESPACE, "EOF")
    with pytest.raises(ClaimFailed):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")


def test_states_joined_by_all_must_hold_at_one_moment() -> None:
    stage = Stage()
    here = stage.timeline.position()
    stage.write("Unit", "a", 1, x=1)
    stage.write("Unit", "a", 2, x=0)
    stage.write("Job", "j", 3, y=1)
    both = all_of(has(unit("a"), x=1), has(job("j"), y=1))
    with pytest.raises(ClaimFailed):
        stage.claims.eventually(both, within="admit", since=here)


def test_a_moment_that_only_late_streams_seem_to_show_is_none() -> None:
    stage = Stage()
    here = stage.timeline.position()
    stage.write("Unit", "a", 1, x=1)
    stage.write("Job", "j", 3, y=1)
    stage.write("Unit", "a", 2, x=0, at=0.1)
    both = all_of(has(unit("a"), x=1), has(job("j"), y=1))
    with pytest.raises(ClaimFailed):
        stage.claims.eventually(both, within="admit", since=here)


def test_states_of_two_kinds_are_seen_together_even_without_an_order_across_kinds() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Unit", "a", 1, x=1)
    stage.write("Job", "j", 3, y=1, at=0.5)
    both = all_of(has(unit("a"), x=1), has(job("j"), y=1))
    assert stage.claims.eventually(both, within="admit").resource_version == 3


def test_without_order_across_kinds_only_the_present_shows_two_kinds_together() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Unit", "a", 1, x=1)
    stage.write("Job", "j", 3, y=1, at=0.5)
    stage.write("Unit", "a", 2, x=0, at=0.6)
    both = all_of(has(unit("a"), x=1), has(job("j"), y=1))
    with pytest.raises(ClaimFailed):
        stage.claims.eventually(both, within="admit")


def test_states_joined_by_any_and_negated() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    either = any_of(has(unit("a"), x=7), negate(exists(unit("b"))))
    assert stage.claims.eventually(either, within="admit").sentence == either.sentence


def test_a_set_is_judged_with_everything_that_is_selected() -> None:
    stage = Stage()
    pods = Selection("Pod", NAMESPACE, lambda found: found.get("of") == "low", "pods of low")
    three = SetState(pods, "three pods of low", lambda found: len(found) == 3)
    for version in range(1, 4):
        stage.write("Pod", f"p{version}", version, of="low", at=version / 10)
        stage.write("Pod", f"q{version}", version + 10, of="high", at=version / 10)
    stage.write("Pod", "p1", 20, of="low", verb="DELETED", at=1.0)
    assert stage.claims.eventually(three, within="create").at == pytest.approx(0.3)


def test_a_predicate_that_breaks_is_the_harness_that_fails() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1)
    broken = State(unit("a"), "a has a phase", lambda found: bool(found and found["status"]))
    with pytest.raises(HarnessError, match="the predicate of 'a has a phase' broke: KeyError"):
        stage.claims.eventually(broken, within="admit")


def test_a_sighting_is_a_place_to_go_on_from() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    stage.write("Unit", "a", 2, x=2)
    stage.write("Unit", "a", 3, x=3)
    start = stage.claims.eventually(exists(unit("a")), within="admit")
    assert start.resource_version == 3
    stage.write("Unit", "a", 4, x=4)
    stage.write("Unit", "a", 5, x=5)
    four = stage.claims.eventually(has(unit("a"), x=4), within="admit", since=start.position)
    with pytest.raises(ClaimFailed):
        stage.claims.eventually(has(unit("a"), x=3), within="admit", since=four.position)
    again = stage.claims.eventually(has(unit("a"), x=4), within="admit", since=four.position)
    assert again.resource_version == 4


def test_what_held_from_the_start_is_a_place_no_earlier_than_the_start() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=1)
    stage.write("Unit", "b", 7, x=1)
    here = stage.timeline.position()
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit", since=here)
    assert (seen.resource_version, seen.position) == (5, here)
    stage.write("Unit", "b", 8, x=0)
    with pytest.raises(ClaimFailed, match="it was so at"):
        stage.claims.never(has(unit("b"), x=1), Quiet(), since=here)
    after = stage.claims.eventually(has(unit("b"), x=0), within="admit", since=seen.position)
    assert stage.claims.never(has(unit("b"), x=1), Quiet(), since=after.position).by == "quiet"


def test_a_write_before_the_start_is_none_that_follows_a_state_of_before() -> None:
    stage = Stage()
    stage.write("Unit", "a", 5, x=1)
    stage.write("Unit", "b", 6, x=1)
    stage.write("Unit", "b", 7, x=0)
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert stage.claims.never(has(unit("b"), x=1), Quiet(), since=seen.position).by == "quiet"


def test_how_things_stood_is_not_judged_before_the_stream_has_come_that_far() -> None:
    stage = Stage()
    stage.write("Unit", "a", 90, x=1)
    stage.write("Job", "j", 101)
    stage.write("Unit", "a", 100, x=0, at=0.05)
    with pytest.raises(ClaimFailed, match="not seen within 5 s"):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")


def test_a_list_tells_how_far_the_stream_has_come() -> None:
    stage = Stage()
    stage.write("Job", "j", 101)
    stage.timeline.relist("Unit", NAMESPACE, [thing("Unit", "a", 90, x=1)], resource_version=102)
    stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert stage.timeline.now() == 0


@pytest.mark.parametrize("early", [1, 9000])
def test_without_order_across_kinds_each_kind_is_measured_by_its_own_versions(early: int) -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Event", "e", early)
    stage.write("Unit", "a", 10, x=0)
    stage.write("Unit", "a", 11, x=1, at=0.1)
    stage.write("Unit", "a", 12, x=0, at=0.2)
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert seen.resource_version == 11
    again = stage.claims.eventually(has(unit("a"), x=0), within="admit", since=seen.position)
    assert again.resource_version == 12
    stage.write("Job", "j", 3, y=1)
    other = stage.claims.eventually(has(job("j"), y=1), within="admit", since=seen.position)
    assert other.resource_version == 3


def test_without_order_across_kinds_a_deletion_is_one_of_its_own_kind() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Event", "e", 9000)
    stage.write("Unit", "a", 10, x=0)
    stage.write("Unit", "a", 11, x=0, verb="DELETED", at=1.0)
    with pytest.raises(ClaimFailed, match="was deleted at"):
        stage.claims.eventually(has(unit("a"), x=1), within="admit")
    assert stage.timeline.now() < 2


@pytest.mark.parametrize(
    ("ordered", "version"),
    [
        pytest.param(True, 23, id="one order for all"),
        pytest.param(False, 1, id="units are behind"),
        pytest.param(False, 9000, id="units are ahead"),
    ],
)
def test_what_had_been_written_by_a_sighting_of_another_kind(
    *, ordered: bool, version: int
) -> None:
    stage = Stage(cross_kind_order=ordered)
    stage.write("Job", "j", 21, y=0)
    stage.write("Job", "j", 22, y=1)
    stage.write("Unit", "a", version, x=1, at=0.1)
    seen = stage.claims.eventually(has(unit("a"), x=1), within="admit")
    stage.write("Job", "j", 24, y=2)
    written = stage.claims.up_to(seen.position, job("j"))
    assert [each.resource_version for each in written] == [21, 22]


def test_every_claim_is_recorded_with_its_outcome() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    stage.claims.eventually(has(unit("a"), x=1), within="admit")
    with pytest.raises(ClaimFailed):
        stage.claims.eventually(has(unit("a"), x=2), within="admit")
    assert [record.outcome for record in stage.claims.records] == ["passed", "failed"]
    assert stage.claims.waiting is None
