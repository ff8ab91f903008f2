"""``queuecheck run`` and ``list`` with a file, variables and flags; nothing is started."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from queuecheck.cli import cli, one_line
from queuecheck.cli.configured import REPORTS, report_of
from queuecheck.cli.explain import explain
from queuecheck.cli.run import Options
from queuecheck.cli.settings import PREFIX


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and none of our variables."""
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def origins(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, tuple[str, str]]:
    """Value and origin of each setting, as ``--show-config`` prints them."""
    command = ["run", *words, "--show-config"]
    assert cli.main(command, prog_name="queuecheck", standalone_mode=False) == 0
    lines = [line.rsplit("  ", 1) for line in capsys.readouterr().out.splitlines()]
    rows = [(*front.split(maxsplit=1), origin.strip()) for front, origin in lines]
    return {name: (value.strip(), origin) for name, value, origin in rows}


def refused(*words: str, command: str = "run") -> str:
    with pytest.raises(click.ClickException) as told:
        cli.main([command, *words], prog_name="queuecheck", standalone_mode=False)
    assert told.value.exit_code == 2
    return one_line(told.value)


def test_a_flag_outranks_a_variable_a_variable_the_file_the_file_the_default(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "workers = 4\nrepeat = 4\ntimeout-scale = 4\n[budget]\nmark = 4\nadmit = 4\n"
    (directory / "queuecheck.toml").write_text(text, "utf-8")
    monkeypatch.setenv("QUEUECHECK_WORKERS", "3")
    monkeypatch.setenv("QUEUECHECK_REPEAT", "3")
    found = origins(capsys, "-j", "2", "--budget", "mark=2")
    assert found["workers"] == ("2", "--workers")
    assert found["repeat"] == ("3", "QUEUECHECK_REPEAT")
    assert found["timeout-scale"] == ("4", "queuecheck.toml")
    assert found["budget.mark"] == ("2", "--budget")
    assert found["budget.admit"] == ("4", "queuecheck.toml")
    assert found["cluster"] == ("local", "default")
    assert found["budget.reclaim"] == ("20", "default")


def test_when_nobody_says_a_report_is_looked_for_where_a_run_puts_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert origins(capsys)["report"] == (str(REPORTS), "default")
    assert report_of(explain.make_context("explain", ["KQ-SEQ-01"])) == (REPORTS, False)
    assert Options().report == REPORTS


DESCRIPTOR = """\
name: mine
version: '1'
profile: koord-queue
features: []
processes: [{component: all, command: [mine]}]
"""


def test_list_is_about_the_implementation_of_the_settings(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def listed(*words: str) -> str:
        cli.main(["list", *words], prog_name="queuecheck", standalone_mode=False)
        return capsys.readouterr().out.splitlines()[-1]

    for name in ("file", "variable", "flag"):
        text = DESCRIPTOR.replace("mine", name, 1)
        (directory / f"{name}.yaml").write_text(text, "utf-8")
    assert "run against reference" in listed()
    settings = 'implementation = "file.yaml"\nworkers = 2\n[budget]\nmark = 4\n'
    (directory / "queuecheck.toml").write_text(settings, "utf-8")
    assert "run against file 1" in listed()
    monkeypatch.setenv("QUEUECHECK_IMPLEMENTATION", "variable.yaml")
    assert "run against variable 1" in listed()
    assert "run against flag 1" in listed("--implementation", "flag.yaml")


@pytest.mark.parametrize("command", ["run", "list"])
def test_a_file_that_is_not_there_is_told_with_where_it_is_named(
    directory: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    (directory / "queuecheck.toml").write_text('implementation = "nofile.yaml"\n', "utf-8")
    told = "queuecheck.toml: implementation: there is no nofile.yaml"
    assert told in refused(command=command)
    monkeypatch.setenv("QUEUECHECK_IMPLEMENTATION", "none.yaml")
    assert "QUEUECHECK_IMPLEMENTATION: there is no none.yaml" in refused(command=command)


def test_list_refuses_settings_that_a_run_would_refuse(directory: Path) -> None:
    (directory / "queuecheck.toml").write_text("worker = 2\n", "utf-8")
    assert "unknown key 'worker'; did you mean workers?" in refused(command="list")


def test_a_flag_with_the_defaults_value_outranks_the_file(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (directory / "queuecheck.toml").write_text("timeout-scale = 4\n", "utf-8")
    assert origins(capsys, "--timeout-scale", "1")["timeout-scale"] == ("1", "--timeout-scale")


def test_another_file_is_named_by_flag_or_variable(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (directory / "queuecheck.toml").write_text("repeat = 2\n", "utf-8")
    for name, number in (("a", 3), ("b", 4)):
        (directory / f"{name}.toml").write_text(f"repeat = {number}\n", "utf-8")
    assert origins(capsys, "--config", "a.toml")["repeat"] == ("3", "a.toml")
    monkeypatch.setenv("QUEUECHECK_CONFIG", "b.toml")
    assert origins(capsys)["repeat"] == ("4", "b.toml")
    assert origins(capsys, "--config", "a.toml")["repeat"] == ("3", "a.toml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a = [", "bad.toml: not usable TOML: "),
        ("a = " + "[" * 5000, "bad.toml: not usable TOML: it is nested too deeply"),
        ("cluster = 'kindd'", "bad.toml: cluster: 'kindd' is not one of "),
        ("workers = 0", "bad.toml: workers: 0 is less than 1"),
        ("timeout-scale = 0", "bad.toml: timeout-scale: 0.0 is not more than 0"),
        ("strict = 1", "bad.toml: strict: 1 is not true or false"),
        ("# " + "x" * 1_000_000, "bad.toml: more than 1 MB; is it the right file?"),
        ("timout-scale = 3", "bad.toml: unknown key 'timout-scale'; did you mean timeout-scale?"),
    ],
    ids=lambda text: text[:20],
)
def test_a_file_that_cannot_be_used_is_one_line(
    directory: Path, content: str, message: str
) -> None:
    (directory / "bad.toml").write_text(content, "utf-8")
    assert refused("--config", "bad.toml").startswith(message)
    assert sorted(each.name for each in directory.iterdir()) == ["bad.toml"]


def test_a_file_that_is_not_there_is_named(directory: Path) -> None:
    assert refused("--config", "none.toml") == "none.toml: No such file or directory"
    assert refused("--config", ".") == ".: Is a directory"


def test_a_wrong_budget_of_a_flag_is_named() -> None:
    assert refused("--budget", "mrak=3") == "--budget: unknown budget 'mrak'; did you mean mark?"
