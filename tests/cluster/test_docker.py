"""The Docker engine, played by a program on the PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck.cluster import ClusterError, docker


def test_an_engine_that_hangs_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\nexec /bin/sleep 60\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(docker, "ANSWER_SECONDS", 0.1)
    for ask in (docker.engine, lambda: docker.container_id("queuecheck-control-plane")):
        with pytest.raises(ClusterError, match=r"^Docker does not answer at .* within 0.1 s"):
            ask()
