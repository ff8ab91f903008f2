"""A report on the disk: of one run, or as it was before."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from queuecheck.report.publish import VIEWS, publish
from queuecheck.verdict import Outcome
from tests.report.made import everything, report

PASSED, FAILED = report(*everything()), report(*everything(Outcome.FAILED))


def files(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in directory.iterdir()}


@pytest.mark.parametrize("fits", range(len(VIEWS)))
def test_on_a_full_disk_all_files_stay_those_of_the_run_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fits: int
) -> None:
    publish(PASSED, tmp_path, homes=())
    before = files(tmp_path)
    written: list[int] = []

    def fill(descriptor: int) -> None:
        if len(written) == fits:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(descriptor)

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(OSError, match="No space left"):
        publish(FAILED, tmp_path, homes=())
    assert files(tmp_path) == before


def test_a_later_run_replaces_all_files(tmp_path: Path) -> None:
    publish(PASSED, tmp_path / "one", homes=())
    publish(FAILED, tmp_path / "one", homes=())
    publish(FAILED, tmp_path / "two", homes=())
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert set(files(tmp_path / "one")) == set(VIEWS)
