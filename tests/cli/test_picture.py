from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from queuecheck.cli import cli, main
from queuecheck.report import Report
from queuecheck.report.publish import publish
from tests.report.reports import report
from tests.report.runs import PASSED


def drawn(name: str, found: Report, directory: Path) -> Result:
    publish(found, directory, homes=())
    return CliRunner().invoke(cli, ["picture", name, "--report", str(directory)])


def test_a_picture_of_its_own_is_printed(tmp_path: Path) -> None:
    result = drawn("kq-seq-01", report([PASSED]), tmp_path)
    assert result.exit_code == 0, result.output
    assert ET.fromstring(result.output).get("viewBox", "").startswith("0 0 960")  # noqa: S314


def test_a_picture_is_of_the_report_that_a_run_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(report([PASSED]), tmp_path / "out", homes=())
    (tmp_path / "queuecheck.toml").write_text('report = "out"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["picture", "kq-seq-01"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kq-seq-02", "{report} has no scenario of KQ-SEQ-02 in which something was seen"),
        ("KQ-SQE-01", "there is no requirement KQ-SQE-01; did you mean KQ-SEQ-01?"),
        ("FOO", "there is no requirement FOO; `queuecheck list` names them all"),
    ],
)
def test_what_has_no_picture_is_told_apart_from_what_is_no_requirement(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    name: str,
    said: str,
) -> None:
    publish(report([PASSED]), tmp_path, homes=())
    monkeypatch.setattr("sys.argv", ["queuecheck", "picture", name, "--report", str(tmp_path)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert capsys.readouterr().err == f"queuecheck: {said.format(report=tmp_path)}\n"


def test_a_profile_that_is_not_known_here_is_one_line(tmp_path: Path) -> None:
    publish(report([PASSED]), tmp_path, homes=())
    file = tmp_path / "report.json"
    document = json.loads(file.read_text("utf-8"))
    document["catalogue"]["profile"] = "kueue"
    file.write_text(json.dumps(document), "utf-8")
    result = CliRunner().invoke(cli, ["picture", "KQ-SEQ-01", "--report", str(tmp_path)])
    assert result.exit_code == 2
    assert "no profile 'kueue'" in result.output
