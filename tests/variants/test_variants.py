"""Controllers that are different but right pass every MUST, so that no scenario asserts too much.

Each takes a run of the whole suite, so they belong to ``make soak``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from queuecheck import resources

VARIANT = Path(__file__).with_name("variant.py")


def descriptor(variant: str, directory: Path) -> Path:
    body = yaml.safe_load((resources.implementations_root() / "reference.yaml").read_text("utf-8"))
    body["name"] = variant
    for process in body["processes"]:
        python, _, _, *flags = process["command"]
        process["command"] = [python, str(VARIANT), variant, *flags]
    file = directory / f"{variant}.yaml"
    file.write_text(yaml.safe_dump(body), encoding="utf-8")
    return file


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("variant", ["other-words", "one-after-the-other", "polls"])
def test_a_controller_that_is_different_but_right_conforms(variant: str, tmp_path: Path) -> None:
    answer = subprocess.run(
        [
            *(sys.executable, "-m", "queuecheck", "run", "--select", "must"),
            *("--implementation", str(descriptor(variant, tmp_path))),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    # 5: the SHOULDs were not run, so the verdict is a partial one.
    assert answer.returncode in {0, 5}, answer.stdout + answer.stderr
    assert "FAIL" not in answer.stdout, answer.stdout
