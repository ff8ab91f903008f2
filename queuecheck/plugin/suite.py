"""Running scenarios: which of them, in which order, and what came of each.

Whether a scenario can run is decided before its first step. What it came to is decided from the
phase in which it ended and the kind of the exception, and put on pytest's report.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from queuecheck.catalogue import NEEDS_PREFIX, Choice, Scenario
from queuecheck.cluster.words import CAPABILITIES
from queuecheck.implementation import Descriptor
from queuecheck.plugin import compat, facts, options, record
from queuecheck.plugin.account import ACCOUNT
from queuecheck.plugin.errors import classify, taking_down, told
from queuecheck.report import ClusterFacts, ScenarioRun
from queuecheck.timeline import ClaimFailed
from queuecheck.verdict import Outcome
from queuecheck.world import EnvironmentBroken, Stage, World

if TYPE_CHECKING:
    from pytest_bdd.parser import Step

SCENARIO = pytest.StashKey[Scenario]()
DECIDED = pytest.StashKey[tuple[Outcome, str]]()
FAILED = pytest.StashKey[bool]()
STORY = pytest.StashKey[list[str]]()
# What kept the scenario's pods from running, where a claim has failed.
HINDRANCE = pytest.StashKey[EnvironmentBroken]()
EVIDENCE = pytest.StashKey[str]()
LONGEST_FAILURE = 20_000
SERIAL = "serial"


class Suite:
    """The plugin of a process that runs scenarios."""

    def __init__(
        self, config: pytest.Config, descriptor: Descriptor, *, chosen: Choice | None = None
    ) -> None:
        """``chosen`` is what the options say of a scenario."""
        self._config = config
        self._chosen = chosen or (lambda _: True)
        self.descriptor = descriptor
        self._broken = ""
        # Why the cluster is gone for good, or "".
        self.lost = ""
        self.failed = False
        self.interrupted = False
        cluster = str(config.option.qc_cluster)
        self.cluster = ClusterFacts(kind=cluster, reason=f"cluster {cluster}")
        self.secrets = facts.secrets(descriptor)

    def meet(self, stage: Stage) -> None:
        """The stage is open: says what it is, and learns its secrets."""
        self.cluster = ClusterFacts(
            kind=str(self._config.option.qc_cluster),
            reason=stage.reason,
            server=stage.server_version,
            capabilities=tuple(sorted(stage.capabilities)),
        )
        self.secrets = stage.secrets

    def pytest_bdd_apply_tag(self, tag: str, function: object) -> bool | None:
        """``needs:x`` becomes a mark with an argument: a mark's name holds no colon."""
        if not tag.startswith(NEEDS_PREFIX):
            return None
        pytest.mark.needs(tag.removeprefix(NEEDS_PREFIX))(function)
        return True

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """``--qc-repeat``: each scenario so many times."""
        times = self._config.option.qc_repeat
        if times > 1 and compat.scenario_name(metafunc.function) is not None:
            metafunc.fixturenames.append("qc_repetition")
            numbers = range(1, times + 1)
            metafunc.parametrize("qc_repetition", numbers, ids=[f"run{n}" for n in numbers])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """``--qc-id``, ``--qc-select``, ``--qc-at``, ``--qc-rerun-failed``, then the order."""
        left_out = [
            item
            for item in items
            if SCENARIO in item.stash and not self._chosen(item.stash[SCENARIO])
        ]
        if left_out:
            self._config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in set(left_out)]
        seed = self._config.option.qc_random_order
        if seed is not None:
            ours = [item for item in items if SCENARIO in item.stash]
            shuffled = sorted(ours, key=lambda item: item.nodeid)
            random.Random(seed).shuffle(shuffled)  # noqa: S311 - an order, no secret
            others = [item for item in items if SCENARIO not in item.stash]
            items[:] = [*others, *shuffled]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A scenario that needs what the implementation has not is not begun."""
        if SCENARIO not in item.stash:
            return
        lacking = [
            need
            for need in needs_of(item)
            if need not in self.descriptor.features and need not in CAPABILITIES
        ]
        if lacking:
            decide(item, Outcome.NOT_SUPPORTED, f"{self.descriptor.name} has no {lacking[0]}")

    def pytest_bdd_step_error(
        self, request: pytest.FixtureRequest, step: Step, exception: Exception
    ) -> None:
        """Evidence is taken here: later, the scenario's clean-up has begun."""
        item: pytest.Item = request.node
        if SCENARIO not in item.stash or self._config.option.qc_must_fail is not None:
            return
        scenario = item.stash[SCENARIO]
        place = f"{scenario.file}:{step.line_number}"
        item.stash[STORY] = [f"{step.keyword} {step.name} ({place})"]
        world: World = request.getfixturevalue("world")
        try:
            evidence = world.take_evidence(
                failure=getattr(exception, "failure", None), error=f"{exception}"
            )
        except Exception as error:  # noqa: BLE001 - evidence must not hide what it is about
            item.stash[STORY].append(f"no evidence: {type(error).__name__}: {error}")
        else:
            item.stash[STORY].append(evidence.problem or f"evidence: {evidence.directory}")
            item.stash[EVIDENCE] = str(evidence.directory)
        if isinstance(exception, ClaimFailed) and (found := world.hindrance()) is not None:
            item.stash[HINDRANCE] = found

    def pytest_keyboard_interrupt(self) -> None:
        """From now on all is taken down."""
        self.interrupted = True

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """What a worker cannot take down it tells where the summary is."""
        if not self.worker:
            return (yield)
        try:
            return (yield)
        except Exception as error:  # noqa: BLE001 - told by its text
            workeroutput = self._config.workeroutput  # type: ignore[attr-defined]
            workeroutput[record.LEFT] = self.secrets.mask(taking_down(error))
            return None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Puts the result of each phase that decides something on its report."""
        report = yield
        if SCENARIO not in item.stash:
            return report
        error = None if call.excinfo is None else call.excinfo.value
        if error is not None and call.when == "call":
            error = item.stash.get(HINDRANCE, error)
        found = item.stash.get(DECIDED, None) if report.skipped else None
        outcome, reason = found or classify(call.when, error)
        if outcome is Outcome.FAILED:
            item.stash[FAILED] = self.failed = True
        trace = report.longreprtext if report.failed else ""
        if error is not None and report.failed and not self._config.option.qc_traceback:
            self._tell(report, item, error)
        if call.when == "call" or outcome is not Outcome.PASSED:
            run = self._run(item, outcome, reason, call.duration)
            if error is not None and trace and report.failed:
                run = replace(run, failure=_shortened(told(error) or trace))
            if call.when == "call" and ACCOUNT in item.stash:
                run = item.stash[ACCOUNT].tell(run, self.descriptor.profile)
            record.attach(report, record.Record(run, self.cluster), self.secrets)
        self._mask(report)
        return report

    def _mask(self, report: pytest.TestReport) -> None:
        """What pytest shows and writes down of it, too, such as the end of a log."""
        text = report.longreprtext if report.failed else ""
        if (masked := self.secrets.mask(text)) != text:
            report.longrepr = masked
        report.sections = [(name, self.secrets.mask(said)) for name, said in report.sections]

    def _tell(self, report: pytest.TestReport, item: pytest.Item, error: BaseException) -> None:
        """Puts the error's own words in the place of a traceback, a broken environment's once."""
        text = told(error)
        story = item.stash.get(STORY, []) if report.when == "call" else []
        if text is None:
            report.sections.append(("scenario", "\n".join(story)))
            return
        if isinstance(error, EnvironmentBroken) and str(error) == self._broken:
            report.outcome = "skipped"
            report.longrepr = (item.location[0], item.location[1] or 0, "environment, as above")
            return
        if isinstance(error, EnvironmentBroken):
            self._broken = str(error)
        report.longrepr = "\n".join([*story[:1], text, *story[1:]])

    def _run(self, item: pytest.Item, outcome: Outcome, reason: str, seconds: float) -> ScenarioRun:
        """What is known without a world."""
        assert isinstance(item, pytest.Function)
        scenario = item.stash[SCENARIO]
        tags = [tag.name for tag in scenario.tags]
        tags += [NEEDS_PREFIX + need for need in needs_of(item)]
        return ScenarioRun(
            requirements=scenario.requirements,
            name=scenario.name,
            feature=scenario.feature,
            rule=scenario.rule or "",
            file=scenario.file,
            line=scenario.line,
            tags=tuple(dict.fromkeys(tags)),
            text=scenario.text,
            outcome=str(outcome),
            reason=reason,
            ms=round(seconds * 1000),
            example=compat.example_of(item),
            repetition=compat.repetition_of(item),
            worker=self.worker,
            reproduce=self.reproduce(scenario),
            evidence=item.stash.get(EVIDENCE, ""),
        )

    def plays_alone(self, item: pytest.Item) -> bool:
        """Whether no other scenario may be played at the time, where they share a cluster."""
        disturbing = self.descriptor.profile.timing.disturbing & set(needs_of(item))
        return bool(disturbing) or SERIAL in item.stash[SCENARIO].words

    def reproduce(self, scenario: Scenario) -> str:
        """The command that runs one scenario alone."""
        return facts.command_for(self._config, scenario.place)

    @property
    def evidence_directory(self) -> Path:
        """Where failed scenarios leave what was seen."""
        return self._config.invocation_params.dir / str(self._config.option.qc_evidence)

    @property
    def worker(self) -> str:
        """``gw0`` …, or "" in the only process."""
        return options.worker_name(self._config)


def _shortened(text: str) -> str:
    """The beginning says what failed, the end where."""
    half = LONGEST_FAILURE // 2
    return text if len(text) <= LONGEST_FAILURE else f"{text[:half]}\n…\n{text[-half:]}"


def needs_of(item: pytest.Item) -> tuple[str, ...]:
    """What a scenario says it needs, its Examples' tags included."""
    return tuple(sorted({str(mark.args[0]) for mark in item.iter_markers("needs") if mark.args}))


def decide(item: pytest.Item, outcome: Outcome, reason: str) -> None:
    """Ends a scenario before its first step. Raises pytest's Skipped."""
    item.stash[DECIDED] = (outcome, reason)
    pytest.skip(f"{outcome.word.lower()}: {reason}")
