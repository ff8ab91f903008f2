"""Building the programs from the published Go modules.

One program acts as kube-apiserver, kube-controller-manager, kube-scheduler or kubectl, by the name
it is called by, so that what they share is compiled and linked once. The log stays in the cache.
"""

from __future__ import annotations

import shlex
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from queuecheck.cluster.download import no_room
from queuecheck.cluster.errors import ProgramsError
from queuecheck.cluster.go import MODULES, Go, find_go
from queuecheck.cluster.processes import Child, tail
from queuecheck.cluster.programs import ASSETS, ETCD, KUBECTL, KUBERNETES_VERSION, SERVERS
from queuecheck.cluster.progress import Progress

CONTROL_PLANE = "controlplane"
LINKS = (*(name for name in SERVERS if name != ETCD), KUBECTL)
LOOK_EVERY = 0.5
LAST_LINES = 8
FULL = "no space left on device"
LEAST_ROOM = 1024 * 1024


def build(names: Iterable[str], directory: Path, *, progress: Progress) -> None:
    """Puts the programs into the directory. Raises ProgramsError; the log is named in it."""
    wanted = set(names)
    go = find_go(directory, progress)
    log = directory / "build.log"
    log.write_bytes(b"")
    if ETCD in wanted:
        _compile(
            go,
            "etcd",
            "go.etcd.io/etcd/server/v3",
            flags="-s -w",
            target=directory / ETCD,
            log=log,
            progress=progress,
        )
    if wanted & set(LINKS):
        program = directory / CONTROL_PLANE
        if not program.is_file():
            _compile(
                go,
                "kubernetes",
                ".",
                flags=f"-s -w {_stamps()}",
                target=program,
                log=log,
                progress=progress,
            )
        for name in LINKS:
            _link(program, directory / name)
    if go.caches is not None:
        shutil.rmtree(go.caches, ignore_errors=True)


def _stamps() -> str:
    """Without them the API server calls itself v0.0.0."""
    major, minor, _ = KUBERNETES_VERSION.removeprefix("v").split(".", 2)
    version = "k8s.io/component-base/version"
    values = {
        "gitVersion": KUBERNETES_VERSION,
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
    }
    return " ".join(f"-X {version}.{key}={value}" for key, value in values.items())


def _compile(
    go: Go, module: str, package: str, *, flags: str, target: Path, log: Path, progress: Progress
) -> None:
    unfinished = target.with_suffix(".part")
    command = [str(go.program), "build", "-v", "-trimpath", "-ldflags", flags]
    command += ["-o", str(unfinished), package]
    progress.begin(f"building {module} from its Go modules, some minutes once")
    started = log.stat().st_size
    child = Child(command, log=log, name="go", env=go.environment(), cwd=MODULES / module)
    try:
        child.start()
        while child.wait(LOOK_EVERY) is None:
            progress.step(_stage(log, started))
    finally:
        child.kill()
        progress.done()
    if child.exit_code != 0:
        _fail(child, log=log, directory=target.parent, module=module)
    unfinished.replace(target)


def _stage(log: Path, start: int) -> str:
    """The Go command prints one line for each module it fetches and each package it compiles."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().splitlines()
    fetched = sum(1 for line in lines if line.startswith(b"go: downloading"))
    compiled = sum(1 for line in lines if not line.startswith((b"go: ", b"#")))
    if compiled:
        return f"{compiled} packages"
    return f"{fetched} modules fetched" if fetched else ""


def _fail(child: Child, *, log: Path, directory: Path, module: str) -> None:
    # The log is on the same disk, and so may lack the very line that says so.
    if FULL in tail(log) or shutil.disk_usage(directory).free < LEAST_ROOM:
        raise no_room(directory)
    command = shlex.join(child.command)
    raise ProgramsError(
        f"building {module} failed ({child.fate()}): cd {MODULES / module} && {command}\n"
        f"{tail(log, lines=LAST_LINES)}\n"
        f"whole log: {log}; to do without the build, set {ASSETS} to a directory that has "
        f"the programs"
    )


def _link(program: Path, name: Path) -> None:
    """Replaces nothing that is there: it may be a release that was fetched before."""
    if name.exists():
        return
    unfinished = name.with_name(f".{name.name}.{time.monotonic_ns()}")
    unfinished.symlink_to(program.name)
    unfinished.replace(name)
