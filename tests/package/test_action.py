"""The composite action: its script, run as a runner would, with a suite that only notes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from queuecheck import resources

FILE = resources.CHECKOUT / "action.yml"
STUB = """#!/bin/sh
for word in "$@"; do echo "[$word]"; done > called
echo "$QUEUECHECK_SELECT" > selected
mkdir -p "$QUEUECHECK_REPORT" && echo "# Verdict" > "$QUEUECHECK_REPORT/summary.md"
exit "${STUB_CODE:-0}"
"""


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return found


def step(action: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (each for each in action["runs"]["steps"] if each.get("id") == name)
    return dict(found)


def play(action: dict[str, Any], directory: Path, **environment: str) -> int:
    """The exit code of the run's step."""
    (directory / "queuecheck").write_text(STUB, "utf-8")
    (directory / "queuecheck").chmod(0o755)
    files = {name: str(directory / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(action, "run")["run"]],
        cwd=directory,
        env={
            "PATH": os.environ["PATH"],
            "PROGRAM": str(directory / "queuecheck"),
            "RUNNER_TEMP": str(directory),
            "QUEUECHECK_REPORT": "reports",
            "QUEUECHECK_SELECT": "",
            "ARGUMENTS": "",
            **files,
            **environment,
        },
        timeout=60,
        check=False,
    ).returncode


def test_arguments_are_split_as_in_a_shell_and_nothing_of_them_is_run(
    action: dict[str, Any], tmp_path: Path
) -> None:
    words = "--strict --select 'must and not @slow' '$(touch hacked)'"
    assert play(action, tmp_path, ARGUMENTS=words) == 0
    assert (tmp_path / "called").read_text("utf-8").splitlines() == [
        *("[run]", "[--strict]", "[--select]", "[must and not @slow]", "[$(touch hacked)]")
    ]
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize("blanks", ["", " ", "\n \t\n"])
def test_without_arguments_there_are_none(
    action: dict[str, Any], tmp_path: Path, blanks: str
) -> None:
    assert play(action, tmp_path, ARGUMENTS=blanks) == 0
    assert (tmp_path / "called").read_text("utf-8") == "[run]\n"


@pytest.mark.parametrize("words", ["--select 'must", '--strict "features/a.feature:3'])
def test_a_quote_that_is_not_closed_is_refused(
    action: dict[str, Any], tmp_path: Path, words: str
) -> None:
    assert play(action, tmp_path, ARGUMENTS=words) == 2
    assert not (tmp_path / "called").exists()


def test_the_cache_is_kept_for_as_long_as_the_programs_are_the_same(
    action: dict[str, Any], tmp_path: Path
) -> None:
    def key(text: str) -> str:
        output = tmp_path / "output"
        output.unlink(missing_ok=True)
        (tmp_path / "queuecheck/cluster").mkdir(parents=True, exist_ok=True)
        (tmp_path / "queuecheck/cluster/programs.py").write_text(text, "utf-8")
        subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            env={
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_ACTION_PATH": str(tmp_path),
                "GITHUB_OUTPUT": str(output),
                "RUNNER_TEMP": str(tmp_path),
            },
            timeout=60,
            check=True,
        )
        return output.read_text("utf-8")

    script = step(action, "programs")["run"]
    assert key("1.36") == key("1.36") != key("1.37")
    assert re.fullmatch(r"digest=[0-9a-f]{64}\n", key("1.36"))


@pytest.mark.parametrize("code", ["0", "1", "5"])
def test_the_exit_code_and_the_summary_come_out_whatever_the_verdict(
    action: dict[str, Any], tmp_path: Path, code: str
) -> None:
    assert play(action, tmp_path, STUB_CODE=code) == int(code)
    assert (tmp_path / "GITHUB_OUTPUT").read_text("utf-8") == f"exit-code={code}\n"
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8") == "# Verdict\n"


def test_every_input_is_used_and_none_is_pasted_into_a_script(action: dict[str, Any]) -> None:
    text = FILE.read_text("utf-8")
    for name in action["inputs"]:
        assert f"inputs.{name} " in text.partition("outputs:")[2], name
    for each in action["runs"]["steps"]:
        assert "${{" not in each.get("run", "")


def test_what_it_reads_of_the_repository_is_there(action: dict[str, Any]) -> None:
    named = re.findall(r"GITHUB_ACTION_PATH/([\w./]+)", step(action, "install")["run"])
    assert named
    assert all((resources.CHECKOUT / name).exists() for name in named)
    assert (resources.CHECKOUT / "queuecheck/cluster/programs.py").exists()
