from __future__ import annotations

from dataclasses import replace

from queuecheck.report import Blank, Lane, Moment, Picture, ScenarioRun
from queuecheck.report.html.axis import Instant
from queuecheck.report.html.chart import Chart, Tone
from queuecheck.report.html.lanes import Clock, told
from queuecheck.report.html.reading import read
from tests.report.runs import CLAIMS, FAILED, LOOKS, PASSED, PICTURE, STEPS, lane, mark, moment


def chart(run: ScenarioRun, *, ordered: bool = True) -> Chart:
    found = read(run, LOOKS, ordered=ordered)
    assert found is not None
    return found.chart


def states(drawn: Chart, name: str) -> list[tuple[str, Tone]]:
    (found,) = [each for each in drawn.lanes if each.name == name]
    return [(each.text, each.tone) for each in found.stretches]


def with_lanes(*lanes: Lane) -> ScenarioRun:
    return replace(PASSED, claims=(), picture=Picture(500, lanes))


def test_a_state_is_told_in_the_profiles_words_and_begins_where_they_change() -> None:
    assert states(chart(PASSED), "unit low") == [
        ("new", Tone.WAITS),
        ("Enqueued", Tone.WAITS),
        ("Dequeued, holds 1", Tone.HOLDS),
        ("Dequeued, holds 1, marked for 1", Tone.MARKED),
        ("Enqueued", Tone.WAITS),
    ]


def test_pods_of_one_job_share_a_lane_that_counts_them() -> None:
    two = with_lanes(
        lane("Job", "low", moment(1, 1, "added", suspended="no")),
        lane("Pod", "low-a", moment(2, 2, "added"), moment(9, 9, node="n"), owner="Job/low"),
        lane("Pod", "low-b", moment(3, 3, "added"), moment(8, 8, "deleted"), owner="Job/low"),
    )
    assert states(chart(two), "pods of low") == [
        ("waiting for a node", Tone.WAITS),
        ("2 waiting for a node", Tone.WAITS),
        ("waiting for a node", Tone.WAITS),
        ("on a node, not started", Tone.HOLDS),
    ]


def test_what_is_gone_is_told_until_it_is_there_again() -> None:
    again = with_lanes(
        lane("QueueUnit", "low", moment(1, 1, "added"), moment(2, 2, "deleted"), moment(3, 3)),
    )
    assert [text for text, _ in states(chart(again), "unit low")] == [
        "new",
        "gone",
        "new",
    ]


def test_lanes_of_one_piece_of_work_stand_together() -> None:
    assert [each.name for each in chart(PASSED).lanes] == [
        "unit low",
        "Job low",
        "pods of low",
        "unit high",
    ]


def test_what_stands_in_the_background_is_drawn_only_when_it_changes() -> None:
    changing = lane("ElasticQuota", "team", moment(5, 1, max="cpu=2"), moment(9, 3, max="cpu=4"))
    drawn = chart(replace(PASSED, picture=replace(PICTURE, lanes=(*PICTURE.lanes[1:], changing))))
    assert states(drawn, "quota team") == [("max cpu=2", Tone.WAITS), ("max cpu=4", Tone.WAITS)]
    assert drawn.lanes[-1].name == "quota team"


def test_events_are_in_the_lane_of_what_they_are_about() -> None:
    (low,) = [each for each in chart(PASSED).lanes if each.name == "unit low"]
    assert [(dot.text, dot.warning) for dot in low.dots] == [
        ("Preempted", True),
        ("Reclaimed ×2", False),
    ]


def test_states_of_a_claim_are_numbered_from_left_to_right() -> None:
    assert [(each.number, each.lane, each.at.version) for each in chart(PASSED).numbered] == [
        (1, "unit low", 10),
        (2, "pods of low", 14),
        (3, "unit low", 15),
    ]


def test_two_claims_that_point_at_one_write_share_its_number() -> None:
    second = replace(
        CLAIMS[1], step=3, marks=(mark("state", "again", 150, 15, "QueueUnit/low", number=1),)
    )
    found = read(replace(PASSED, claims=(CLAIMS[1], second)), LOOKS, ordered=True)
    assert found is not None
    assert len(found.chart.numbered) == 3
    assert found.numbers[1, 0] == found.numbers[0, 2] == 3


def test_a_stretch_begins_anew_where_a_number_stands_in_it() -> None:
    later = replace(CLAIMS[1], marks=(mark("state", "tried", 160, 16, "QueueUnit/low", number=1),))
    drawn = chart(replace(PASSED, claims=(later,)))
    (low,) = [each for each in drawn.lanes if each.name == "unit low"]
    assert [each.start.version for each in low.stretches if each.text == "Enqueued"] == [4, 15, 16]


def test_claims_before_the_act_get_neither_numbers_nor_windows() -> None:
    before = tuple(replace(claim, step=0) for claim in CLAIMS)
    drawn = chart(replace(PASSED, claims=before))
    assert (drawn.numbered, drawn.windows) == ((), ())
    act = drawn.act
    assert act is not None
    assert (act.text, act.at) == ('When the Job "high" is submitted', Instant(95))


def test_a_window_says_what_closed_it() -> None:
    (window,) = chart(PASSED).windows
    assert window.text == (
        'never: QueueUnit "high" is admitted · closed by a fence: QueueUnit "high" is admitted'
    )
    assert (window.start, window.end, window.broken) == (Instant(180), Instant(200), False)


def test_the_write_that_broke_a_claim_goes_through_all_lanes() -> None:
    drawn = chart(FAILED)
    assert drawn.broken is not None
    assert drawn.broken.at == Instant(170, 18)
    assert drawn.windows[0].broken


def test_a_claim_that_was_given_up_shows_where() -> None:
    late = replace(CLAIMS[1], outcome="failed", ended=480)
    drawn = chart(replace(FAILED, claims=(late,)))
    assert drawn.broken is not None
    assert drawn.broken.at == Instant(480)


def test_a_gap_is_shown_as_one() -> None:
    drawn = chart(
        replace(PASSED, picture=replace(PICTURE, blanks=(Blank(50, None, "Pod", "410"),)))
    )
    assert "Pod" in drawn.windows[-1].text
    assert drawn.windows[-1].end == Instant(500)


def test_versions_are_the_order_and_the_clock_gives_way() -> None:
    seen = [(40, 7), (35, 8), (60, 9)]
    clock = Clock(seen, ordered=True)
    instants = [clock.at(ms, version) for ms, version in seen]
    assert instants == sorted(instants)
    assert [at.ms for at in instants] == [40, 40, 60]


def test_where_versions_do_not_compare_the_clock_is_the_order() -> None:
    clock = Clock([(40, 7), (35, 8)], ordered=False)
    assert clock.at(35, 8) < clock.at(40, 7)


def test_a_scenario_that_did_not_begin_has_no_chart() -> None:
    assert read(replace(PASSED, picture=None), LOOKS, ordered=True) is None
    unplayed = tuple(replace(step, outcome="not-run") for step in STEPS)
    assert chart(replace(PASSED, steps=unplayed, claims=(), picture=Picture(0))).act is None


def test_a_part_whose_word_is_not_there_is_left_out() -> None:
    look = LOOKS["QueueUnit"]
    assert told(Moment(0, 1, "added", {"holds": "2, 1", "marked": "0, 0"}), look) == (
        "holds 2, 1",
        Tone.HOLDS,
    )
