from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from queuecheck import resources
from queuecheck.catalogue import load_catalogue, read_features, read_tree
from queuecheck.cli import cli
from queuecheck.report import Report
from queuecheck.report.document import dumps
from queuecheck.report.html.templates import address, code, linked, reason
from queuecheck.site import SiteError, site, write
from queuecheck.site.gherkin import highlight
from queuecheck.site.shows import Source
from tests.browser import FAINT, OVERFLOW, Browser
from tests.report.reports import report, requirement
from tests.report.runs import FAILED, LOOKS, PASSED
from tests.report.test_page import Reader

HOME = resources.features_root().parent
CATALOGUE = load_catalogue(resources.catalogue_file("koord-queue"))
SCENARIOS = read_features(resources.features_root())
WORDS = (HOME / "features" / "koord-queue" / "README.md").read_text("utf-8")
SHOWN = next(each for each in SCENARIOS if "KQ-SEQ-01" in each.requirements)


def judged(*, passed: bool = True) -> Report:
    run = replace(PASSED if passed else FAILED, file=SHOWN.file, name=SHOWN.name)
    found = report([run], requirement("KQ-SEQ-01", [run]))
    implementation = replace(found.implementation, name="mine" if passed else "theirs")
    return replace(found, implementation=implementation)


@cache
def pages() -> Mapping[str, str]:
    files = dict.fromkeys(each.file for each in SCENARIOS)
    sources = {file: Source(*read_tree(HOME / file, place=file)) for file in files}
    reports = [judged(), judged(passed=False)]
    return site(CATALOGUE, SCENARIOS, sources, reports, LOOKS, title="Queues", words=WORDS)


@cache
def read(name: str) -> Reader:
    return Reader(pages()[name])


def test_there_is_a_page_for_each_area_and_each_requirement() -> None:
    areas = {f"area-{code.lower()}.html" for code in CATALOGUE.areas}
    requirements = {f"{row.id.lower()}.html" for row in CATALOGUE.standing}
    assert pages().keys() == {"index.html", "style.css", "words.html"} | areas | requirements


def test_every_link_leads_to_a_place_that_is_there() -> None:
    for name in pages():
        if not name.endswith(".html"):
            continue
        for link in read(name).links:
            file, _, anchor = link.partition("#")
            target = file or name
            assert target in pages(), f"{name}: {link}"
            assert not anchor or anchor in read(target).ids, f"{name}: {link}"


def test_every_page_can_be_come_to_from_the_index_and_leads_back() -> None:
    reached, due = {"index.html"}, ["index.html"]
    while due:
        for link in read(due.pop()).links:
            file = link.partition("#")[0]
            if file and file not in reached:
                reached.add(file)
                due.append(file)
    assert reached == pages().keys() - {"style.css"}
    assert all("index.html" in read(name).links for name in reached - {"index.html"})


def test_a_requirement_has_its_text_basis_scenarios_verdicts_and_a_picture() -> None:
    page = read("kq-seq-01.html")
    row = CATALOGUE.get("KQ-SEQ-01")
    for told in (
        row.text.replace("`", "")[:60],
        f"basis {row.origin}",
        "mine 0.1.0 ✓ passed",
        "theirs 0.1.0 ✕ failed : never",
        f"Scenario: {SHOWN.name}",
        "Background: Given the governing text's example",
        "What was seen",
        "unit low: new, then Enqueued",
    ):
        assert told in page.text
    assert page.tags.count("svg") > 10


def test_a_background_is_shown_only_with_the_scenarios_it_holds_for() -> None:
    assert "Background:" in read("kq-seq-04.html").text
    assert "Background:" not in read("kq-seq-02.html").text


def test_a_requirement_without_a_run_has_no_picture() -> None:
    text = read("kq-seq-02.html").text
    assert "mine 0.1.0 – not run" in text
    assert "What was seen" not in text


def test_no_page_has_a_script_or_asks_for_anything_elsewhere() -> None:
    for name, text in pages().items():
        assert "<script" not in text, name
        assert not re.search(r"(src|href)=\"(https?:)?//", text), name


def test_the_same_input_gives_the_same_bytes() -> None:
    reports = [judged()]
    first = site(CATALOGUE, SCENARIOS[:3], {}, reports, LOOKS, title="Queues", words=WORDS)
    assert first == site(CATALOGUE, SCENARIOS[:3], {}, reports, LOOKS, title="Queues", words=WORDS)


def test_the_words_of_the_features_have_a_page() -> None:
    page = read("words.html")
    assert "The words of the features" in page.text
    assert "It is admitted when it holds its count and its Job is resumed." in page.text
    assert "words.html" in read("kq-seq-01.html").links


def test_markup_in_the_words_stays_text() -> None:
    text = "# Words\n\n- *Held*: `<b>`\n\n<script>alert(1)</script>\n"
    made = site(CATALOGUE, [], {}, [], LOOKS, title="Queues", words=text)["words.html"]
    assert "<em>Held</em>: <code>&lt;b&gt;</code>" in made
    assert "<script" not in made


def test_gherkin_is_marked_line_by_line_and_stays_text() -> None:
    marked = highlight(
        '@KQ-SEQ-01 @must\nScenario: A <b>\n  When "low" asks for <cpu>\n    | a & b |\n'
        '  """\n  <script>\n  """\n  # why',
        lambda tag: "there.html" if tag == "KQ-SEQ-01" else None,
    )
    assert '<a href="there.html">@KQ-SEQ-01</a> @must' in marked
    assert '<span class="keyword">Scenario:</span> A &lt;b&gt;' in marked
    assert '<span class="string">&#34;low&#34;</span>' in marked
    assert '<span class="string">&lt;cpu&gt;</span>' in marked
    assert "a &amp; b" in marked
    assert "<script>" not in marked
    assert '<span class="comment">  # why</span>' in marked


def test_what_the_catalogue_stresses_is_stressed_and_stays_text() -> None:
    told = code("*in that round* <b> `a*b*c` 2 * 3 * 4")
    assert told == "<em>in that round</em> &lt;b&gt; <code>a*b*c</code> 2 * 3 * 4"
    assert "<em>in that round</em>" in pages()["kq-pre-02.html"]


def test_a_name_in_a_sentence_leads_to_its_place() -> None:
    told = linked("KQ-SEQ-01, KQ-SEQ-011 <failed>", {"KQ-SEQ-01": "there.html"})
    assert told == '<a class="whole" href="there.html">KQ-SEQ-01</a>, KQ-SEQ-011 &lt;failed&gt;'
    assert linked("nothing", {}) == "nothing"
    assert reason("not conformant: KQ-SEQ-01 failed") == "KQ-SEQ-01 failed"
    assert reason("partial") == "partial"


def test_the_index_leads_to_what_is_wrong_and_to_each_area() -> None:
    index = read("index.html")
    assert "1 wrong KQ-SEQ-01" in index.text
    assert "The worked example 4, ✕ 1 wrong" in index.text
    named = judged(passed=False)
    named = replace(
        named, judgement=replace(named.judgement, headline="not conformant: KQ-SEQ-01 failed")
    )
    told = Reader(
        site(CATALOGUE, SCENARIOS[:3], {}, [named], LOOKS, title="Queues", words=WORDS)[
            "index.html"
        ]
    ).text
    assert "KQ-SEQ-01 failed" in told
    assert "1 wrong KQ-SEQ-01" not in told
    assert {f"#area-{area.lower()}" for area in CATALOGUE.areas} <= set(index.links)


def test_two_runs_of_one_implementation_have_columns_of_their_own() -> None:
    first = judged()
    second = replace(first, run=replace(first.run, id="fghij"))
    made = site(CATALOGUE, SCENARIOS[:3], {}, [first, second], LOOKS, title="Queues", words=WORDS)
    for name in ("index.html", "area-seq.html", "kq-seq-01.html"):
        text = Reader(made[name]).text
        assert "mine 0.1.0, run abcde" in text, name
        assert "mine 0.1.0, run fghij" in text, name


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//evil", "data:text/html,x", ""])
def test_only_addresses_of_the_web_are_linked_to(url: str) -> None:
    assert not address(url)
    assert address("https://example.org/") == "https://example.org/"


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(SiteError, match="something else"):
        write({"index.html": "ours"}, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.txt"]


def test_a_new_site_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "site"
    write({"index.html": "old", "gone.html": "old"}, folder)
    write({"index.html": "new"}, folder)
    assert (folder / "index.html").read_text("utf-8") == "new"
    assert not (folder / "gone.html").exists()
    assert list(folder.parent.iterdir()) == [folder]


def test_the_command_makes_the_site_and_refuses_what_is_no_report(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    made = CliRunner().invoke(cli, ["docs", "--output", str(folder)])
    assert made.exit_code == 0, made.output
    assert (folder / "kq-seq-01.html").is_file()
    refused = CliRunner().invoke(
        cli, ["docs", str(tmp_path / "none.json"), "--output", str(folder)]
    )
    assert refused.exit_code == 2
    assert "none.json" in refused.output


def made_with(report: Report, directory: Path) -> Result:
    """What the command said of a report."""
    file = directory / "report.json"
    file.write_text(dumps(report), encoding="utf-8")
    words = ["docs", str(file), "--output", str(directory / "site")]
    return CliRunner().invoke(cli, words)


def test_the_command_refuses_a_report_of_another_profile(tmp_path: Path) -> None:
    made = judged()
    other = replace(made, catalogue=replace(made.catalogue, profile="../../etc"))
    refused = made_with(other, tmp_path)
    assert refused.exit_code == 2
    assert "report.json: of profile ../../etc; the pages are koord-queue's" in refused.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("digest", [CATALOGUE.digest, "sha256:" + "0" * 64])
def test_the_command_says_where_a_catalogue_is_another(tmp_path: Path, digest: str) -> None:
    made = judged()
    found = made_with(replace(made, catalogue=replace(made.catalogue, digest=digest)), tmp_path)
    assert found.exit_code == 0, found.output
    assert ("of another catalogue" in found.stderr) is (digest != CATALOGUE.digest)


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_fit_their_window_and_can_be_read(
    chromium: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    folder = tmp_path / "site"
    write(pages(), folder)
    told = {
        "index.html": "KQ-ROB-01",
        "area-seq.html": "KQ-SEQ-04",
        "kq-seq-01.html": SHOWN.name,
        "kq-cfg-02.html": "KQ-CFG-02",
    }
    for name, words in told.items():
        with chromium.page((folder / name).as_uri(), width=width, dark=dark) as page:
            page.evaluate(
                'document.querySelectorAll("details").forEach((each) => each.open = true)'
            )
            assert page.evaluate(OVERFLOW) == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.evaluate(FAINT) == [], name
            hidden = '[...document.querySelectorAll(".stack")].filter(cut).length'
            cut = "const cut = (each) => each.scrollWidth > each.parentElement.clientWidth;"
            assert page.evaluate(f"(() => {{ {cut} return {hidden}; }})()") == 0, name
            assert words in page.evaluate("document.body.innerText"), name
            assert page.complaints == [], name
