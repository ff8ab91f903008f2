"""What the terminal shows in the end, and the exit code.

The first line says which cluster it was and why; then one line for each requirement; then the
verdict with what it does not say. pytest's own closing line stays the last.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from queuecheck.interruption import held_back
from queuecheck.plugin import compat, facts, options, preflight, record
from queuecheck.report import INTERNAL_ERROR, ClusterFacts, Report, RunFacts, ScenarioRun
from queuecheck.report.build import build
from queuecheck.report.publish import publish
from queuecheck.report.recount import result_of
from queuecheck.verdict import (
    ExitCode,
    Outcome,
    RequirementResult,
    RunVerdict,
    Scope,
    by_requirement,
    judge,
)

if TYPE_CHECKING:
    from _pytest._code.code import TracebackEntry
    from _pytest.terminal import TerminalReporter


class Summary:
    """Gathers the results of all workers, and judges them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._descriptor = preflight.descriptor_of(config)
        self._catalogue = preflight.catalogue_of(config, self._descriptor)
        self._scenarios = preflight.scenarios_of(config)
        self._runs: dict[str, ScenarioRun] = {}
        self._clusters: dict[ClusterFacts, None] = {}
        self._failed_beside: dict[str, None] = {}
        self._interrupted = ""
        # From when on a report is owed, until it is made.
        self._session: pytest.Session | None = None
        self._started = facts.now()
        self._published = ""
        # What could not be taken down when the session ended; of several things each has a line.
        self._left: list[str] = []
        self._workers: list[Any] = []

    def pytest_report_header(self) -> str:
        """What is about to be judged, and with which seed."""
        seed = self._config.option.qc_random_order
        order = f", random order with seed {seed}" if seed is not None else ""
        return f"queuecheck: {self._descriptor.title}, run {self._config.option.qc_run}{order}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """The run has begun."""
        self._session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """pytest-xdist starts a worker: it has to know the run and the order."""
        node.workerinput[options.DRAWN] = options.drawn(self._config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        """From now on a worker may have something to take down; one that only starts has not."""
        self._workers.append(node)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A result, wherever it was run."""
        found = record.of(report)
        if found is not None:
            self._clusters[found.cluster] = None
            known = self._runs.get(report.nodeid)
            self._runs[report.nodeid] = record.joined(known, found.run)
        elif report.failed and ".feature::" in report.nodeid:
            self._runs[report.nodeid] = self._crashed(report)
        elif report.failed:
            self._failed_beside[report.nodeid] = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker has ended, and may have left something; one that crashed is told elsewhere."""
        # In this order: whoever is interrupted in between asks it again.
        self._note(getattr(node, "workeroutput", {}).get(record.LEFT, ""))
        if node in self._workers:
            self._workers.remove(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, report: pytest.TestReport) -> None:
        """A worker to which Ctrl-C came before it came to us has ended, and not crashed.

        What it was at has no result, then. A report of nothing is one of a phase that has passed.
        """
        output = getattr(getattr(report, "node", None), "workeroutput", {})
        if output.get("exitstatus") == pytest.ExitCode.INTERRUPTED:
            report.when, report.outcome, report.longrepr = "teardown", "passed", None

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """A signal can come in where a program has no line, at which pytest fails to tell it."""
        excinfo.traceback = excinfo.traceback.filter(_has_line)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, object, object]:
        """The exit code is that of the verdict, unless pytest's own says something else.

        pytest takes down here what an interrupted run has still standing. What fails at that is
        told with the verdict, which is owed in any case: also where Ctrl-C comes only now, or comes
        to us after our workers. When all is told it comes too late.
        """
        result: object = None
        from_now_on = ExitStack()
        try:
            try:
                result = yield
            except Exception as error:  # noqa: BLE001 - told by its text
                # Imports all that scenarios need, which this process has only if it runs them.
                from queuecheck.plugin.errors import taking_down  # noqa: PLC0415

                self._note(facts.secrets(self._descriptor).mask(taking_down(error)))
            from_now_on.enter_context(held_back())
        except KeyboardInterrupt:
            exitstatus = pytest.ExitCode.INTERRUPTED
            from_now_on.enter_context(held_back())
        with suppress(KeyboardInterrupt), from_now_on:
            self._note(self._config.stash.get(record.BROKEN_OFF, ""))
            if exitstatus == pytest.ExitCode.INTERRUPTED:
                self._ask_workers()
            self._conclude(session, exitstatus)
        return result

    def pytest_unconfigure(self) -> None:
        """Ctrl-C can have come even before the other hook did."""
        if self._session is not None:
            self._conclude(self._session, pytest.ExitCode.INTERRUPTED)

    def _ask_workers(self) -> None:
        """pytest-xdist, once interrupted, heeds no worker, and kills those that take too long."""
        for worker in list(self._workers):
            if hasattr(worker, "workeroutput"):
                self.pytest_testnodedown(worker)
            else:
                self._note(f"worker {worker.gateway.id} was ended before it had taken all down")

    def _note(self, left: str) -> None:
        if left and left not in self._left:
            self._left.append(left)

    def _conclude(self, session: pytest.Session, exitstatus: int) -> None:
        self._session = None
        stopped = session.shouldstop or session.shouldfail
        if stopped or exitstatus == pytest.ExitCode.INTERRUPTED or self._left:
            told = str(stopped) if isinstance(stopped, str) else "interrupted"
            self._interrupted = "; ".join([told, *(left.splitlines()[0] for left in self._left)])
        if exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            self._interrupted = INTERNAL_ERROR
            session.exitstatus = ExitCode.HARNESS
        elif exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = ExitCode.USAGE
        elif self._failed_beside:
            session.exitstatus = ExitCode.NOT_CONFORMANT
        elif self._runs or not session.testsfailed:
            session.exitstatus = self._verdict().exit_code
        else:  # something could not be collected
            session.exitstatus = ExitCode.HARNESS
        if self._runs or self._interrupted:
            session.exitstatus = self._publish(session.exitstatus)

    def _publish(self, code: int) -> int:
        """Writes the report, if one is wanted. The exit code, which tells where it could not be."""
        directory = facts.directory_of(self._config)
        if directory is None:
            return code
        try:
            homes = [root.parent for root in preflight.roots_asked_for(self._config)]
            publish(self._report(code), directory, homes=homes)
        except OSError as error:
            self._published = f"no report: {error.filename or directory}: {error.strerror}"
            return code or ExitCode.ENVIRONMENT
        self._published = f"report: {directory}"
        return code

    def _report(self, code: int) -> Report:
        profile = self._descriptor.profile
        scope = self._scope()
        verdict = self._verdict()
        if code in set(ExitCode):
            verdict = replace(verdict, exit_code=ExitCode(code))
        return build(
            run=RunFacts(
                id=str(self._config.option.qc_run),
                started=self._started,
                ended=facts.now(),
                reproduce=facts.command(self._config),
                ended_early=self._interrupted,
                selection=scope.selection,
                failed_beside=tuple(self._failed_beside),
            ),
            verdict=verdict,
            results=self._by_requirement(),
            runs=[facts.beside(run, self._config) for run in self._runs.values()],
            implementation=facts.implementation(
                self._descriptor, missing=scope.missing, absent=scope.absent
            ),
            clusters=self._clusters,
            versions=facts.versions(),
            configuration=facts.configuration(self._config),
            catalogue=self._catalogue,
            profile=(profile.name, profile.title),
            secrets=facts.secrets(self._descriptor),
        )

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """The results by requirement, and the verdict."""
        if not self._runs and not self._interrupted:
            return
        verdict = self._verdict()
        terminalreporter.section("queuecheck")
        for cluster in self._clusters:
            terminalreporter.write_line(cluster.reason)
        terminalreporter.write_line(f"implementation {self._descriptor.title}")
        terminalreporter.write_line("")
        for results in _alike(self._by_requirement()):
            if len(results) > 1:
                _write_many(terminalreporter, results)
            else:
                _write(terminalreporter, results[0])
        terminalreporter.write_line("")
        things = [line for left in self._left for line in left.splitlines()[1:]]
        for line in (*verdict.notes, *things):
            terminalreporter.write_line(line)
        colour = "green" if verdict.exit_code is ExitCode.CONFORMANT else "red"
        terminalreporter.write_line(verdict.headline, **{colour: True, "bold": True})
        if self._published:
            terminalreporter.write_line(self._published)

    def _by_requirement(self) -> tuple[RequirementResult, ...]:
        tests: dict[str, dict[str, int]] = {}
        for scenario in self._scenarios:
            for name in scenario.requirements:
                due = scenario.rows * self._config.option.qc_repeat
                tests.setdefault(name, {})[scenario.place] = due
        return by_requirement(
            map(result_of, self._runs.values()),
            self._catalogue,
            baseline=self._descriptor.baseline,
            tests=tests,
        )

    def _verdict(self) -> RunVerdict:
        return judge(self._by_requirement(), self._scope())

    def _scope(self) -> Scope:
        covered = {name for scenario in self._scenarios for name in scenario.requirements}
        needed = {
            word.removeprefix("needs:") for scenario in self._scenarios for word in scenario.words
        }
        undeclared = [
            feature
            for feature in self._descriptor.profile.features.values()
            if feature.name in needed and feature.name not in self._descriptor.features
        ]
        return Scope(
            expected=frozenset(row.id for row in self._catalogue.standing),
            covered=frozenset(covered),
            selection=self._is_selection(),
            missing=tuple(each.name for each in undeclared if each.required),
            absent=tuple(each.name for each in undeclared if not each.required),
            interrupted=self._interrupted,
            strict=bool(self._config.option.qc_strict),
            accept_baseline=bool(self._config.option.qc_accept_baseline),
        )

    def _is_selection(self) -> bool:
        option = self._config.option
        whole = all(
            any(root.is_relative_to(path) for path in options.asked_for(self._config))
            for root in preflight.roots_asked_for(self._config)
        )
        return (
            bool(
                option.qc_id
                or option.qc_at
                or option.qc_select
                or option.qc_rerun_failed
                or option.keyword
                or option.markexpr
            )
            or not whole
        )

    def _crashed(self, report: pytest.TestReport) -> ScenarioRun:
        """A scenario whose worker died under it: no result came, only that it failed."""
        file, _, test = report.nodeid.partition("::")
        name = test.partition("[")[0]
        found = next(
            (
                scenario
                for scenario in self._scenarios
                if file.endswith(scenario.file) and compat.test_name(scenario.name) == name
            ),
            None,
        )
        told = str(report.longrepr).strip().splitlines()[0] if report.longrepr else "no report"
        return ScenarioRun(
            requirements=found.requirements if found else (),
            name=found.name if found else test,
            feature=found.feature if found else "",
            rule=(found.rule or "") if found else "",
            file=found.file if found else file,
            line=found.line if found else 1,
            tags=tuple(tag.name for tag in found.tags) if found else (),
            text=found.text if found else "",
            outcome=str(Outcome.HARNESS_ERROR),
            reason=told,
        )


WIDTH = 120
COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red"}


def _has_line(entry: TracebackEntry) -> bool:
    try:
        return entry.lineno >= 0
    except TypeError:
        return False


def _alike(results: Sequence[RequirementResult]) -> Iterable[Sequence[RequirementResult]]:
    """Neighbours for which the same broken environment is to blame are one row, others alone."""

    def blamed(numbered: tuple[int, RequirementResult]) -> tuple[str, int]:
        number, result = numbered
        broken = result.outcome is Outcome.ENVIRONMENT
        return (result.reason, -1) if broken else ("", number)

    for _, group in itertools.groupby(enumerate(results), key=blamed):
        yield [result for _, result in group]


def _write_many(terminal: TerminalReporter, results: Sequence[RequirementResult]) -> None:
    outcome = results[0].outcome
    terminal.write(f"{outcome.word:<16}", **{COLOURS.get(outcome, "yellow"): True})
    first, last = results[0].requirement.id, results[-1].requirement.id
    terminal.write_line(f" {first} to {last}, {len(results)} requirements: {results[0].reason}")


def _write(terminal: TerminalReporter, result: RequirementResult) -> None:
    colour = COLOURS.get(result.outcome, "yellow")
    terminal.write(f"{result.outcome.word:<16}", **{colour: True})
    row = result.requirement
    terminal.write(f" {row.id:<11} {row.level.upper():<7}{result.milliseconds:>6} ms")
    many = f"  {result.passed} of {result.scenarios} passed" if result.scenarios > 1 else ""
    room = WIDTH - 46 - len(many)
    reason = result.reason if len(result.reason) <= room else f"{result.reason[: room - 1]}…"
    terminal.write_line(f"{many}  {reason}".rstrip())
