from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from click.testing import CliRunner, Result

from queuecheck.cli import cli
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


def test_a_requirement_in_which_nothing_was_seen_is_named(tmp_path: Path) -> None:
    result = drawn("KQ-SEQ-02", report([PASSED]), tmp_path)
    assert result.exit_code == 2
    assert "no scenario of KQ-SEQ-02" in result.output


def test_a_profile_that_is_not_known_here_is_one_line(tmp_path: Path) -> None:
    publish(report([PASSED]), tmp_path, homes=())
    file = tmp_path / "report.json"
    document = json.loads(file.read_text("utf-8"))
    document["catalogue"]["profile"] = "kueue"
    file.write_text(json.dumps(document), "utf-8")
    result = CliRunner().invoke(cli, ["picture", "KQ-SEQ-01", "--report", str(tmp_path)])
    assert result.exit_code == 2
    assert "no profile 'kueue'" in result.output
