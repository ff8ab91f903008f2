import pytest

from queuecheck.timeline import (
    ClaimFailed,
    Fence,
    HarnessError,
    Quiet,
    Unknown,
    absent,
    all_of,
    exists,
    negate,
)
from tests.timeline.stage import NAMESPACE, Stage, has, job, thing, unit

QUIET = Quiet()


def fence(name: str = "later") -> Fence:
    return Fence(has(unit(name), refused=1), within="mark", sentence=f"{name} was refused")


def test_a_blip_between_two_looks_breaks_stays() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    stage.write("Unit", "a", 2, x=0, at=0.500)
    stage.write("Unit", "a", 3, x=1, at=0.501)
    with pytest.raises(ClaimFailed, match=r"it was not so at \+500ms, resourceVersion 2"):
        stage.claims.stays(has(unit("a"), x=1), QUIET)


def test_a_blip_between_two_looks_breaks_never() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.write("Unit", "a", 2, x=1, at=0.500)
    stage.write("Unit", "a", 3, x=0, at=0.501)
    with pytest.raises(ClaimFailed, match=r"it was so at \+500ms, resourceVersion 2"):
        stage.claims.never(has(unit("a"), x=1), QUIET)


def test_a_quiet_window_lasts_its_budget_and_says_so() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    closed = stage.claims.stays(has(unit("a"), x=1), QUIET)
    assert closed.by == "quiet"
    assert closed.waited == pytest.approx(2.25)
    assert stage.claims.records[-1].closed_by == "quiet"


def test_what_happens_after_a_quiet_window_is_not_its_matter() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.write("Unit", "a", 2, x=1, at=2.5)
    assert stage.claims.never(has(unit("a"), x=1), QUIET).by == "quiet"


def test_how_things_stand_at_the_start_belongs_to_the_window() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=1)
    with pytest.raises(ClaimFailed, match="it was so at"):
        stage.claims.never(has(unit("a"), x=1), QUIET)
    with pytest.raises(ClaimFailed, match="it was so at the start"):
        stage.claims.never(absent(unit("b")), QUIET)


def test_how_things_stand_at_the_start_is_not_judged_on_a_stream_that_is_behind() -> None:
    stage = Stage()
    stage.write("Unit", "a", 90, x=1)
    stage.write("Job", "j", 101)
    stage.write("Unit", "a", 100, x=0, at=0.05)
    assert stage.claims.never(has(unit("a"), x=1), QUIET).by == "quiet"


def test_a_fence_does_not_stand_already_where_the_stream_is_only_behind() -> None:
    stage = Stage()
    stage.write("Unit", "later", 90, refused=1)
    stage.write("Job", "j", 101)
    stage.write("Unit", "later", 100, at=0.05)
    stage.write("Unit", "later", 102, refused=1, at=1.0)
    assert stage.claims.never(has(unit("a"), x=1), fence()).by == "fence"


def test_a_window_may_begin_before_the_claim() -> None:
    stage = Stage()
    here = stage.timeline.position()
    stage.write("Unit", "a", 1, x=1)
    stage.write("Unit", "a", 2, x=0)
    with pytest.raises(ClaimFailed, match="resourceVersion 1"):
        stage.claims.never(has(unit("a"), x=1), QUIET, since=here)


def test_a_quiet_window_counts_from_where_it_begins() -> None:
    stage = Stage()
    here = stage.timeline.position()
    stage.write("Unit", "a", 1, x=0)
    stage.claims.never(has(unit("b"), x=1), QUIET)
    closed = stage.claims.never(has(unit("a"), x=1), QUIET, since=here)
    assert closed.waited == pytest.approx(0, abs=0.5)
    assert closed.sentence == "watched for 2 s (budget quiet)"


def test_a_fence_closes_the_window_as_soon_as_it_is_seen() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.write("Unit", "later", 2, at=0.5)
    stage.write("Unit", "later", 3, refused=1, at=1.0)
    closed = stage.claims.never(has(unit("a"), x=1), fence())
    assert (closed.by, closed.sentence) == ("fence", "later was refused")
    assert closed.waited < 2


def test_a_write_behind_the_fence_is_outside() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.write("Unit", "later", 3, refused=1, at=1.0)
    stage.write("Unit", "a", 4, x=1, at=1.1)
    assert stage.claims.never(has(unit("a"), x=1), fence()).by == "fence"


def test_a_write_before_the_fence_that_comes_in_after_it_is_inside() -> None:
    stage = Stage()
    stage.write("Job", "j", 1, x=0)
    stage.write("Unit", "later", 3, refused=1, at=1.0)
    stage.write("Job", "j", 2, x=1, at=1.1)
    with pytest.raises(ClaimFailed, match="resourceVersion 2"):
        stage.claims.never(has(job("j"), x=1), fence())


def test_a_fence_that_does_not_come_is_a_failure() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    with pytest.raises(ClaimFailed, match="the window did not close"):
        stage.claims.never(has(unit("a"), x=1), fence())


def test_a_fence_that_need_not_come_leaves_a_quiet_window() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    window = Fence(has(unit("later"), refused=1), within="quiet", otherwise="mark")
    closed = stage.claims.never(has(unit("a"), x=1), window)
    assert closed.by == "quiet"
    assert closed.waited >= 5


def test_a_fence_that_stands_already_closes_nothing() -> None:
    stage = Stage()
    stage.write("Unit", "later", 1, refused=1)
    with pytest.raises(HarnessError, match="was so already at the start"):
        stage.claims.never(has(unit("a"), x=1), fence())


def test_a_gap_in_the_window_makes_it_unknown() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.clock.at(0.5, lambda: stage.timeline.gap("Unit", NAMESPACE, "410"))
    listed = [thing("Unit", "a", 1, x=0)]
    stage.clock.at(
        0.6, lambda: stage.timeline.relist("Unit", NAMESPACE, listed, resource_version=8)
    )
    with pytest.raises(Unknown, match=r"writes of Unit .* may have been missed at \+500ms: 410"):
        stage.claims.never(has(unit("a"), x=1), QUIET)


def test_a_violation_stands_whatever_was_missed() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.clock.at(0.5, lambda: stage.timeline.gap("Unit", NAMESPACE, "410"))
    listed = [thing("Unit", "a", 4, x=1)]
    stage.clock.at(
        0.6, lambda: stage.timeline.relist("Unit", NAMESPACE, listed, resource_version=8)
    )
    with pytest.raises(ClaimFailed):
        stage.claims.never(has(unit("a"), x=1), QUIET)


def test_a_gap_behind_the_fence_does_not_matter() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.write("Unit", "later", 3, refused=1, at=1.0)
    stage.write("Unit", "a", 4, x=0, at=1.1)
    stage.clock.at(1.15, lambda: stage.timeline.gap("Unit", NAMESPACE, "410"))
    assert stage.claims.never(has(unit("a"), x=1), fence()).by == "fence"


def test_two_kinds_that_cannot_be_ordered_cannot_be_watched_together() -> None:
    stage = Stage(cross_kind_order=False)
    both = all_of(exists(unit("a")), exists(job("j")))
    with pytest.raises(Unknown, match="the order of Job and Unit is not known"):
        stage.claims.never(both, QUIET)


@pytest.mark.parametrize("early", [1, 9000])
def test_without_order_across_kinds_a_blip_is_seen_whatever_the_other_kind_counts(
    early: int,
) -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Event", "e", early)
    stage.write("Unit", "a", 10, x=0)
    stage.write("Unit", "a", 11, x=1, at=0.1)
    stage.write("Unit", "a", 12, x=0, at=0.2)
    with pytest.raises(ClaimFailed, match="it was so at"):
        stage.claims.never(has(unit("a"), x=1), QUIET)


def test_without_order_across_kinds_a_gap_is_one_of_its_own_kind() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Event", "e", 9000)
    stage.write("Unit", "a", 10, x=0)
    stage.clock.at(0.5, lambda: stage.timeline.gap("Unit", NAMESPACE, "410"))
    listed = [thing("Unit", "a", 10, x=0)]
    stage.clock.at(
        0.6, lambda: stage.timeline.relist("Unit", NAMESPACE, listed, resource_version=12)
    )
    with pytest.raises(Unknown, match="410"):
        stage.claims.never(has(unit("a"), x=1), QUIET)


def test_without_order_across_kinds_a_violation_well_before_the_fence_is_one() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Job", "j", 900, x=1, at=0.2)
    stage.write("Unit", "later", 3, refused=1, at=1.0)
    with pytest.raises(ClaimFailed):
        stage.claims.never(has(job("j"), x=1), fence())


def test_without_order_across_kinds_a_violation_near_the_fence_is_unknown() -> None:
    stage = Stage(cross_kind_order=False)
    stage.write("Unit", "later", 3, refused=1, at=1.0)
    stage.write("Job", "j", 2, x=1, at=1.1)
    with pytest.raises(Unknown, match="whether that was before the fence is not known"):
        stage.claims.never(has(job("j"), x=1), fence())


def test_stays_may_be_said_of_an_absence() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, at=1.0)
    with pytest.raises(ClaimFailed, match="resourceVersion 1"):
        stage.claims.stays(absent(unit("a")), QUIET)
    assert stage.claims.stays(negate(absent(unit("a"))), QUIET).by == "quiet"


def test_the_silence_of_a_controller_that_is_gone_proves_nothing() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    gone: list[str] = []
    stage.clock.at(1.0, lambda: gone.append("the controller is gone"))
    with pytest.raises(ClaimFailed, match="silence proves nothing: the controller is gone"):
        stage.claims.never(has(unit("a"), x=1), QUIET, hopeless=[lambda: "".join(gone) or None])


def test_a_violation_is_told_even_if_the_controller_is_gone() -> None:
    stage = Stage()
    stage.write("Unit", "a", 1, x=0)
    stage.write("Unit", "a", 2, x=1, at=0.1)
    with pytest.raises(ClaimFailed, match="it was so at"):
        stage.claims.never(has(unit("a"), x=1), QUIET, hopeless=[lambda: "gone"])
