from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from queuecheck.report import Known, Report, ScenarioRun
from queuecheck.report.html.page import page
from tests.browser import FAINT, OVERFLOW, Browser
from tests.report.reports import report, requirement
from tests.report.runs import FAILED, LOOKS, PASSED

RULE = "`high` is never admitted before `low` is emptied"


class Reader(HTMLParser):
    """The texts of a page, and its elements with an ID, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag == "a":
            self.links.append(str(found["href"]))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def failing() -> Report:
    second = replace(PASSED, requirements=("KQ-RCL-01",), line=50)
    runs = (FAILED, second)
    return report(
        runs,
        requirement("KQ-SEQ-01", runs, text=RULE),
        requirement("KQ-RCL-01", runs, level="should"),
        requirement("KQ-RCL-02"),
        verdict="not conformant",
        headline="not conformant: KQ-SEQ-01 failed",
    )


def read(found: Report) -> Reader:
    return Reader(page(found, LOOKS))


def test_the_verdict_is_the_first_thing_that_is_said() -> None:
    text = read(failing()).text
    body = text[text.index("✕ Not conformant KQ-SEQ-01 failed") :]
    assert body.index("reference 0.1.0") < body.index("What is wrong")


def test_what_is_wrong_names_the_rule_the_moment_what_was_expected_and_seen() -> None:
    text = read(failing()).text
    wrong = text[text.index("What is wrong") : text.index("Requirements")]
    for told in (
        "KQ-SEQ-01 MUST ✕ failed",
        "high is never admitted before low is emptied",
        'step And "high" is never admitted before "low" is emptied',
        'expected never: QueueUnit "high" is admitted',
        "seen it was so at +170ms, resourceVersion 18",
        "when +170 ms, when QueueUnit high was written (resourceVersion 18)",
        "scenario The preemptor waits for the release",
        f"play it {FAILED.reproduce}",
    ):
        assert told in wrong


def test_how_often_it_passed_is_said_where_it_was_played_more_than_once() -> None:
    runs = (FAILED, replace(FAILED, line=50), replace(PASSED, line=60))
    assert "✕ failed 1 of 3 runs passed" in read(report(runs)).text


def test_a_run_without_a_fault_says_nothing_of_what_is_wrong() -> None:
    text = read(report([PASSED])).text
    assert "✓ Conformant" in text
    assert "What is wrong" not in text


def test_every_scenario_is_told_once_with_its_steps_claims_and_picture() -> None:
    found = read(failing())
    assert [name for name in found.ids if re.fullmatch(r"s\d+", name)] == ["s0", "s1"]
    assert found.text.count("closed by a fence: QueueUnit") >= 1
    assert "marked 1 +110 ms" in found.text
    assert found.ids.count("s0-t") == 1
    assert "To play it alone: queuecheck run" in found.text


def test_a_scenario_of_two_requirements_is_told_with_the_first_and_named_with_the_second() -> None:
    both = replace(PASSED, requirements=("KQ-SEQ-01", "KQ-RCL-01"))
    rows = (requirement("KQ-SEQ-01", [both]), requirement("KQ-RCL-01", [both]))
    found = read(report([both], *rows))
    assert found.text.count("Shown too by The victim is emptied first") == 1
    assert found.ids.count("s0") == 1


def test_a_known_failure_says_why_and_links_only_to_the_web() -> None:
    plain = failing()
    known = (
        Known("KQ-SEQ-01", "it admits early", "https://example.org/1"),
        Known("KQ-RCL-01", "it forgets", "javascript:alert(1)"),
    )
    found = read(
        replace(plain, implementation=replace(plain.implementation, baseline=known)),
    )
    assert "Known: it admits early ( more )" in found.text
    assert "Known: it forgets" in found.text
    assert [link for link in found.links if ":" in link] == ["https://example.org/1"]


def test_no_link_in_the_page_leads_nowhere() -> None:
    found = read(failing())
    assert found.links
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))


def test_a_must_comes_before_a_should_and_one_trouble_is_told_once() -> None:
    lost = [
        replace(PASSED, requirements=(name,), outcome="environment", reason="no server", line=line)
        for line, name in enumerate(("KQ-SEQ-01", "KQ-SEQ-02", "KQ-SEQ-03"), start=1)
    ]
    should = replace(FAILED, requirements=("KQ-RCL-01",))
    must = replace(FAILED, requirements=("KQ-RCL-02",))
    runs = (*lost, should, must)
    rows = [requirement(run.requirements[0], runs) for run in runs]
    rows[3] = replace(rows[3], level="should")
    text = read(report(runs, *rows)).text
    wrong = text[text.index("What is wrong") : text.index("Requirements")]
    names = re.findall(r"(KQ-\w+-\d+) (?:MUST|SHOULD)", wrong)
    assert names == ["KQ-RCL-02", "KQ-SEQ-01", "KQ-RCL-01"]
    assert "The same, for the same reason: KQ-SEQ-02 , KQ-SEQ-03" in wrong


def given_up(run: ScenarioRun, **changes: Any) -> ScenarioRun:
    """The run as if nothing forbidden had been seen, and nothing that was waited for either."""
    claims = [
        replace(claim, marks=tuple(mark for mark in claim.marks if mark.role != "culprit"))
        for claim in run.claims
    ]
    return replace(run, claims=tuple(claims), **changes)


def test_a_write_that_must_not_be_is_told_before_what_never_came() -> None:
    never_came = given_up(FAILED, requirements=("KQ-RCL-01",))
    caught = replace(FAILED, requirements=("KQ-RCL-02",))
    runs = (never_came, caught)
    text = read(report(runs, *(requirement(run.requirements[0], runs) for run in runs))).text
    wrong = text[text.index("What is wrong") : text.index("Requirements")]
    assert re.findall(r"(KQ-\w+-\d+) MUST", wrong) == ["KQ-RCL-02", "KQ-RCL-01"]


def test_of_several_scenarios_that_failed_the_one_that_caught_a_write_is_shown() -> None:
    runs = (given_up(FAILED, name="It never came"), replace(FAILED, name="It was caught", line=60))
    text = read(report(runs, requirement("KQ-SEQ-01", runs))).text
    wrong = text[text.index("What is wrong") : text.index("Requirements")]
    assert "It was caught" in wrong
    assert "It never came" not in wrong


def test_a_selection_shows_only_what_was_selected() -> None:
    rows = (requirement("KQ-SEQ-01", [PASSED]), requirement("KQ-SEQ-02"))
    assert "KQ-SEQ-02" not in read(report([PASSED], *rows, selection=True)).text
    assert "KQ-SEQ-02" in read(report([PASSED], *rows)).text


def test_a_run_that_was_broken_off_says_so() -> None:
    assert (
        "This report is partial: interrupted."
        in read(report([PASSED], ended_early="interrupted")).text
    )


def test_tests_that_failed_beside_the_scenarios_are_named() -> None:
    found = read(report([PASSED], failed_beside=("tests/test_it.py::test_one",)))
    assert "tests/test_it.py::test_one failed beside the scenarios." in found.text


def test_a_selection_of_which_nothing_was_run_is_a_page_too() -> None:
    found = read(report([], requirement("KQ-SEQ-01"), selection=True, ended_early="interrupted"))
    assert "This report is partial: interrupted." in found.text


def test_the_same_report_gives_the_same_bytes() -> None:
    assert page(failing(), LOOKS) == page(failing(), LOOKS)


HOSTILE = "\"'><script>alert(1)</script><!--</title></style>{{ 7*7 }}\x00\x1b[31m&amp;`"


def hostile() -> Report:
    def spoilt(run: ScenarioRun) -> ScenarioRun:
        assert run.picture is not None
        lanes = tuple(replace(lane, alias=HOSTILE) for lane in run.picture.lanes)
        events = tuple(replace(each, reason=HOSTILE) for each in run.picture.events)
        return replace(
            run,
            name=HOSTILE,
            reason=HOSTILE,
            failure=HOSTILE,
            evidence=HOSTILE,
            reproduce=HOSTILE,
            example={HOSTILE: HOSTILE},
            steps=tuple(
                replace(step, text=HOSTILE, doc=HOSTILE, table=((HOSTILE,),)) for step in run.steps
            ),
            claims=tuple(
                replace(
                    claim,
                    sentence=HOSTILE,
                    marks=tuple(replace(mark, sentence=HOSTILE) for mark in claim.marks),
                )
                for claim in run.claims
            ),
            picture=replace(run.picture, lanes=lanes, events=events),
        )

    run = spoilt(FAILED)
    rows = (requirement("KQ-SEQ-01", [run], text=HOSTILE),)
    found = report(
        [run],
        *rows,
        headline=HOSTILE,
        ended_early=HOSTILE,
        verdict=HOSTILE,
        failed_beside=(HOSTILE,),
    )
    return replace(
        found,
        configuration={HOSTILE: HOSTILE},
        judgement=replace(found.judgement, notes=(HOSTILE,)),
        implementation=replace(found.implementation, name=HOSTILE, features=(HOSTILE,)),
    )


def test_hostile_words_stay_words() -> None:
    text = page(hostile(), LOOKS)
    found = Reader(text)
    assert found.tags.count("script") == 1
    assert "{{ 7*7 }}" in found.text
    assert "<script>alert" in found.text
    assert "\x00" not in text
    assert "\x1b" not in text


def file_of(found: Report, directory: Path) -> str:
    file = directory / "report.html"
    file.write_text(page(found, LOOKS), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("found", [failing(), hostile()], ids=["failing", "hostile"])
def test_a_browser_finds_nothing_to_complain_of_and_asks_nobody(
    found: Report, chromium: Browser, tmp_path: Path
) -> None:
    url = file_of(found, tmp_path)
    with chromium.page(url) as opened:
        assert opened.complaints == []
        assert [each for each in opened.requests if not each.startswith("data:")] == [url]


# What is closed, or too far below to be laid out yet.
EVERYTHING = """
document.querySelectorAll("details").forEach((each) => each.open = true);
document.querySelectorAll(".area").forEach((each) => each.style.contentVisibility = "visible");
"""


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_fits_its_window_and_can_be_read(
    chromium: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    with chromium.page(file_of(failing(), tmp_path), width=width, dark=dark) as opened:
        opened.evaluate(EVERYTHING)
        assert opened.evaluate(OVERFLOW) == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.evaluate(FAINT) == []
        shown = opened.evaluate("document.body.innerText")
        for told in ("Not conformant", "KQ-SEQ-01", "KQ-RCL-02", "The preemptor waits"):
            assert told in shown


def test_a_picture_has_room_for_its_words_on_a_phone_and_moves_by_itself(
    chromium: Browser, tmp_path: Path
) -> None:
    with chromium.page(file_of(failing(), tmp_path), width=360) as opened:
        opened.evaluate(EVERYTHING)
        wide = "document.querySelector('figure > .timeline').getBoundingClientRect().width"
        assert opened.evaluate(wide) >= 680
        moves = "getComputedStyle(document.querySelector('figure')).overflowX"
        assert opened.evaluate(moves) == "auto"


def test_filtering_leaves_what_was_asked_for(chromium: Browser, tmp_path: Path) -> None:
    visible = '[...document.querySelectorAll(".requirement:not([hidden])")].map((row) => row.id)'
    choose = """
    (([name, value]) => {
      const select = document.querySelector("form.filter").elements[name];
      select.value = value;
      select.dispatchEvent(new Event("change", {bubbles: true}));
    })(%s)
    """
    with chromium.page(file_of(failing(), tmp_path)) as opened:
        assert opened.evaluate(visible) == ["KQ-SEQ-01", "KQ-RCL-01", "KQ-RCL-02"]
        opened.evaluate(choose % '["outcome", "failed"]')
        assert opened.evaluate(visible) == ["KQ-SEQ-01"]
        opened.evaluate(choose % '["outcome", ""]')
        opened.evaluate(choose % '["level", "should"]')
        assert opened.evaluate(visible) == ["KQ-RCL-01"]
        assert opened.evaluate('document.querySelector("output").textContent') == "1 of 3"


def test_a_link_to_a_scenario_opens_it(chromium: Browser, tmp_path: Path) -> None:
    with chromium.page(file_of(failing(), tmp_path) + "#s1") as opened:
        assert opened.evaluate('document.getElementById("s1").checkVisibility()')
