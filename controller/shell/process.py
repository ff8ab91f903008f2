"""The controller's process: checks, then threads, then one wait for the end."""

import math
import re
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Literal, TypeVar

import tenacity

from controller.core.decisions import Kind
from controller.core.lease import Terms
from controller.shell import configuration, logs, schema
from controller.shell.component import Component
from controller.shell.election import Alone, Election, Leadership
from controller.shell.errors import StartError, UsageError
from controller.shell.ledgers import JobWork, QueueWork
from controller.shell.lifecycle import Lifecycle
from controller.shell.metrics import Metrics
from controller.shell.serving import Endpoints, parse_address
from controller.shell.work import Work
from queuecheck import __version__
from queuecheck.kube import Api, ApiError, KubeconfigError

NAMESPACE = re.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
START_PATIENCE = 10.0
CRD_PATIENCE = 5.0
STOP_PATIENCE = 0.7
# OpenSSL's words for a wrong authority, a wrong certificate, and a server without TLS.
STRANGERS = ("CERTIFICATE_VERIFY_FAILED", "NO_CERTIFICATE_OR_CRL_FOUND", "WRONG_VERSION_NUMBER")

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Options:
    """What the command line says."""

    kubeconfig: Path | None
    context: str | None
    component: Literal["queue", "extension", "all"]
    config: Path | None
    namespace: str
    metrics_bind_address: str
    verbosity: int
    log_format: logs.Format
    election: Terms | None = None
    identity: str = ""  # of this copy; "" is one that nobody else has


def election_terms(*, duration: str, deadline: str, period: str) -> Terms:
    """The terms that the flags give. Raises UsageError."""
    seconds = {}
    named = {"lease-duration": duration, "renew-deadline": deadline, "retry-period": period}
    for name, text in named.items():
        try:
            seconds[name] = configuration.duration(text)
        except ValueError as error:
            message = f"--leader-elect-{name}: {error}; write 15s, 500ms or 1m"
            raise UsageError(message) from error
    terms = Terms(*seconds.values())
    if problem := terms.problem():
        raise UsageError(f"leader election: {problem}")
    return terms


def run(options: Options) -> int:
    """Runs until a signal or a crash; gives the exit code. Raises StartError before it runs."""
    settings = (
        configuration.read(options.config) if options.config else configuration.Configuration()
    )
    parse_address(options.metrics_bind_address)
    if not NAMESPACE.fullmatch(options.namespace):
        raise UsageError(
            f"namespace {options.namespace!r} is no name of a namespace; write one such as "
            "koord-queue"
        )
    logs.configure(verbosity=options.verbosity, layout=options.log_format)
    journal = logs.Journal("process")
    lifecycle = Lifecycle(journal)
    threading.Thread(target=lifecycle.heed, name="stop", daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _asks(lifecycle))

    names = ("queue", "extension") if options.component == "all" else (options.component,)
    apis = {name: _api(options, name) for name in names}
    metrics = Metrics()
    components: list[Component[Any]] = []
    endpoints = Endpoints(
        options.metrics_bind_address,
        metrics=metrics,
        ready=lambda: bool(components) and all(one.ready.is_set() for one in components),
        ailment=lifecycle.ailment,
    )
    lifecycle.spawn("endpoints", endpoints.run)
    try:
        journal.say(0, f"metrics listening on {endpoints.url}")
        api = next(iter(apis.values()))
        _reach(api, lifecycle)
        journal.say(
            0,
            f"controller {__version__} starts",
            {"components": options.component, "server": api.server},
        )
        _check_schema(api, names, lifecycle)
        components += [
            Component(
                _work(name, options, settings),
                api=apis[name],
                metrics=metrics,
                lifecycle=lifecycle,
                journal=logs.Journal(name),
                leadership=_leadership(name, options, apis[name], lifecycle, metrics),
                writer=apis[name].within(options.election.grace) if options.election else None,
                namespaces={Kind.QUEUE: options.namespace},
            )
            for name in names
        ]
        if not lifecycle.stop.is_set():
            for component in components:
                component.start()
        lifecycle.signs.give(asleep=math.inf)
        lifecycle.stop.wait()
    finally:
        _shut_down(lifecycle, components, endpoints)
    journal.say(0, "stopped")
    return 1 if lifecycle.crashed else 0


def _work(name: str, options: Options, settings: configuration.Configuration) -> Work[Any]:
    if name == "queue":
        return QueueWork(namespace=options.namespace, protection=settings.protection)
    return JobWork()


def _leadership(
    component: str, options: Options, api: Api, lifecycle: Lifecycle, metrics: Metrics
) -> Leadership:
    if options.election is None:
        return Alone()
    name = f"koord-queue-{component}"
    election = Election(
        api=api,
        namespace=options.namespace,
        name=name,
        identity=options.identity or f"{socket.gethostname()}_{uuid.uuid4().hex[:8]}",
        terms=options.election,
        journal=logs.Journal(component),
        stop=lifecycle.stop,
        signs=lifecycle.signs,
    )
    metrics.lease(name, leads=election.permits)
    return election


def _shut_down(
    lifecycle: Lifecycle, components: Iterable[Component[Any]], endpoints: Endpoints
) -> None:
    """Lets everybody finish what takes no longer than a moment, and no more."""
    lifecycle.stop.set()
    end = time.monotonic() + STOP_PATIENCE
    for component in components:
        component.stop()
    endpoints.close()
    lifecycle.join(lambda: end - time.monotonic())
    for component in components:
        component.resign()
    lifecycle.cut.set()


def _asks(lifecycle: Lifecycle) -> Callable[[int, FrameType | None], None]:
    def handle(_number: int, _frame: FrameType | None) -> None:
        lifecycle.ask()

    return handle


def _api(options: Options, component: str) -> Api:
    agent = f"queuecheck-controller/{component}"
    try:
        if options.kubeconfig is None:
            return Api.in_cluster(user_agent=agent)
        return Api.from_kubeconfig(options.kubeconfig, context=options.context, user_agent=agent)
    except KubeconfigError as error:
        if options.kubeconfig is None:
            raise UsageError("not in a cluster; name a kubeconfig with --kubeconfig") from error
        raise UsageError(" ".join(str(error).split())) from error


def _reach(api: Api, lifecycle: Lifecycle) -> None:
    try:
        _patiently(
            lambda: api.raw("/version", read_timeout=5.0),
            lambda error: isinstance(error, ApiError) and error.transient and not _stranger(error),
            START_PATIENCE,
            lifecycle,
        )
    except ApiError as error:
        what = "cannot be reached" if error.status == 0 else f"refuses: {error.status}"
        line = " ".join(error.message.split())
        hint = ""
        if _stranger(error):
            hint = "; correct server or certificate-authority-data in the kubeconfig"
        raise StartError(f"API server {api.server} {what}: {line}{hint}") from error


def _stranger(error: ApiError) -> bool:
    """Whether the server is not the one that the kubeconfig describes: no time changes that."""
    return error.status == 0 and any(word in error.message for word in STRANGERS)


def _check_schema(api: Api, names: Iterable[str], lifecycle: Lifecycle) -> None:
    by_name = {"queue": schema.QUEUE_REQUIREMENTS, "extension": schema.EXTENSION_REQUIREMENTS}
    requirements = dict.fromkeys(one for name in names for one in by_name[name])

    def check() -> None:
        documents: dict[str, str] = {}

        def read(path: str) -> str:
            if path not in documents:
                documents[path] = api.raw(path)
            return documents[path]

        for requirement in requirements:
            schema.check(requirement, read)

    try:
        _patiently(
            check,
            lambda error: (
                isinstance(error, schema.Unserved)
                or (isinstance(error, ApiError) and error.transient)
            ),
            CRD_PATIENCE,
            lifecycle,
        )
    except ApiError as error:
        line = " ".join(error.message.split())
        raise StartError(f"API server {api.server}: cannot read its schema: {line}") from error


def _patiently(
    call: Callable[[], Answer],
    passing: Callable[[BaseException], bool],
    patience: float,
    lifecycle: Lifecycle,
) -> Answer:
    """What ``call`` returns, asked again while its error may pass and the patience lasts."""

    def attempt() -> Answer:
        lifecycle.signs.give()
        return call()

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(passing),
        stop=tenacity.stop_any(
            tenacity.stop_after_delay(patience), tenacity.stop_when_event_set(lifecycle.stop)
        ),
        wait=tenacity.wait_exponential(multiplier=0.05, max=0.5),
        sleep=tenacity.sleep_using_event(lifecycle.stop),
        reraise=True,
    )
    return retrying(attempt)
