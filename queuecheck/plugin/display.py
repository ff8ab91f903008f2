"""How a run goes, while it goes: on a terminal a block that is drawn anew, in a log plain lines.

It stands in the place of pytest's dots. What did not pass is told at once and stays; everything
that pytest itself writes goes above the block, so nothing is ever drawn over.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import pytest

from queuecheck.interruption import held_back
from queuecheck.plugin import record
from queuecheck.plugin.progress import Board, ending, headline, plain_line, rows
from queuecheck.plugin.whereabouts import look
from queuecheck.verdict import Outcome

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

LINE_EVERY = 10.0  # seconds between lines of a log, where something has ended
STILL_EVERY = 60.0  # and where nothing has
REFRESHES = 4


class View(Protocol):
    """Where the board is shown; nothing happens where nobody can see it any more."""

    def start(self) -> None:
        """From now on."""

    def say(self, line: str) -> None:
        """A line that stays."""

    def stop(self) -> None:
        """Leaves nothing on the screen but what was said. Does nothing a second time."""


class Display:
    """The plugin, where the terminal is. ``stream``, a terminal or a log, is ours to close."""

    def __init__(self, config: pytest.Config, stream: TextIO) -> None:
        self.board = Board()
        self.directory = Path(tempfile.mkdtemp(prefix="queuecheck-run-"))
        config.option.qc_whereabouts = str(self.directory)
        self._config = config
        self._stream = stream
        self._began = time.monotonic()
        self._ended: set[str] = set()
        self._told: frozenset[str] = frozenset()
        self._view: View | None = None
        self._over = False

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._began

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """How many scenarios there are, of a run without workers."""
        self.board = replace(self.board, total=len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """And of one with."""
        self.board = replace(self.board, total=len(ids))

    def pytest_runtest_logstart(self) -> None:
        """The first scenario begins: now there is something to show."""
        if self._view is None:
            self._view = _view(self, self._config, self._stream)
            self._view.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """Counted as ever by pytest, and no dot written; its summary asks for words afterwards."""
        if report.passed:
            return ("passed" if report.when == "call" else "", "", "")
        if report.skipped:
            return "skipped", "", ""
        category = "failed" if report.when == "call" else "error"
        return category, "", category.upper() if self._over else ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A scenario has ended, or its clean-up has failed after that."""
        found = record.of(report)
        if found is None:
            if report.failed:  # of a worker that died there is no record
                self._count(report.nodeid, Outcome.HARNESS_ERROR)
                reason = (report.longreprtext.strip().splitlines() or [""])[0]
                self._say(f"{Outcome.HARNESS_ERROR.word}: {report.nodeid}: {reason}")
            return
        self._count(report.nodeid, Outcome(found.run.outcome))
        line = ending(found.run, told=self._told)
        if line:
            self._told |= {found.run.reason}
            self._say(line)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """What pytest says of it comes on a clean screen."""
        self.close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self) -> None:
        """The same."""
        self.close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """All is done, and pytest's own summary follows, from which no Ctrl-C here may keep it."""
        with suppress(KeyboardInterrupt), held_back():
            self.close()

    def pytest_unconfigure(self) -> None:
        """Whatever happened."""
        self.close()
        with suppress(OSError):  # what was not written yet
            self._stream.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def close(self) -> None:
        """Ends what is shown."""
        self._over = True
        if self._view is not None:
            self._view.stop()

    def _count(self, nodeid: str, outcome: Outcome) -> None:
        if nodeid not in self._ended:
            self._ended.add(nodeid)
            self.board = self.board.counted(outcome)

    def _say(self, line: str) -> None:
        if self._view is not None:
            self._view.say(line)


class Log:
    """Plain lines: now and then how it goes, and what did not pass."""

    def __init__(self, display: Display, stream: TextIO) -> None:
        self._display = display
        self._stream = stream
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="progress", daemon=True)

    def start(self) -> None:
        """See View."""
        self._thread.start()

    def say(self, line: str) -> None:
        """See View."""
        with suppress(OSError, ValueError):
            self._stream.write(f"{line}\n")
            self._stream.flush()

    def stop(self) -> None:
        """See View."""
        if not self._over.is_set():
            self._over.set()
            if self._thread.is_alive():  # a Ctrl-C may have come as it was to be started
                self._thread.join()
            self.say(headline(self._display.board, self._display.seconds))

    def _go_on(self) -> None:
        done, waited = 0, 0.0
        while not self._over.wait(LINE_EVERY):
            waited += LINE_EVERY
            board = self._display.board
            if board.done != done or waited >= STILL_EVERY:
                doing = list(look(self._display.directory))
                self.say(plain_line(board, self._display.seconds, doing))
                done, waited = board.done, 0.0


class Block:
    """A block of a terminal, by rich: the headline, and a line for each worker."""

    def __init__(self, display: Display, stream: TextIO, reporter: TerminalReporter) -> None:
        from rich.console import Console  # noqa: PLC0415 - only on a terminal
        from rich.live import Live  # noqa: PLC0415

        self._display = display
        self._console = Console(file=stream, highlight=False)
        self._live = Live(
            get_renderable=self._draw,
            console=self._console,
            refresh_per_second=REFRESHES,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        # There is no public way to stand between pytest and its terminal.
        self._writer: Any = reporter._tw  # noqa: SLF001
        self._file: Any = None

    def start(self) -> None:
        """See View."""
        from rich.file_proxy import FileProxy  # noqa: PLC0415 - only on a terminal

        # First what tells that there is something to end: a Ctrl-C may come at once.
        self._file = self._writer._file  # noqa: SLF001
        self._writer._file = FileProxy(self._console, self._file)  # noqa: SLF001
        self._live.start(refresh=True)
        self._console.show_cursor(True)  # whoever kills us has it back

    def say(self, line: str) -> None:
        """See View."""
        from rich.text import Text  # noqa: PLC0415 - only on a terminal

        word, _, rest = line.partition(":")
        with suppress(OSError):
            self._console.print(Text.assemble((f"{word}:", "bold red"), rest), soft_wrap=True)

    def stop(self) -> None:
        """See View."""
        if self._file is not None:
            caught = self._writer._file  # noqa: SLF001
            self._writer._file, self._file = self._file, None  # noqa: SLF001
            with suppress(OSError):
                caught.flush()
            with suppress(OSError):
                self._live.stop()
                self._console.print(headline(self._display.board, self._display.seconds))

    def _draw(self) -> Any:
        from rich.text import Text  # noqa: PLC0415 - only on a terminal

        width = self._console.width
        board = self._display.board
        head = headline(board, self._display.seconds)
        style = "bold red" if board.failed or board.unjudged else "bold green"
        doing = rows(look(self._display.directory), width)
        return Text("\n").join([Text(head, style=style), *map(Text, doing)])


def display_of(config: pytest.Config) -> Display | None:
    """The plugin, unless the output is neither a terminal nor a file of the system's."""
    try:
        # A scenario's own output is caught by putting a file in the place of descriptor 1.
        descriptor = os.dup(config.get_terminal_writer()._file.fileno())  # noqa: SLF001
    except (AttributeError, OSError, ValueError):
        return None
    return Display(config, os.fdopen(descriptor, "w", encoding="utf-8", errors="replace"))


def _view(display: Display, config: pytest.Config, stream: TextIO) -> View:
    reporter: TerminalReporter | None = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        reporter.showfspath = False
    if reporter is None or not stream.isatty() or os.environ.get("TERM") in {"dumb", "unknown"}:
        return Log(display, stream)
    return Block(display, stream, reporter)
