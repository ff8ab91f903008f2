"""``list``, ``explain`` and ``run``, without a cluster."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from queuecheck.cli import cli, explain, main, one_line
from queuecheck.cli.run import SECTIONS, Options, _selected, arguments, end_as_after_ctrl_c
from queuecheck.cli.suite import read_suite

HEAVY = {"kubernetes", "pytest", "jsonschema", "jinja2", "rich", "prometheus_client", "xdist"}


def run(*words: str) -> str:
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*words: str) -> str:
    """The one line of a usage error."""
    with pytest.raises(click.ClickException) as told:
        cli.main(list(words), prog_name="queuecheck", standalone_mode=False)
    assert told.value.exit_code == 2
    return one_line(told.value)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--help"),
        ("list",),
        ("explain", "KQ-RCL-02"),
        ("doctor", "--help"),
        ("verify", "--help"),
    ],
)
def test_quick_commands_import_nothing_heavy(words: tuple[str, ...]) -> None:
    script = f"""
import sys
from queuecheck.cli import cli
try:
    cli.main({list(words)!r}, standalone_mode=False)
except SystemExit:
    pass
print("heavy:", *sorted({HEAVY!r} & set(sys.modules)))
"""
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert answer.stdout.splitlines()[-1] == "heavy:"


def test_explain_shows_the_row_and_its_scenarios() -> None:
    told = run("explain", "KQ-RCL-02")
    assert told.startswith("KQ-RCL-02  MUST  Reclaiming by the job extension\n")
    assert "Basis: the governing text (introduction)" in told
    shown = [each for each in read_suite().scenarios if "KQ-RCL-02" in each.requirements]
    assert shown
    assert all(f"Scenario: {each.name}" in told for each in shown)


def test_explain_says_what_was_withdrawn() -> None:
    assert "Withdrawn: it cannot be staged" in run("explain", "KQ-RCL-15")


def test_explain_says_what_has_no_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "read_suite", lambda: replace(read_suite(), scenarios=()))
    assert "No scenario shows it in this version of the suite." in run("explain", "KQ-ROB-03")


def test_explain_refuses_an_unknown_id_with_the_nearest() -> None:
    assert refused("explain", "KQ-SQE-01") == (
        "there is no requirement KQ-SQE-01; did you mean KQ-SEQ-01?"
    )


def test_list_says_where_scenarios_are_and_how_many() -> None:
    told = run("list")
    assert "KQ-SEQ-01   MUST" in told
    assert "features/koord-queue/sequence.feature:" in told
    assert "of 174 requirements" in told


def test_list_says_why_a_scenario_does_not_run(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nversion: '1'\nprofile: koord-queue\nfeatures: [intelligent]\n"
        "processes: [{component: all, command: [mine]}]\n",
        encoding="utf-8",
    )
    assert "does not run: mine has no metrics" in run("list", "--implementation", str(file))


def test_list_refuses_a_descriptor_that_is_not_there() -> None:
    assert refused("list", "--implementation", "none.yaml") == (
        "implementation none.yaml: No such file or directory"
    )


def test_list_refuses_a_known_failure_of_no_requirement(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nversion: '1'\nprofile: koord-queue\nfeatures: []\n"
        "processes: [{component: all, command: [mine]}]\n"
        "baseline: [{id: KQ-RCL-22, reason: x}, {id: KQ-SEQ-01, reason: x},"
        " {id: KQ-SEQ-01, reason: y}]\n",
        encoding="utf-8",
    )
    assert refused("list", "--implementation", str(file)) == (
        "implementation mine: baseline: there is no requirement KQ-RCL-22; did you mean KQ-RCL-12?"
        "; baseline: KQ-SEQ-01 is there twice"
    )


def test_unknown_words_are_refused_with_what_there_is() -> None:
    assert refused("exlain") == "no command 'exlain'; did you mean explain?"
    assert "'--cluster': 'kindd' is not" in refused("run", "--cluster", "kindd")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-j", "x"), "Invalid value for '-j' / '--workers': 'x' is not a whole number"),
        (("-j", "0"), "Invalid value for '-j' / '--workers': 0 is less than 1"),
        (("--timeout-scale", "x"), "Invalid value for '--timeout-scale': 'x' is not a number"),
        (("--timeout-scale", "0"), "Invalid value for '--timeout-scale': 0.0 is not more than 0"),
    ],
)
def test_numbers_are_refused_in_words(words: tuple[str, ...], said: str) -> None:
    assert refused("run", *words) == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Usage: queuecheck [OPTIONS] COMMAND [ARGS]...\n"),
        (("list", "--idd"), "queuecheck: No such option '--idd' (see queuecheck list --help)\n"),
        (
            ("explain", "nothing"),
            "queuecheck: there is no requirement nothing; `queuecheck list` names",
        ),
    ],
)
def test_wrong_usage_says_where_to_read_on(
    words: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["queuecheck", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_left_out_when_asked_for(environment: dict[str, str], coloured: bool) -> None:
    ours = {"NO_COLOR": None, **environment}
    result = CliRunner().invoke(cli, ["explain", "KQ-RCL-02"], env=ours, color=True)
    assert ("\x1b[" in result.output) is coloured


def test_a_full_disk_under_the_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        said = (3, "queuecheck: output: No space left on device\n")
        assert list_to(full.fileno()) == said


def test_output_that_nobody_reads_is_no_finding() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    assert list_to(writer) == (141, "")
    os.close(writer)


def list_to(output: int) -> tuple[int, str]:
    """The exit code of ``list``, which writes there, and what it says besides."""
    answer = subprocess.run(
        [sys.executable, "-m", "queuecheck", "list"],
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    return answer.returncode, answer.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_leads_nowhere(closed: str, tmp_path: Path) -> None:
    """No file that is opened later gets its number, neither here nor in a child."""
    script = (
        "import os, subprocess, sys; from queuecheck.cli import streams; streams.open_closed();"
        "print(1); print(2, file=sys.stderr); assert sys.stdin.isatty() is False;"
        f"file = open({str(tmp_path / 'file')!r}, 'w'); assert file.fileno() > 2;"
        "subprocess.run(['sh', '-c', 'echo 3; echo 4 >&2'], check=True); file.write('5')"
    )
    shell = f'exec "$0" -c "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable, script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("1\n3\n" if closed in {"<&-", "2>&-"} else "")
    assert (tmp_path / "file").read_text() == "5"


@pytest.mark.parametrize("ignored", [False, True])
def test_a_run_ends_with_its_terminal_unless_it_was_told_to_go_on(ignored: bool) -> None:
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
        end_as_after_ctrl_c()
        interrupts = signal.default_int_handler
        assert signal.getsignal(signal.SIGTERM) is interrupts
        assert signal.getsignal(signal.SIGHUP) is (signal.SIG_IGN if ignored else interrupts)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


EARLY = """
def pytest_sessionstart():
    raise KeyboardInterrupt
"""


def test_ctrl_c_before_a_run_has_begun_is_no_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "early.py").write_text(EARLY, encoding="utf-8")
    answer = subprocess.run(
        [sys.executable, "-m", "queuecheck", "run", "--id", "KQ-SEQ-02"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTEST_PLUGINS": "early",
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (answer.returncode, answer.stderr.strip()) == (130, "queuecheck: stopped")


def test_a_run_of_one_scenario_starts_no_workers() -> None:
    assert "-n" not in arguments(Options(), tests=1)
    words = arguments(Options(workers=4), tests=3)
    assert words[words.index("-n") + 1] == "3"


def test_workers_are_counted_on_what_is_chosen() -> None:
    every = _selected(Options())
    slow = _selected(Options(select="slow"))
    assert 1 < len(slow) < len(every)
    there = f"{slow[0].file}:{slow[0].line}"
    for options in (
        Options(places=(there,)),
        Options(select="slow", places=(there,)),
        Options(ids=slow[0].requirements[:1], places=(there,)),
    ):
        assert _selected(options) == [slow[0]]


def test_what_chooses_nothing_is_left_to_the_plugin_to_explain() -> None:
    every = _selected(Options())
    for options in (
        Options(select="no-such-tag"),
        Options(select="("),
        Options(ids=("KQ-XYZ-01",)),
        Options(rerun_failed=Path("no-such-report")),
    ):
        assert _selected(options) == every


def test_processes_belong_to_one_worker_where_all_share_a_cluster() -> None:
    words = ["run", "--cluster", "kind", "-j", "2"]
    answer = subprocess.run(
        [sys.executable, "-m", "queuecheck", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert answer.stderr == (
        "queuecheck: -j 2: all scenarios on a kind cluster share one implementation, and reference "
        "0.1.0 is run as processes, so one at a time is played\n"
    )
    assert (answer.returncode, answer.stdout) == (2, "")


def test_the_options_of_a_run_reach_the_plugin() -> None:
    words = arguments(
        Options(
            ids=("KQ-SEQ-01",), select="must", places=("a.feature:3",), keep="failed", strict=True
        ),
        tests=1,
    )
    assert {
        "--qc-id=KQ-SEQ-01",
        "--qc-select=must",
        "--qc-at=a.feature:3",
        "--qc-keep=failed",
        "--qc-strict",
    } <= set(words)


def commands(group: click.Group, *above: str) -> list[tuple[str, ...]]:
    """Every command there is, as one calls it."""
    found: list[tuple[str, ...]] = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        found.append((*above, name))
        if isinstance(command, click.Group):
            found += commands(command, *above, name)
    return found


@pytest.mark.parametrize("words", commands(cli), ids=" ".join)
def test_every_command_says_what_it_does_with_an_example_that_there_is(
    words: tuple[str, ...],
) -> None:
    told = run(*words, "--help")
    assert "Example" in told
    assert f"queuecheck {' '.join(words)}" in told.partition("Example")[2]


def test_help_lists_every_command_and_the_exit_codes() -> None:
    told = run("--help")
    for name in cli.list_commands(click.Context(cli)):
        assert f"\n  {name}" in told
    assert "0 conformant    1 not conformant    2 usage" in told


def test_the_options_of_a_run_are_in_sections_and_each_in_one() -> None:
    told = run("run", "--help")
    command = cli.get_command(click.Context(cli), "run")
    assert isinstance(command, click.Command)
    listed = told.partition("\nExamples:")[0]
    for option in command.params:
        if isinstance(option, click.Option):
            name = max(option.opts, key=len)
            assert len(re.findall(rf"^  (?:-\w, )?{name}\b(?!-)", listed, re.MULTILINE)) == 1, name
    patterns = [pattern for each in SECTIONS.values() for pattern in each if pattern != "help"]
    names = [
        max(each.opts, key=len).removeprefix("--")
        for each in command.params
        if each.opts[0][0] == "-"
    ]
    assert not [name for name in names if not any(fnmatch(name, each) for each in patterns)]
