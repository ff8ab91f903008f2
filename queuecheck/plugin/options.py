"""The plugin's options, and which files are ours. Nothing heavy: foreign runs import it too."""

from __future__ import annotations

import argparse
import random
import secrets
from pathlib import Path

import pytest

from queuecheck import resources
from queuecheck.budgets import Budgets
from queuecheck.cluster.choice import NODES, PROVIDERS, ClusterChoice
from queuecheck.cluster.kind_options import OFFERS, KindOptions

RANDOM = "random"
DRAWN = "queuecheck"
RUN_LETTERS = "bcdfghjkmnpqrstvwxz23456789"


def add(parser: pytest.Parser) -> None:
    """Adds options and ini settings."""
    group = parser.getgroup("queuecheck", "conformance of batch queues")
    group.addoption(
        "--qc-cluster", choices=PROVIDERS, default="local", help="where scenarios run (local)"
    )
    group.addoption("--qc-kubeconfig", metavar="FILE", help="kubeconfig of an existing cluster")
    group.addoption("--qc-context", metavar="NAME", help="the context in it that is meant")
    group.addoption(
        "--qc-nodes",
        choices=NODES,
        default="real",
        help="of an existing cluster: its own nodes, or such as the suite adds and plays (real)",
    )
    group.addoption(
        "--qc-workload-image",
        metavar="REPOSITORY",
        help="where those nodes pull what pods run (they have it already)",
    )
    for offer in OFFERS:
        flag = {"action": "store_true"} if offer.metavar is None else {"metavar": offer.metavar}
        kind = {"action": "append", "default": []} if offer.many else {}
        of_type = {} if offer.metavar is None else {"type": offer.type}
        group.addoption(
            f"--qc-kind-{offer.name}", help=f"kind: {offer.help}", **flag, **kind, **of_type
        )
    group.addoption("--qc-why", default="", help="why that cluster, for the report")
    group.addoption(
        "--qc-yes",
        action="store_true",
        help="writes to an existing cluster without asking, whoever else uses it",
    )
    group.addoption(
        "--qc-implementation",
        metavar="FILE",
        help="descriptor of the implementation (the reference controller)",
    )
    group.addoption(
        "--qc-timeout-scale",
        type=float,
        default=1.0,
        metavar="X",
        help="multiplies every budget of waiting (1)",
    )
    group.addoption(
        "--qc-budget",
        action="append",
        default=[],
        metavar="CLASS=SECONDS",
        help="how long one class of waits may take, before scaling; may be repeated",
    )
    group.addoption(
        "--qc-id",
        action="append",
        default=[],
        metavar="ID",
        help="only this requirement's scenarios; may be repeated",
    )
    group.addoption(
        "--qc-select",
        metavar="TAGS",
        help="only scenarios that a tag expression chooses, such as 'must and not slow'",
    )
    group.addoption(
        "--qc-at",
        action="append",
        default=[],
        metavar="FILE:LINE",
        help="only the scenario that stands there; may be repeated",
    )
    group.addoption(
        "--qc-repeat", type=int, default=1, metavar="N", help="each scenario so many times (1)"
    )
    group.addoption(
        "--qc-random-order",
        nargs="?",
        const=RANDOM,
        metavar="SEED",
        help="shuffles the scenarios; the seed is printed and can be given again",
    )
    group.addoption(
        "--qc-keep",
        choices=("failed", "all"),
        help="leaves the namespaces of these scenarios in place while the cluster lasts",
    )
    group.addoption(
        "--qc-evidence",
        default="reports/evidence",
        metavar="DIR",
        help="where failed scenarios leave their evidence (reports/evidence)",
    )
    group.addoption(
        "--qc-strict",
        action="store_true",
        help="a failed SHOULD or MAY makes the exit code 1 too",
    )
    group.addoption(
        "--qc-traceback",
        action="store_true",
        help="shows the Python traceback of failed claims",
    )
    group.addoption(
        "--qc-must-fail",
        metavar="FILE",
        help="every scenario has to fail, but for those that the file names with a reason",
    )
    group.addoption(
        "--qc-accept-baseline",
        action="store_true",
        help="where only known failures of the implementation failed, makes the exit code 0",
    )
    group.addoption(
        "--qc-report",
        metavar="DIR",
        help="writes the report there: report.json, report.html, junit.xml and others",
    )
    group.addoption(
        "--qc-rerun-failed",
        metavar="REPORT",
        help="only what did not pass in the run of this report",
    )
    group.addoption(
        "--qc-progress",
        action="store_true",
        help="says who waits for what while the run goes, in the place of dots",
    )
    group.addoption("--qc-whereabouts", help=argparse.SUPPRESS)
    group.addoption("--qc-run", help="the run's short name (a random one)")
    parser.addini("queuecheck_features", "directories of feature files", type="paths", default=[])
    parser.addini("queuecheck_catalogue", "a catalogue of one's own", type="paths", default=[])
    parser.addini(
        "queuecheck_steps", "packages of step definitions", type="args", default=["steps"]
    )


def cluster_choice(config: pytest.Config) -> ClusterChoice:
    """The cluster that the options ask for."""
    option = config.option
    return ClusterChoice(
        provider=option.qc_cluster,
        kubeconfig=config.invocation_params.dir / option.qc_kubeconfig
        if option.qc_kubeconfig is not None
        else None,
        context=option.qc_context,
        nodes=option.qc_nodes,
        workload=option.qc_workload_image,
        kind=KindOptions.of(
            {offer.name: getattr(option, f"qc_kind_{offer.name}") for offer in OFFERS},
            directory=config.invocation_params.dir,
        ),
        why=option.qc_why,
    )


def budgets(config: pytest.Config) -> Budgets:
    """How long waits may take. Raises BudgetError."""
    classes: dict[str, object] = {}
    for word in config.option.qc_budget:
        name, _, seconds = str(word).partition("=")
        try:
            classes[name] = float(seconds)
        except ValueError:
            classes[name] = seconds
    return Budgets.from_mapping(classes, scale=float(config.option.qc_timeout_scale))


def settle(config: pytest.Config) -> None:
    """Draws what is left to chance; a worker takes what was drawn where the terminal is."""
    if is_worker(config):
        config.option.__dict__.update(config.workerinput[DRAWN])  # type: ignore[attr-defined]
        return
    if config.option.qc_run is None:
        config.option.qc_run = "".join(secrets.choice(RUN_LETTERS) for _ in range(5))
    if config.option.qc_random_order == RANDOM:
        config.option.qc_random_order = str(random.SystemRandom().randrange(10**6))


def drawn(config: pytest.Config) -> dict[str, str | None]:
    """What is known here alone, for the workers: they parse the command line again."""
    return {
        "qc_run": config.option.qc_run,
        "qc_random_order": config.option.qc_random_order,
        "qc_whereabouts": config.option.qc_whereabouts,
    }


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of pytest-xdist's workers."""
    return hasattr(config, "workerinput")


def worker_name(config: pytest.Config) -> str:
    """``gw0`` …, or "" in the only process."""
    workerinput = getattr(config, "workerinput", None)
    return str(workerinput["workerid"]) if workerinput else ""


def roots(config: pytest.Config) -> tuple[Path, ...]:
    """The directories whose feature files are ours."""
    named = [Path(path) for path in config.getini("queuecheck_features")]
    return tuple(path.resolve() for path in [*named, resources.features_root()])


def root_of(config: pytest.Config, path: Path) -> Path | None:
    """The one of ``roots`` that holds the path, or None."""
    resolved = path.resolve()
    return next((root for root in roots(config) if resolved.is_relative_to(root)), None)


def is_ours(config: pytest.Config, path: Path) -> bool:
    """Whether a feature file belongs to this suite."""
    return root_of(config, path) is not None


def asked_for(config: pytest.Config) -> tuple[Path, ...]:
    """The paths on the command line, or of ``testpaths``."""
    base = config.invocation_params.dir
    return tuple((base / argument.split("::", 1)[0]).resolve() for argument in config.args)


def asks_for_ours(config: pytest.Config) -> bool:
    """Whether a path that is asked for is inside, or contains, a features directory of ours."""
    return any(
        path.is_relative_to(root) or (root.is_relative_to(path) and any(root.rglob("*.feature")))
        for root in roots(config)
        for path in asked_for(config)
    )
