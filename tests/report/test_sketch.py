"""From observations to a picture."""

from __future__ import annotations

from typing import Any

from queuecheck.report import Blank, Happening, Picture
from queuecheck.report.sketch import sketch
from queuecheck.timeline import Timeline

TAIL = "abcde-kq-pre-02-a3"
SPACE = f"qc-{TAIL}"
SHOWN = {
    "Unit": {"holds": "status.admissions[].replicas", "message": "status.message"},
    "Queue": {"policy": "spec.policy"},
    "Secret": {"data": "data"},
}


class Scene:
    """A timeline that is written to by hand."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self._version = 0

    def write(
        self,
        kind: str,
        name: str,
        *,
        verb: Any = "MODIFIED",
        namespace: str = SPACE,
        version: int | None = None,
        **content: Any,
    ) -> None:
        self._version = version or self._version + 1
        metadata = {
            "name": name,
            "namespace": namespace,
            "uid": f"{kind}/{name}",
            "resourceVersion": str(self._version),
            **content.pop("metadata", {}),
        }
        self.timeline.observe(kind, verb, {"metadata": metadata, **content})

    def picture(self, *, most: int = 10) -> Picture:
        return sketch(
            self.timeline.observations(),
            self.timeline.gaps(),
            ended=1.5,
            shown=SHOWN,
            tail=TAIL,
            most=most,
        )


def test_a_lane_has_a_moment_for_each_state_that_differs() -> None:
    scene = Scene()
    held = {"admissions": [{"replicas": 2}, {"replicas": None}]}
    scene.write("Unit", "low", verb="ADDED")
    scene.write("Unit", "low", status=held)
    scene.write("Unit", "low", status=held, metadata={"generation": 7})
    scene.write("Unit", "low", verb="DELETED", status=held)
    (lane,) = scene.picture().lanes
    assert [(moment.version, moment.verb, moment.shown) for moment in lane.moments] == [
        (1, "added", {}),
        (2, "modified", {"holds": "2, -"}),
        (4, "deleted", {}),
    ]


def test_moments_are_in_order_of_version_whatever_came_first() -> None:
    scene = Scene()
    scene.write("Unit", "low", version=9, status={"message": "later"})
    scene.write("Unit", "low", version=3, status={"message": "earlier"})
    (lane,) = scene.picture().lanes
    assert [moment.shown["message"] for moment in lane.moments] == ["earlier", "later"]


def test_an_object_that_comes_back_begins_anew() -> None:
    scene = Scene()
    for verb in ("ADDED", "DELETED", "ADDED"):
        scene.write("Unit", "low", verb=verb)
    (lane,) = scene.picture().lanes
    assert [moment.verb for moment in lane.moments] == ["added", "deleted", "added"]


def test_too_many_moments_keep_their_first_and_last() -> None:
    scene = Scene()
    for number in range(8):
        scene.write("Unit", "low", status={"message": str(number)})
    (lane,) = scene.picture(most=3).lanes
    assert [moment.shown["message"] for moment in lane.moments] == ["0", "1", "7"]
    assert lane.left_out == 5


def test_a_long_text_is_cut() -> None:
    scene = Scene()
    scene.write("Unit", "low", status={"message": "x" * 900})
    (lane,) = scene.picture().lanes
    assert lane.moments[0].shown["message"] == "x" * 199 + "…"


def test_names_are_told_as_the_scenario_calls_them() -> None:
    scene = Scene()
    owners = {"ownerReferences": [{"kind": "Job", "name": "low"}]}
    scene.write("Queue", f"team-{TAIL}", namespace="queues", metadata=owners)
    (lane,) = scene.picture().lanes
    assert (lane.alias, lane.owner) == ("team", "Job/low")


def test_what_other_scenarios_have_is_left_out() -> None:
    scene = Scene()
    scene.write("Queue", f"team-{TAIL}1", verb="LISTED", namespace="queues")
    scene.write("Queue", f"team-{TAIL}1", namespace="queues", spec={"policy": "Block"})
    scene.write("Queue", "made-meanwhile", verb="ADDED", namespace="queues")
    scene.write("Unit", "second", namespace=f"{SPACE}-2")
    assert {lane.name for lane in scene.picture().lanes} == {"made-meanwhile", "second"}


def test_kinds_that_nobody_shows_are_left_out_and_secrets_whoever_shows_them() -> None:
    scene = Scene()
    scene.write("Node", "n")
    scene.write("Secret", "s", data={"key": "value"})
    assert scene.picture().lanes == ()


def test_an_event_is_told_once_with_its_count() -> None:
    scene = Scene()
    about: Any = {"involvedObject": {"kind": "Unit", "name": "low"}, "reason": "Refused"}
    scene.write("Event", "e", type="Warning", message="no room", **about)
    scene.write("Event", "e", type="Warning", message="no room", count=4, **about)
    (event,) = scene.picture().events
    assert event == Happening(event.ms, 1, "Unit/low", "Warning", "Refused", "no room", 4)


def test_an_event_of_the_queue_namespace_is_ours_by_what_it_is_about() -> None:
    scene = Scene()
    for name in (f"team-{TAIL}", "theirs"):
        about: Any = {"involvedObject": {"kind": "Queue", "name": name}}
        scene.write("Event", f"about-{name}", namespace="queues", **about)
    assert [event.about for event in scene.picture().events] == [f"Queue/team-{TAIL}"]


def test_a_gap_is_a_blank() -> None:
    scene = Scene()
    scene.timeline.gap("Unit", SPACE, "the stream ended")
    (blank,) = scene.picture().blanks
    assert blank == Blank(blank.ms, None, "Unit", "the stream ended")


def test_an_empty_timeline_is_an_empty_picture() -> None:
    assert Scene().picture() == Picture(ended=1500)
