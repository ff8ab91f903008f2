"""The command line of ``python -m controller``.

Everything heavy is imported only when the controller really starts, so that ``--help`` is quick.
"""

import signal
import sys
from pathlib import Path
from types import FrameType

import click

EXAMPLES = """\b
Examples:
  python -m controller --kubeconfig admin.kubeconfig --v 2
  python -m controller --kubeconfig admin.kubeconfig --component queue \\
      --config controller.yaml --metrics-bind-address 127.0.0.1:8080
  python -m controller                (in a cluster, as its service account)

\b
Exit codes: 0 stopped by a signal; 1 cannot start, or crashed; 2 wrong usage.
"""


@click.command(epilog=EXAMPLES, context_settings={"max_content_width": 100})
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    help="Kubeconfig file. Without it: the service account of the pod.",
)
@click.option("--context", help="Context of the kubeconfig; default: its current one.")
@click.option(
    "--component",
    type=click.Choice(["queue", "extension", "all"]),
    default="all",
    show_default=True,
    help="What to run: queues and admission, Jobs and their pods, or both.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="A KoordQueueConfiguration (YAML).",
)
@click.option(
    "--namespace",
    default="koord-queue",
    show_default=True,
    help="Where the Queue objects live.",
)
@click.option(
    "--metrics-bind-address",
    default="127.0.0.1:0",
    show_default=True,
    metavar="HOST:PORT",
    help="Where /metrics, /healthz and /readyz are served; port 0 is any free one, logged.",
)
@click.option(
    "--leader-elect/--no-leader-elect",
    default=True,
    show_default=True,
    help="Whether only one copy of each component decides: the holder of a Lease in --namespace.",
)
@click.option(
    "--leader-elect-lease-duration",
    default="15s",
    show_default=True,
    metavar="DURATION",
    help="How long the others wait after a leader's last renewal; whole seconds.",
)
@click.option(
    "--leader-elect-renew-deadline",
    default="10s",
    show_default=True,
    metavar="DURATION",
    help="How long a leader acts on one renewal. A write has the rest of the lease to be over.",
)
@click.option(
    "--leader-elect-retry-period",
    default="2s",
    show_default=True,
    metavar="DURATION",
    help="How often a leader renews, and the others look.",
)
@click.option(
    "--identity",
    default="",
    metavar="NAME",
    help="This copy's name in the Lease, which no other may have; a copy started again under the "
    "name it had leads on at once. Default: the host's, with a random part.",
)
@click.option(
    "--v",
    "verbosity",
    type=click.IntRange(0, 9),
    default=0,
    show_default=True,
    help="Verbosity of the log: 2 shows decisions, 3 writes, 4 tracebacks.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines of text, or one JSON object a line.",
)
def main(
    *,
    kubeconfig: Path | None,
    context: str | None,
    component: str,
    config: Path | None,
    namespace: str,
    metrics_bind_address: str,
    leader_elect: bool,
    leader_elect_lease_duration: str,
    leader_elect_renew_deadline: str,
    leader_elect_retry_period: str,
    identity: str,
    verbosity: int,
    log_format: str,
) -> None:
    """Admits suspended Jobs as quota allows, and takes back what waits when something urgent comes.

    The reference controller of queuecheck: queues made from ElasticQuotas, QueueUnits for Jobs,
    queue-level preemption.
    """
    # Until the real handlers are there, a signal ends the process as if it had never run.
    signal.signal(signal.SIGTERM, _leave)
    from controller.shell.errors import StartError  # noqa: PLC0415 - see the module's docstring
    from controller.shell.process import Options, election_terms, run  # noqa: PLC0415

    try:
        terms = election_terms(
            duration=leader_elect_lease_duration,
            deadline=leader_elect_renew_deadline,
            period=leader_elect_retry_period,
        )
        options = Options(
            kubeconfig=kubeconfig,
            context=context,
            component=component,  # type: ignore[arg-type]  # click checked the choice
            config=config,
            namespace=namespace,
            metrics_bind_address=metrics_bind_address,
            verbosity=verbosity,
            log_format=log_format,  # type: ignore[arg-type]  # click checked the choice
            election=terms if leader_elect else None,
            identity=identity,
        )
        code = run(options)
    except StartError as error:
        click.echo(f"error: {error}", err=True)
        code = error.exit_code
    sys.exit(code)


def start() -> None:
    """``python -m controller``: wrong usage is one line, as every other error is."""
    try:
        main.main(prog_name="python -m controller", standalone_mode=False)
    except click.UsageError as error:
        line = " ".join(error.format_message().split()).rstrip(".")
        click.echo(f"error: {line}; see python -m controller --help", err=True)
        sys.exit(error.exit_code)
    except click.Abort:  # Ctrl-C before the real handlers were there
        sys.exit(0)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)
