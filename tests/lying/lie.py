"""A lying controller, and how the suite finds it out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from queuecheck import resources
from tests.lying import haste

# A lie that shows itself ends the window that it is looked for in; until then it may take its time.
QUIET_SECONDS = 5.0


@dataclass(frozen=True)
class Lie:
    """A fault, the requirements that it breaks, and words that the failures have to contain.

    ``scale`` shortens the wait for what a lying controller never does: for claims that fail in
    these words, or are polled (``haste``). ``liar`` is the module beside this one that has the
    fault.
    """

    name: str
    requirements: tuple[str, ...]
    said: tuple[str, ...]
    scale: float = 1.0
    liar: str = "liar"


def find_out(lie: Lie, directory: Path) -> None:
    """Runs its requirements against the lie: each fails, in the words that name the fault."""
    chosen = [word for requirement in lie.requirements for word in ("--id", requirement)]
    answer = subprocess.run(
        [
            *(sys.executable, "-m", "queuecheck", "run", "-j", "1", "--strict"),
            *("--budget", f"quiet={QUIET_SECONDS:g}"),
            *("--implementation", str(_descriptor(lie, directory)), *chosen),
        ],
        cwd=directory,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTEST_PLUGINS": haste.__name__,
            haste.SCALE: str(lie.scale),
            haste.SAID: json.dumps(lie.said),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=280,  # less than pytest gives the test, which then could not tell what was said
    )

    said = " ".join(answer.stdout.split())
    assert answer.returncode == 1, answer.stdout + answer.stderr
    for requirement in lie.requirements:
        assert f"FAIL {requirement}" in said, answer.stdout
    for words in lie.said:
        assert words in said, answer.stdout


def _descriptor(lie: Lie, directory: Path) -> Path:
    body = yaml.safe_load((resources.implementations_root() / "reference.yaml").read_text("utf-8"))
    body["name"] = lie.name
    for process in body["processes"]:
        python, _, _, *flags = process["command"]
        process["command"] = [python, "-m", "tests.lying", lie.liar, lie.name, *flags]
        # An administrator: a controller that deletes pods needs rights that ours does not have.
        del process["user"], process["account"]
    file = directory / "lie.yaml"
    file.write_text(yaml.safe_dump(body), encoding="utf-8")
    return file
