"""What can be found wrong before anything is started: each in one line, with exit code 2."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from queuecheck import resources
from queuecheck.budgets import BudgetError
from queuecheck.catalogue import (
    Catalogue,
    CatalogueError,
    Choice,
    FeatureError,
    Scenario,
    Selection,
    SelectionError,
    Vocabulary,
    check,
    choice,
    load_catalogue,
    read_features,
    stands_at,
    wrong_entries,
)
from queuecheck.cluster.words import CAPABILITIES
from queuecheck.implementation import (
    Descriptor,
    DescriptorError,
    load_descriptor,
    packaged_descriptor,
)
from queuecheck.plugin import consent, facts, options
from queuecheck.report.document import ReportError, failed_in
from queuecheck.verdict import ExitCode, vacuity

# It is a part of names on the cluster, and of paths.
RUN = re.compile(r"[a-z0-9]{1,20}")


def refuse(config: pytest.Config) -> int | None:
    """The exit code, after saying why, or None when the run may begin."""
    try:
        descriptor = descriptor_of(config)
        catalogue = catalogue_of(config, descriptor)
        scenarios = scenarios_of(config)
        words = Vocabulary.of(catalogue, descriptor.profile, CAPABILITIES)
        problems = [
            *wrong_baseline(descriptor, catalogue),
            *_problems(config, scenarios, words),
            *_too_many_workers(config, descriptor),
        ]
    except (DescriptorError, CatalogueError, FeatureError) as error:
        problems = [str(error)]
    # Last, since it makes a directory: a run that is refused leaves nothing.
    problems = problems or list(filter(None, [facts.unusable(config)]))
    consent.say(*problems)
    if problems:
        return int(ExitCode.USAGE)
    choice = options.cluster_choice(config)
    if choice.somebodys and not config.option.collectonly:
        return consent.refused(config, choice, descriptor)
    return None


def descriptor_of(config: pytest.Config) -> Descriptor:
    """The implementation that the options name. Raises DescriptorError."""
    named = config.option.qc_implementation
    if named is None:
        return packaged_descriptor("reference")
    return load_descriptor(config.invocation_params.dir / named)


def catalogue_of(config: pytest.Config, descriptor: Descriptor) -> Catalogue:
    """The requirements of the profile, or those of the project itself. Raises CatalogueError."""
    own = config.getini("queuecheck_catalogue")
    return load_catalogue(own[0] if own else resources.catalogue_file(descriptor.profile.name))


def scenarios_of(config: pytest.Config) -> tuple[Scenario, ...]:
    """Every scenario of the features directories that are asked for. Raises FeatureError."""
    return tuple(scenario for root in roots_asked_for(config) for scenario in read_features(root))


def roots_asked_for(config: pytest.Config) -> tuple[Path, ...]:
    """The features directories of ours in or above which a path is asked for."""
    asked = options.asked_for(config)
    return tuple(
        root
        for root in options.roots(config)
        if any(path.is_relative_to(root) or root.is_relative_to(path) for path in asked)
    )


def wrong_baseline(descriptor: Descriptor, catalogue: Catalogue) -> Iterator[str]:
    """What is wrong with the known failures of an implementation."""
    for problem in wrong_entries(descriptor.baseline, catalogue):
        yield f"implementation {descriptor.name}: {problem}"


def _problems(
    config: pytest.Config, scenarios: tuple[Scenario, ...], words: Vocabulary
) -> Iterator[str]:
    yield from map(str, check(scenarios, words))
    shown = {name for scenario in scenarios for name in scenario.requirements}
    for name in config.option.qc_id:
        try:
            row = words.catalogue.get(name)
        except CatalogueError as error:
            yield f"--id: {error}"
            continue
        if row.id not in shown:
            yield f"--id {row.id}: no scenario shows it in this version of the suite"
    for place in config.option.qc_at:
        if not any(stands_at(scenario, place) for scenario in scenarios):
            yield f"no scenario stands at {place}; `queuecheck list` names them all"
    yield from options.cluster_choice(config).problems()
    yield from _nothing_chosen(config, scenarios, words)
    yield from _nothing_to_repeat(config, scenarios)
    yield from _wrongly_spared(config, scenarios)
    scale = config.option.qc_timeout_scale
    if not 0 < scale < math.inf:
        yield f"--timeout-scale {scale:g}: it has to be a number, and more than 0"
    elif problem := _wrong_budget(config):
        yield problem
    run = config.option.qc_run
    if run is not None and not RUN.fullmatch(run):
        yield f"--qc-run {run!r}: it has to be 1 to 20 small letters and digits"
    if config.option.qc_repeat < 1:
        yield f"--repeat {config.option.qc_repeat}: it has to be at least 1"


def _wrong_budget(config: pytest.Config) -> str:
    try:
        options.budgets(config)
    except BudgetError as error:
        return f"--budget: {error}"
    return ""


def _too_many_workers(config: pytest.Config, descriptor: Descriptor) -> Iterator[str]:
    workers = getattr(config.option, "numprocesses", None) or 1
    if isinstance(workers, str):  # "auto" or "logical", of which pytest-xdist makes a number later
        workers = config.hook.pytest_xdist_auto_num_workers(config=config)
    choice = options.cluster_choice(config)
    if workers > 1 and not choice.bears_workers(descriptor.processes):
        where = "an existing" if choice.somebodys else "a kind"
        how = "" if choice.somebodys else f", and {descriptor.title} is run as processes"
        yield (
            f"-j {workers}: all scenarios on {where} cluster share one implementation{how}, so one "
            "at a time is played"
        )


def selection(config: pytest.Config, words: Vocabulary) -> Selection:
    """Which scenarios the options choose. Raises SelectionError or ReportError."""
    return Selection(
        ids=tuple(config.option.qc_id),
        places=tuple(config.option.qc_at),
        tags=selected(config, words),
        failed=failed_before(config),
    )


def selected(config: pytest.Config, words: Vocabulary) -> Choice | None:
    """What ``--qc-select`` says of a scenario; None without one. Raises SelectionError."""
    expression = config.option.qc_select
    return None if expression is None else choice(expression, words)


def failed_before(config: pytest.Config) -> frozenset[tuple[str, str]] | None:
    """What did not pass in the run of ``--qc-rerun-failed``; None without. Raises ReportError."""
    named = config.option.qc_rerun_failed
    return None if named is None else failed_in(config.invocation_params.dir / named)


def _nothing_to_repeat(config: pytest.Config, scenarios: tuple[Scenario, ...]) -> Iterator[str]:
    try:
        failed = failed_before(config)
    except ReportError as error:
        yield f"--rerun-failed {error}"
        return
    if failed is not None and not any((each.file, each.name) in failed for each in scenarios):
        known = (
            "of what failed in it nothing is there any more" if failed else "nothing failed in it"
        )
        yield f"--rerun-failed {config.option.qc_rerun_failed}: {known}"


def _nothing_chosen(
    config: pytest.Config, scenarios: tuple[Scenario, ...], words: Vocabulary
) -> Iterator[str]:
    """Where each option by itself is right, and yet together they leave nothing."""
    try:
        by_tags = selected(config, words)
    except SelectionError as error:
        yield f"--select {error}"
        return
    if by_tags is not None:
        left = [each for each in scenarios if by_tags(each)]
        if scenarios and not left:
            yield f"--select {config.option.qc_select!r}: no scenario has such tags"
        scenarios = tuple(left) or scenarios
    names = {name.upper() for name in config.option.qc_id}
    places = config.option.qc_at
    there = [each for each in scenarios if any(stands_at(each, place) for place in places)]
    if names and there and not any(names & set(each.requirements) for each in there):
        yield f"no scenario at {', '.join(places)} is about {', '.join(sorted(names))}"
    if not scenarios:
        roots = ", ".join(str(root) for root in roots_asked_for(config))
        yield f"no scenario in any feature file below {roots}"


def _wrongly_spared(config: pytest.Config, scenarios: tuple[Scenario, ...]) -> Iterator[str]:
    named = config.option.qc_must_fail
    if named is None:
        return
    known = {(Path(scenario.file).name, scenario.name) for scenario in scenarios}
    try:
        spared = vacuity.read_spared(config.invocation_params.dir / named)
    except vacuity.SparedError as error:
        yield str(error)
        return
    for each in spared:
        if (each.feature, each.scenario) not in known:
            yield f"{named}: there is no scenario {each.scenario!r} in {each.feature}"
