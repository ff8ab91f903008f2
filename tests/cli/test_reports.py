"""``verify``, ``compare`` and ``matrix`` on files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from queuecheck import resources
from queuecheck.catalogue import load_catalogue
from queuecheck.cli import cli
from queuecheck.report import Report
from queuecheck.report.document import digest_of, dumps, to_document
from queuecheck.report.publish import publish
from queuecheck.verdict import Outcome
from tests.report import made

NONE = "not a report of apiVersion queuecheck.dev/v1, kind Report"
HALVED = b'{"apiVersion": "queuecheck.dev/v1", "kind": "Report", "a": "\\uD800"}'
CATALOGUE = load_catalogue(resources.catalogue_file("koord-queue"))
FIRST = CATALOGUE.standing[0].id


def whole(first: Outcome = Outcome.PASSED, **settings: object) -> Report:
    """A report of every requirement, all of which passed but perhaps the first."""
    runs = [
        made.scenario(row.id, first if row.id == FIRST else Outcome.PASSED, line=line)
        for line, row in enumerate(CATALOGUE.standing, start=1)
    ]
    return made.report(*runs, catalogue=CATALOGUE, **settings)  # type: ignore[arg-type]


def sealed(report: Report) -> Report:
    """With the digest of what is in it now."""
    return replace(report, digest=digest_of(to_document(report)))


def run(*words: object) -> tuple[int, list[str]]:
    result = CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return int(result.return_value or 0), result.output.splitlines()


def written(report: Report, directory: Path) -> Path:
    publish(report, directory, homes=())
    return directory


def test_a_whole_report_is_accepted_and_the_digest_is_said_to_be_no_signature(
    tmp_path: Path,
) -> None:
    code, lines = run("verify", written(whole(), tmp_path))
    assert code == 0
    assert lines == [
        "reference 1.0: conformant: 174 requirements passed",
        f"whole and unchanged: {tmp_path} (by its digest, which is no signature)",
    ]


def test_a_report_that_says_not_conformant_is_as_good_a_report(tmp_path: Path) -> None:
    assert run("verify", written(whole(Outcome.FAILED), tmp_path) / "report.json")[0] == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"outcome":"failed"', '"outcome":"passed"', "digest: "),
        ("sha256:", "sha256-", "catalogue.digest: "),
        (f' {{"id":"{FIRST}"', f' {{"id":"{FIRST}-"', "digest: "),
        ('"level":"must"', '"level":"may"', "digest: "),
    ],
)
def test_a_change_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "report.json"
    text = dumps(whole(Outcome.FAILED))
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    code, lines = run("verify", file)
    assert code == 1
    assert lines[0].startswith(said)
    assert lines[-1] == f"refused: {file}"


def without(words: str, directory: Path) -> Path:
    """A whole report from which the lines with these words were taken."""
    file = directory / "report.json"
    kept = [line for line in dumps(whole()).splitlines() if words not in line]
    file.write_text("\n".join(kept), encoding="utf-8")
    return file


def test_a_scenario_that_was_taken_out_is_no_flood_of_lines(tmp_path: Path) -> None:
    code, lines = run("verify", without(f'["{FIRST}"]', tmp_path))
    assert code == 1
    assert len(lines) == 5
    assert lines[1].startswith(f"scenarios: 174 requirements, {FIRST} first, point at others ")
    assert lines[2] == f"{FIRST} is passed, 1 of 1 passed; its scenarios say not-run, 0 of 0"


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ("requirements", f"174 requirements, {FIRST} first, are missing"),
        ("scenarios", f"174 requirements, {FIRST} first, are not what their scenarios say"),
    ],
)
def test_what_is_wrong_with_many_requirements_is_one_line(
    tmp_path: Path, lost: str, told: str
) -> None:
    file = tmp_path / "report.json"
    damaged = sealed(replace(whole(), **{lost: ()}))  # type: ignore[arg-type]
    file.write_text(dumps(damaged), encoding="utf-8")
    code, lines = run("verify", file)
    assert code == 1
    assert told in lines
    assert len(lines) < 6


def test_a_must_that_is_missing_is_refused_by_its_name(tmp_path: Path) -> None:
    code, lines = run("verify", without(f'"id":"{FIRST}"', tmp_path))
    assert code == 1
    assert f"{FIRST} (MUST) is missing" in lines


def test_a_selection_is_unchanged_and_incomplete(tmp_path: Path) -> None:
    report = made.report(made.scenario(FIRST, Outcome.PASSED), catalogue=CATALOGUE, selection=True)
    code, lines = run("verify", written(report, tmp_path))
    assert code == 5
    assert lines[0] == "without a result: 87 MUST"
    assert lines[-1].startswith(f"unchanged, but incomplete: {tmp_path} (")


def test_a_must_that_ran_only_in_part_is_incomplete(tmp_path: Path) -> None:
    code, lines = run("verify", written(whole(tests={FIRST: {"quota.feature:999": 1}}), tmp_path))
    assert code == 5
    assert lines[:2] == [
        f"ran only in part: {FIRST}",
        f"reference 1.0: partial: {FIRST} ran only in part",
    ]
    assert lines[-1].startswith(f"unchanged, but incomplete: {tmp_path} (")


def test_a_false_headline_is_not_shown(tmp_path: Path) -> None:
    report = whole(Outcome.FAILED)
    lie = replace(report.judgement, headline="not conformant: but it is the suite's fault")
    code, lines = run("verify", written(sealed(replace(report, judgement=lie)), tmp_path))
    assert code == 1
    assert lines == [
        f"the headline is not what its results say: not conformant: {FIRST} failed",
        f"refused: {tmp_path}",
    ]


SENT = "\x1b[31mred\u202e"
SHOWN = "\ufffd[31mred\ufffd"


@pytest.mark.parametrize(
    "words", [["verify"], ["compare"], ["matrix", "--format", "text"], ["matrix"]]
)
def test_nothing_in_a_report_moves_a_terminal(tmp_path: Path, words: list[str]) -> None:
    report = whole(Outcome.FAILED, implementation=SENT)
    run_of = replace(report.run, id=SENT)
    named = replace(report.scenarios[0], reason=SENT)
    report = replace(report, run=run_of, scenarios=(named, *report.scenarios[1:]))
    file = written(report, tmp_path / "a")
    more = [written(whole(), tmp_path / "b")] if words[0] == "compare" else []
    result = CliRunner().invoke(cli, [*words, *map(str, more), str(file)])
    assert set(result.output).isdisjoint(SENT[0] + SENT[-1])
    if words[0] != "verify":
        assert SHOWN in result.output.replace("\\", "")


@pytest.mark.parametrize("command", ["verify", "compare", "matrix"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory"),
        (b"{", "not JSON: "),
        (b"[" * 100_000, "not JSON: "),
        (b"\xff", "not JSON: not even text in UTF-8"),
        (b" \n", "empty; no report was written to it"),
        (b"[]", f"{NONE}: it is not even a mapping; name the report.json of a run"),
        (b"{}", f"{NONE}: it is empty; name the report.json of a run"),
        (
            b'{"apiVersion": "v1", "kind": "Pod\\u001b[2J"}',
            f"{NONE}: it says apiVersion v1, kind Pod\ufffd[2J; name the report.json of a run",
        ),
        (
            b'{"apiVersion": "v2", "kind": "Report", "versions": {"queuecheck": "2.1"}}',
            f"{NONE}: it says apiVersion v2; read it with queuecheck 2.1 that wrote it",
        ),
        (
            b'{"apiVersion": {"v": 2}, "kind": "Report"}',
            f"{NONE}: it says apiVersion {{'v': 2}}; read it with the queuecheck that wrote it",
        ),
        (HALVED, "not text: it has half of a character, \\ud800"),
    ],
)
def test_what_is_no_report_is_told_in_one_line(
    tmp_path: Path, command: str, content: bytes | None, said: str
) -> None:
    file = tmp_path / "report.json"
    if content is not None:
        file.write_bytes(content)
    words = [command, str(file), *([str(file)] if command == "compare" else [])]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert f"{file}: {said}" in result.output
    assert "Traceback" not in result.output


def test_of_a_file_without_end_no_more_is_read_than_a_report_can_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("queuecheck.report.document.LARGEST", 1024**2)
    with pytest.raises(click.UsageError, match="/dev/zero: larger than 1 MB; no report is"):
        run("verify", "/dev/zero")


def test_what_became_worse_is_named_and_makes_the_exit_code_1(tmp_path: Path) -> None:
    before, after = written(whole(), tmp_path / "a"), written(whole(Outcome.FAILED), tmp_path / "b")
    code, lines = run("compare", before, after)
    assert code == 1
    run_of = "run abcde of 2026-01-02T03:04:05Z"
    assert lines == [
        f"before: reference 1.0, {run_of}, conformant: 174 requirements passed",
        f"after:  reference 1.0, {run_of}, not conformant: {FIRST} failed",
        "verdict: conformant -> not conformant",
        "worse (1):",
        f"  {FIRST} (MUST): passed -> failed: why failed",
    ]
    code, lines = run("compare", after, before)
    assert (code, lines[3]) == (0, "better (1):")


def test_two_alike_reports_differ_in_nothing(tmp_path: Path) -> None:
    file = written(whole(), tmp_path)
    code, lines = run("compare", file, file)
    assert (code, lines[2:]) == (0, ["no outcome differs, of 174 requirements"])


def test_explain_tells_the_last_result_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not any("Last result" in line for line in run("explain", FIRST)[1])
    written(whole(Outcome.FAILED), tmp_path / "reports")
    said = "why failed, 0 of 1 passed (reference 1.0, run abcde of 2026-01-02T03:04:05Z)"
    assert f"Last result: failed: {said}" in run("explain", FIRST)[1]


def test_explain_looks_where_a_run_puts_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(whole(Outcome.FAILED), tmp_path / "out")
    monkeypatch.setenv("QUEUECHECK_REPORT", "out")
    assert any("Last result: failed" in line for line in run("explain", FIRST)[1])
    monkeypatch.setenv("QUEUECHECK_REPORT", "elsewhere")
    assert not any("Last result" in line for line in run("explain", FIRST)[1])


def test_explain_refuses_a_report_that_was_named_and_is_none(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("{}", encoding="utf-8")
    result = CliRunner().invoke(cli, ["explain", FIRST, "--report", str(tmp_path)])
    assert result.exit_code == 2
    assert "not a report of apiVersion" in result.stderr
    assert result.stdout == ""


def test_explain_says_in_one_line_what_a_report_says(tmp_path: Path) -> None:
    report = whole(Outcome.FAILED)
    row = replace(report.requirements[0], reason="first\x1b[2J\nsecond")
    report = replace(report, requirements=(row, *report.requirements[1:]))
    lines = run("explain", FIRST, "--report", written(report, tmp_path))[1]
    assert [line for line in lines if line.startswith("Last result: failed: first\ufffd[2J second")]


def test_a_matrix_says_where_the_catalogues_differ(tmp_path: Path) -> None:
    report = whole()
    older = replace(report, catalogue=replace(report.catalogue, digest="sha256:" + "0" * 64))
    files = [written(report, tmp_path / "a"), written(older, tmp_path / "b")]
    result = CliRunner().invoke(cli, ["matrix", *map(str, files)])
    assert result.exit_code == 0
    said = f"{files[1]}: of another catalogue than {files[0]}; an ID may mean other things"
    assert result.stderr == f"queuecheck: {said}\n"
    assert "\n| verdict | conformant | conformant |\n" in result.stdout


def test_a_matrix_is_a_table_of_reports(tmp_path: Path) -> None:
    mine = written(whole(Outcome.FAILED, implementation="mine"), tmp_path / "mine")
    theirs = written(whole(), tmp_path / "theirs")
    code, lines = run("matrix", mine, theirs)
    assert code == 0
    assert lines[0] == "| requirement | mine 1.0 | reference 1.0 |"
    assert f"| {FIRST} (MUST) | fail | pass |" in lines
    _, lines = run("matrix", "--by", "area", "--format", "text", mine)
    assert "The worked example" in lines[5]
    assert lines[5].endswith("3 of 4")
