"""What a report says of a run besides its results: when, with what, and how to repeat it."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest

from queuecheck import __version__
from queuecheck.implementation import Descriptor
from queuecheck.plugin import options
from queuecheck.report import ImplementationFacts, Known, ScenarioRun
from queuecheck.secrecy import Secrets, known, of_environment

PACKAGES = ("pytest", "pytest-bdd", "pytest-xdist", "kubernetes")
DEFAULT_CLUSTER = "local"
DEFAULT_NODES = "real"
# The options that change what a run means; those of no consequence for it are not among them.
SETTINGS = (
    "qc_cluster",
    "qc_context",
    "qc_nodes",
    "qc_workload_image",
    "qc_implementation",
    "qc_select",
    "qc_id",
    "qc_at",
    "qc_rerun_failed",
    "qc_repeat",
    "qc_random_order",
    "qc_timeout_scale",
    "qc_keep",
    "qc_strict",
    "qc_accept_baseline",
)


def now() -> str:
    """The present, in UTC."""
    return datetime.now(UTC).isoformat("T", "seconds").replace("+00:00", "Z")


def directory_of(config: pytest.Config) -> Path | None:
    """Where the report goes, or None."""
    named = config.option.qc_report
    return None if named is None else Path(config.invocation_params.dir / named)


def unusable(config: pytest.Config) -> str:
    """Why no report can be written, or ""; the directory is there afterwards."""
    directory = directory_of(config)
    if directory is None:
        return ""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"--report {config.option.qc_report}: {error.strerror}"
    writable = os.access(directory, os.W_OK | os.X_OK)
    return "" if writable else f"--report {config.option.qc_report}: it cannot be written to"


def versions() -> dict[str, str]:
    """Of the suite and of what it runs on."""
    return {
        "queuecheck": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{package: version(package) for package in PACKAGES},
    }


def configuration(config: pytest.Config) -> dict[str, str]:
    """The effective settings, as text, and the budgets of waiting in seconds."""
    settings = {
        name.removeprefix("qc_").replace("_", "-"): _text(getattr(config.option, name))
        for name in SETTINGS
    }
    workers = getattr(config.option, "numprocesses", None)
    settings["workers"] = str(workers or 1)
    budgets = options.budgets(config)
    settings.update({f"budget.{name}": f"{budgets.seconds(name):g}" for name in budgets.classes})
    return settings


def command(config: pytest.Config) -> str:
    """What repeats the run."""
    return shlex.join(
        ["queuecheck", "run", *_chosen(config), *_conditions(config), *_rules(config)]
    )


def command_for(config: pytest.Config, place: str) -> str:
    """What plays the scenario alone that stands at a place."""
    return shlex.join(["queuecheck", "run", place, *_conditions(config)])


def implementation(
    descriptor: Descriptor, *, missing: tuple[str, ...], absent: tuple[str, ...]
) -> ImplementationFacts:
    """Who was judged; of how it is started nothing is told."""
    return ImplementationFacts(
        name=descriptor.name,
        version=descriptor.version,
        url=descriptor.url,
        features=tuple(sorted(descriptor.features)),
        missing=missing,
        absent=absent,
        baseline=tuple(
            Known(each.id, each.reason, each.link, each.intermittent)
            for each in descriptor.baseline
        ),
    )


def beside(run: ScenarioRun, config: pytest.Config) -> ScenarioRun:
    """The run with the way to its evidence as it is from the report, where it lies below it."""
    directory = directory_of(config)
    if not run.evidence or directory is None:
        return run
    evidence = Path(run.evidence)
    if evidence.is_relative_to(directory):
        return replace(run, evidence=evidence.relative_to(directory).as_posix())
    return run


def secrets(descriptor: Descriptor) -> Secrets:
    """What is known to be secret before there is a cluster."""
    return known([*of_environment(os.environ), *descriptor.secrets()])


def _chosen(config: pytest.Config) -> Iterator[str]:
    """Which scenarios, in which order, how many times."""
    option = config.option
    yield from option.qc_at
    for name in option.qc_id:
        yield from ("--id", name)
    yield from _given(config, "select", "rerun_failed", "random_order")
    if option.qc_repeat != 1:
        yield from ("--repeat", str(option.qc_repeat))


def _conditions(config: pytest.Config) -> Iterator[str]:
    """Whom they are played with, and on what."""
    option = config.option
    if option.qc_cluster != DEFAULT_CLUSTER:
        yield from ("--cluster", option.qc_cluster)
    yield from _given(config, "kubeconfig", "context", "workload_image")
    if option.qc_nodes != DEFAULT_NODES:
        yield from ("--nodes", option.qc_nodes)
    yield from options.cluster_choice(config).kind.words("--kind-")
    yield from _given(config, "implementation")
    if option.qc_timeout_scale != 1:
        yield from ("--timeout-scale", f"{option.qc_timeout_scale:g}")
    for budget in option.qc_budget:
        yield from ("--budget", budget)


def _rules(config: pytest.Config) -> Iterator[str]:
    """What makes the exit code."""
    for name in ("strict", "accept_baseline"):
        if getattr(config.option, f"qc_{name}"):
            yield f"--{name.replace('_', '-')}"


def _given(config: pytest.Config, *names: str) -> Iterator[str]:
    for name in names:
        value = getattr(config.option, f"qc_{name}")
        if value is not None:
            yield from (f"--{name.replace('_', '-')}", str(value))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
