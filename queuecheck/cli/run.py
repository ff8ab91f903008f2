"""``queuecheck run``: pytest with our plugin, on the features that come with the suite."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from queuecheck import resources
from queuecheck.budgets import DEFAULTS
from queuecheck.catalogue import Scenario, Selection, SelectionError, Vocabulary, choice
from queuecheck.cli.configured import REPORTS, settle, shown
from queuecheck.cli.lazy import SectionedCommand
from queuecheck.cli.settings import BUDGET, Setting
from queuecheck.cli.suite import read_descriptor, read_suite
from queuecheck.cli.workers import MOST_WORKERS, Machine, workers_of
from queuecheck.cluster.choice import AUTO, NODES, PROVIDERS, ClusterChoice
from queuecheck.cluster.kind_options import AS_IT_COMES, OFFERS, KindOptions
from queuecheck.cluster.machine import free_for_us, processors_for_us
from queuecheck.cluster.words import CAPABILITIES
from queuecheck.report.document import ReportError, failed_in

SETTINGS = resources.PACKAGE / "plugin" / "pytest.ini"
PLUGINS = ("pytest_bdd.plugin", "xdist.plugin", "queuecheck.plugin")
RANDOM = "random"
EPILOG = """\b
Examples:
  queuecheck run
  queuecheck run --id KQ-SEQ-01 --id KQ-RCL-02
  queuecheck run --select 'must and not @slow'
  queuecheck run features/koord-queue/preemption.feature:23
  queuecheck run --implementation mine.yaml --timeout-scale 3
  queuecheck run --repeat 10 --random-order 4711
  queuecheck run --rerun-failed reports --report again
  queuecheck run --must-fail spared.yaml --implementation idle.yaml --timeout-scale 0.1

\b
Exit codes:
  0 conformant    1 not conformant    2 usage
  3 environment   4 the suite's own error    5 partial"""

SECTIONS = {
    "What is judged": ("implementation", "id", "select", "rerun-failed", "must-fail"),
    "Where": ("cluster", "kubeconfig", "context", "nodes", "workload-image", "yes", "kind-*"),
    "How": ("workers", "repeat", "random-order", "timeout-scale", "budget", "keep"),
    "What comes of it": ("report", "evidence", "strict", "accept-baseline", "traceback"),
    "Settings, and help": ("config", "show-config", "help"),
}


@dataclass(frozen=True)
class Options:
    """What a run was asked for."""

    places: tuple[str, ...] = ()
    cluster: str = "local"
    kubeconfig: Path | None = None
    context: str | None = None
    nodes: str = "real"
    workload_image: str | None = None
    kind: KindOptions = AS_IT_COMES
    why: str = ""
    yes: bool = False
    implementation: Path | None = None
    ids: tuple[str, ...] = ()
    select: str | None = None
    workers: int = 0
    repeat: int = 1
    random_order: str | None = None
    timeout_scale: float = 1.0
    keep: str | None = None
    evidence: Path | None = None
    report: Path = REPORTS
    rerun_failed: Path | None = None
    strict: bool = False
    accept_baseline: bool = False
    must_fail: Path | None = None
    traceback: bool = False
    budgets: Mapping[str, float] = field(default_factory=dict)

    @property
    def choice(self) -> ClusterChoice:
        """The cluster that is meant."""
        return ClusterChoice(
            self.cluster,
            self.kubeconfig,
            self.context,
            self.nodes,
            self.workload_image,
            self.kind,
            self.why,
        )


def _offered(command: Callable[..., int]) -> Callable[..., int]:
    """With the options of kind clusters."""
    for offer in reversed(OFFERS):
        command = click.option(
            f"--kind-{offer.name}",
            f"kind_{offer.name}",
            metavar=offer.metavar,
            type=offer.type if offer.metavar else None,
            is_flag=offer.metavar is None,
            multiple=offer.many,
            help=f"Of kind: {offer.help}.",
        )(command)
    return command


@click.command(cls=SectionedCommand, sections=SECTIONS, epilog=EPILOG)
@click.argument("places", nargs=-1, metavar="[FILE[:LINE]]...")
@click.option(
    "--cluster",
    type=click.Choice((*PROVIDERS, AUTO)),
    default="local",
    show_default=True,
    help="Where scenarios run: local is a control plane of our own, kind a kind cluster, existing "
    "the one that --kubeconfig and --context name; auto is kind where Docker and kind are there.",
)
@_offered
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="How an existing cluster is reached; never taken from KUBECONFIG.",
)
@click.option("--context", metavar="NAME", help="The context in that file; never its current one.")
@click.option(
    "--nodes",
    type=click.Choice(NODES),
    default="real",
    show_default=True,
    help="Of an existing cluster: its own, or nodes without machines that the suite adds.",
)
@click.option(
    "--workload-image",
    metavar="REPOSITORY",
    help="Where an existing cluster's nodes pull what pods run; without it they have it already.",
)
@click.option("--yes", is_flag=True, help="Do not ask before writing to an existing cluster.")
@click.option(
    "--implementation",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Descriptor of the implementation (the reference controller).",
)
@click.option(
    "--id",
    "ids",
    multiple=True,
    metavar="ID",
    help="Only this requirement's scenarios; may be repeated.",
)
@click.option(
    "--select",
    metavar="TAGS",
    help="Only scenarios that a tag expression chooses; areas are tags too.",
)
@click.option(
    "-j",
    "--workers",
    type=click.IntRange(min=1),
    help="Scenarios at a time, each on a control plane of its own (as many as processors and "
    f"memory bear, and {MOST_WORKERS} at most); on an existing cluster one.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Each scenario so many times.",
)
@click.option(
    "--random-order",
    is_flag=False,
    flag_value=RANDOM,
    metavar="[SEED]",
    help="Shuffle the scenarios; the seed is printed and can be given again.",
)
@click.option(
    "--timeout-scale",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Multiplies every budget of waiting, for slow machines.",
)
@click.option(
    "--budget",
    multiple=True,
    metavar="CLASS=SECONDS",
    help=f"How long one class of waits may take, before scaling: {', '.join(DEFAULTS)}; may be "
    "repeated.",
)
@click.option(
    "--keep",
    type=click.Choice(("failed", "all")),
    help="Leave the namespaces of these scenarios while the cluster lasts.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    default=REPORTS,
    show_default=True,
    metavar="DIR",
    help="Where the report goes: JSON, JUnit, HTML, Markdown and Cucumber Messages.",
)
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where failed scenarios leave their evidence (evidence, beside the report).",
)
@click.option(
    "--rerun-failed",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="Only what did not pass in the run of this report.",
)
@click.option(
    "--must-fail",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="For a controller that does nothing: every scenario has to fail but for those that FILE "
    "lists, each with its reason; the canary is left out, and so is evidence.",
)
@click.option("--strict", is_flag=True, help="A failed SHOULD or MAY makes the exit code 1 too.")
@click.option(
    "--accept-baseline",
    is_flag=True,
    help="Where only the implementation's known failures failed, make the exit code 0.",
)
@click.option("--traceback", is_flag=True, help="Show the Python traceback of failed claims.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Settings, named as the flags are (queuecheck.toml, if it is there).",
)
@click.option("--show-config", is_flag=True, help="Print each setting with its origin, and end.")
@click.pass_context
def run(ctx: click.Context, /, *, places: tuple[str, ...], show_config: bool, **_: object) -> int:
    """Run scenarios against an implementation and give a verdict.

    A setting is what its flag says, else the variable QUEUECHECK_… of its name
    (QUEUECHECK_TIMEOUT_SCALE), else the file queuecheck.toml (timeout-scale = 3), else its default.
    """
    settings = settle(ctx)
    options = chosen(settings, places)
    if show_config:
        workers = manned(options)[0].workers
        settings["workers"] = replace(settings["workers"], value=workers)
        click.echo("\n".join(shown(settings)))
        return 0
    tests = sum(each.rows for each in _selected(options))
    options, note = manned(options, tests=tests)
    if note:
        click.echo(f"queuecheck: {note}", err=True)
    _prepare(options)
    return _run(arguments(options, tests=tests))


def chosen(settings: Mapping[str, Setting], places: tuple[str, ...]) -> Options:
    """The options that settings make."""
    values = {
        name.replace("-", "_"): setting.value
        for name, setting in settings.items()
        if not name.startswith(f"{BUDGET}.")
    }
    budgets = {
        name.removeprefix(f"{BUDGET}."): setting.value
        for name, setting in settings.items()
        if name.startswith(f"{BUDGET}.") and setting.origin != "default"
    }
    values["ids"] = values.pop("id")
    values["workers"] = values["workers"] or 0
    kind = KindOptions.of({offer.name: values.pop(f"kind_{offer.name}") for offer in OFFERS})
    return located(Options(places=places, budgets=budgets, kind=kind, **values))  # type: ignore[arg-type]


def arguments(options: Options, *, tests: int) -> list[str]:
    """The command line of pytest for a run of so many tests."""
    root = resources.features_root()
    workers = min(options.workers, tests * options.repeat)
    story = "no" if options.must_fail else "short"
    words = [
        "-c",
        str(SETTINGS),
        "--rootdir",
        str(root.parent),
        f"--tb={story}",
        "-rN",
        "--qc-progress",
    ]
    for plugin in PLUGINS:
        words += ["-p", plugin]
    if workers > 1:
        words += ["-n", str(workers), "--dist", "worksteal"]
    words += [f"--qc-cluster={options.cluster}", f"--qc-timeout-scale={options.timeout_scale:g}"]
    words += [f"--qc-repeat={options.repeat}"]
    words += [f"--qc-budget={name}={value:g}" for name, value in options.budgets.items()]
    words += [f"--qc-id={name}" for name in options.ids]
    words += [f"--qc-at={place}" for place in options.places]
    for name, value in (
        ("select", options.select),
        ("implementation", options.implementation),
        ("random-order", options.random_order),
        ("keep", options.keep),
        ("evidence", options.evidence or options.report / "evidence"),
        ("rerun-failed", options.rerun_failed),
        ("report", None if options.must_fail else options.report),
        ("must-fail", options.must_fail),
        ("kubeconfig", options.kubeconfig),
        ("context", options.context),
        ("workload-image", options.workload_image),
    ):
        if value is not None:
            words.append(f"--qc-{name}={value}")
    words += [f"--qc-nodes={options.nodes}"] if options.nodes != "real" else []
    words += options.kind.words("--qc-kind-")
    words += [f"--qc-why={options.why}"] if options.why else []
    words += ["--qc-yes"] if options.yes else []
    words += ["--qc-strict"] if options.strict else []
    words += ["--qc-accept-baseline"] if options.accept_baseline else []
    words += ["--qc-traceback"] if options.traceback else []
    return [*words, str(root)]


def _selected(options: Options) -> list[Scenario]:
    """What would run; the plugin says in detail what is wrong with a selection."""
    suite = read_suite()
    profile = read_descriptor(options.implementation).profile
    named = options.rerun_failed
    try:
        selection = Selection(
            ids=options.ids,
            places=options.places,
            tags=choice(options.select, Vocabulary.of(suite.catalogue, profile, CAPABILITIES))
            if options.select is not None
            else None,
            failed=None if named is None else failed_in(named),
        )
    except (SelectionError, ReportError):
        selection = Selection()
    return [each for each in suite.scenarios if selection(each)] or list(suite.scenarios)


def located(options: Options) -> Options:
    """With a provider in the place of ``auto``, and why it is that one."""
    if options.cluster != AUTO:
        return options
    from queuecheck.cluster.automatic import choose  # noqa: PLC0415 - asks Docker

    provider, why = choose(kind=options.kind.bin)
    # Whoever may get a kind cluster may have said which.
    kind = options.kind if provider == "kind" else AS_IT_COMES
    return replace(options, cluster=provider, why=why, kind=kind)


def manned(options: Options, *, tests: int | None = None) -> tuple[Options, str]:
    """With the number of workers that there will be, and a note on it, or ""."""
    found = workers_of(
        options.workers,
        None if tests is None else tests * options.repeat,
        choice=options.choice,
        descriptor=read_descriptor(options.implementation),
        machine=Machine(processors_for_us(), free_for_us()),
    )
    return replace(options, workers=found.number), found.note


def _prepare(options: Options) -> None:
    """The control plane's programs are made here, once, where their progress can be seen."""
    if options.cluster == "local":
        from queuecheck.cluster.errors import ClusterError  # noqa: PLC0415 - only to run
        from queuecheck.cluster.provision import provide  # noqa: PLC0415 - only to run

        try:
            provide()
        except ClusterError as error:
            click.echo(f"queuecheck: {error}", err=True)
            sys.exit(3)


def _run(words: list[str]) -> int:
    import pytest  # noqa: PLC0415 - a quarter of a second that --help does not need

    # Other plugins that happen to be installed here, or options meant for other projects, must
    # not have a say in what a verdict is.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    end_as_after_ctrl_c()
    begun = _Begun()
    code = int(pytest.main(words, plugins=[begun]))
    if begun.interrupted and not begun.told:
        raise KeyboardInterrupt
    return code


class _Begun:
    """A plugin: whether a run that is interrupted had begun, so that its summary tells of it."""

    def __init__(self) -> None:
        self.interrupted = False
        self.told = False

    def pytest_keyboard_interrupt(self) -> None:
        """See pytest."""
        self.interrupted = True

    def pytest_sessionfinish(self) -> None:
        """See pytest."""
        self.told = True


def end_as_after_ctrl_c() -> None:
    """With a partial report and nothing left on a cluster.

    SIGTERM is of a CI system that gives up on a run, SIGHUP of a terminal that is closed; what was
    started with nohup goes on.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.default_int_handler)
