from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import Phase, given, settings

from queuecheck.report.html.axis import Instant
from queuecheck.report.html.chart import (
    MOST_DOTS,
    MOST_LANES,
    MOST_STRETCHES,
    Chart,
    Dot,
    Lane,
    Stretch,
    Tone,
)
from queuecheck.report.html.draw import BADGE, LETTER, PAGE, PHONE, draw
from tests.report.charts import charts, example

SVG = "{http://www.w3.org/2000/svg}"
TONES = {tone.value for tone in Tone}
# What explains a failure traces every line, and that of hypothesis itself.
slow = settings(
    max_examples=40,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)


def parsed(chart: Chart, *, standalone: bool = False) -> ET.Element:
    """The drawing, without the namespace that only a picture of its own declares."""
    root = ET.fromstring(draw(chart, key="k", standalone=standalone))  # noqa: S314 - our own
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
    return root


def place(element: ET.Element, name: str) -> float:
    """A length on the way from left to right, in percent."""
    return float(element.get(name, "0").removesuffix("%"))


def boxes(root: ET.Element, *names: str) -> Iterator[ET.Element]:
    yield from (each for each in root.iter("svg") if each.get("class", "").split()[:1] == [*names])


@slow
@given(charts())
def test_everything_is_inside_the_frame(chart: Chart) -> None:
    root = parsed(chart)
    height = float(root.get("height", "0"))
    assert root.get("width") == "100%"
    for box in root.findall("svg"):
        assert place(box, "x") >= 0
        assert place(box, "x") + place(box, "width") <= 100.2
        assert float(box.get("y", "0")) >= 0
        assert float(box.get("y", "0")) + float(box.get("height", BADGE)) <= height
    for line in root.findall("line"):
        assert 0 <= place(line, "x1") <= 100
        assert float(line.get("y2", "0")) <= height
    for words in root.findall("text"):
        assert 8 <= float(words.get("y", "0")) <= height - 3


@slow
@given(charts())
def test_words_of_the_axis_neither_leave_the_frame_nor_touch_on_a_phone(chart: Chart) -> None:
    spans = []
    for tick in (each for each in parsed(chart).iter("text") if each.get("class") == "tick"):
        middle, width = place(tick, "x"), len(tick.text or "") * 6 / PHONE * 100
        left = {"start": middle, "middle": middle - width / 2, "end": middle - width}
        start = left[tick.get("text-anchor", "start")]
        spans.append((start, start + width))
    assert all(start >= 0 and end <= 100.01 for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(sorted(spans)))


@slow
@given(charts())
def test_every_state_stands_in_its_lane_in_order(chart: Chart) -> None:
    root = parsed(chart)
    names = [each for each in root.findall("text") if each.get("class") == "name"]
    assert len(names) == len(chart.lanes)
    tops = [float(each.get("y", "0")) for each in names] + [10**6]
    assert tops == sorted(tops)
    for lane, (top, below) in zip(chart.lanes, pairwise(tops), strict=True):
        bars = [
            each
            for each in root.findall("svg")
            if each.get("class") in TONES and top < float(each.get("y", "0")) < below
        ]
        assert [each.get("class") for each in bars] == [each.tone.value for each in lane.stretches]
        starts = [place(each, "x") for each in bars]
        assert starts == sorted(starts)
        numbers = [
            each
            for each in root.findall("svg")
            if each.get("class") == "number" and top < float(each.get("y", "0")) < below
        ]
        assert len(numbers) == sum(each.lane == lane.name for each in chart.numbered)


@slow
@given(charts())
def test_words_fade_where_they_have_no_room_in_the_narrowest_picture(chart: Chart) -> None:
    for box in boxes(parsed(chart), "dot"):
        (words,) = box.iter("text")
        ends = float(words.get("x", "0")) + len(words.text or "") * LETTER
        fades = any(use.get("href") == "#fade" for use in box.iter("use"))
        assert fades or ends <= place(box, "width") / 100 * PAGE


def test_numbers_in_a_lane_do_not_cover_one_another_on_a_phone() -> None:
    root = parsed(example())
    numbers: dict[str, list[float]] = {}
    for each in root.findall("svg"):
        if each.get("class") == "number":
            numbers.setdefault(each.get("y", ""), []).append(place(each, "x") * PHONE / 100)
    assert sum(map(len, numbers.values())) == 4
    for row in numbers.values():
        assert all(right - left >= BADGE - 0.1 for left, right in pairwise(row))
        assert row[-1] <= PHONE - BADGE


@slow
@given(charts())
def test_the_same_chart_is_the_same_text(chart: Chart) -> None:
    assert draw(chart, key="k") == draw(chart, key="k")


def test_no_chart_is_larger_than_can_be_looked_at() -> None:
    def bars(count: int) -> tuple[Stretch, ...]:
        return tuple(
            Stretch("x" * 200, Tone.HOLDS, Instant(n), Instant(n + 1)) for n in range(count)
        )

    many = tuple(
        Lane(f"lane {n}", bars(200), tuple(Dot("y" * 200, Instant(k)) for k in range(200)))
        for n in range(100)
    )
    root = parsed(Chart("many", many))
    assert len([each for each in root.iter("svg") if each.get("class") in TONES]) == (
        MOST_LANES * MOST_STRETCHES
    )
    assert len([each for each in root.iter("svg") if each.get("class") == "dot"]) == (
        MOST_LANES * MOST_DOTS
    )
    assert float(root.get("height", "0")) < 100 * MOST_LANES


def test_tones_and_kinds_of_dots_differ_without_colour() -> None:
    standalone = draw(example(), key="k", standalone=True)
    style = standalone[standalone.index("<style>") : standalone.index("</style>")]
    patterns = set()
    for tone in TONES:
        rule = style[style.index(f".timeline .{tone} {{") :]
        declarations = rule[rule.index("{") + 1 : rule.index("}")].split(";")
        patterns.add(tuple(each.strip() for each in declarations if "stroke-" in each))
    assert len(patterns) == len(TONES)
    dots = [each for each in parsed(example()).iter("svg") if each.get("class") == "dot"]
    assert [[child.tag for child in dot][1] for dot in dots] == ["circle", "path"]


def test_it_tells_its_title_and_its_story_to_those_who_do_not_see_it() -> None:
    root = parsed(example(broken=True))
    assert root.get("role") == "img"
    told = {each.get("id"): each.text or "" for each in root if each.tag in {"title", "desc"}}
    assert list(told) == root.get("aria-labelledby", "").split()
    title, story = told.values()
    assert title == "The victim is emptied before the preemptor comes in"
    assert "unit low: waits, then holds 1, then marked for 1, then waits" in story
    assert "3 low reserves nothing" in story
    assert "never: high is admitted." in story
    assert "broken here, +402 ms" in story


def test_standing_alone_it_brings_its_look_and_names_no_other_place() -> None:
    alone = draw(example(), key="k", standalone=True)
    root = parsed(example(), standalone=True)
    assert root.get("viewBox", "").startswith("0 0 960 ")
    assert "prefers-color-scheme: dark" in alone
    assert alone.replace("http://www.w3.org/2000/svg", "").count("http") == 0
    plot = root.find("svg")
    assert plot is not None
    assert float(plot.get("y", "0")) + float(plot.get("height", "0")) < float(
        root.get("viewBox", "").split()[3]
    )


def test_hostile_words_stay_words() -> None:
    word = '"><script>alert(1)</script>\x00\x1b]]>&amp;'
    chart = Chart(
        word, (Lane(word, (Stretch(word, Tone.HOLDS, Instant(0)),), (Dot(word, Instant(1)),)),)
    )
    root = parsed(chart)
    assert root.find(".//script") is None
    assert {each.text for each in root.iter("text")} >= {
        word.replace("\x00", "�").replace("\x1b", "�")
    }
