"""Each lying controller is found out by the requirement that names its fault, and by its words."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from queuecheck import resources

LIAR = Path(__file__).with_name("liar.py")


@dataclass(frozen=True)
class Lie:
    """A fault, the requirement that it breaks, and words that the failure has to contain."""

    name: str
    requirement: str
    said: tuple[str, ...]


LIES = (
    Lie("removes-bound-pods", "KQ-RCL-02", ('a bound pod among pods of "low" is removed',)),
    Lie(
        "admits-while-marking",
        "KQ-SEQ-01",
        ('QueueUnit "high-priority-job" is Dequeued', "came too early"),
    ),
    Lie("forgets-preempted", "KQ-VIC-11", ('"low-1" has an event Warning "Preempted"',)),
    Lie("marks-in-intelligent", "KQ-INT-01", ('never: QueueUnit "low" is marked', "it was so")),
    Lie("ignores-the-gate", "KQ-SEQ-02", ('never: QueueUnit "later" is admitted', "it was so")),
    Lie(
        "says-reclaimed-to-everyone",
        "KQ-RCL-06",
        ('QueueUnit "low" has more than 1 event "Reclaimed"', "it was so"),
    ),
    Lie("deletes-pods", "KQ-RCL-10", ('the Job "low" has failed',)),
)


def descriptor(lie: Lie, directory: Path) -> Path:
    body = yaml.safe_load((resources.implementations_root() / "reference.yaml").read_text("utf-8"))
    body["name"] = lie.name
    for process in body["processes"]:
        python, _, _, *flags = process["command"]
        process["command"] = [python, str(LIAR), lie.name, *flags]
        # An administrator: a controller that deletes pods needs rights that ours does not have.
        del process["user"], process["account"]
    file = directory / "lie.yaml"
    file.write_text(yaml.safe_dump(body), encoding="utf-8")
    return file


@pytest.mark.parametrize("lie", LIES, ids=[lie.name for lie in LIES])
def test_a_lie_is_found_out_by_its_requirement(lie: Lie, tmp_path: Path) -> None:
    answer = subprocess.run(
        [
            *(sys.executable, "-m", "queuecheck", "run", "-j", "1", "--strict"),
            *("--implementation", str(descriptor(lie, tmp_path)), "--id", lie.requirement),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )

    said = " ".join(answer.stdout.split())
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert f"FAIL {lie.requirement}" in said
    for words in lie.said:
        assert words in said, answer.stdout
