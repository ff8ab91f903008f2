"""The wheel has all that a run outside the checkout needs, and nothing of the tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from queuecheck import resources

DATA = ("features", "manifests", "implementations")
CODE = ("queuecheck", "controller", "steps")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the build backend itself, which asks no network."""
    directory = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)],
        cwd=resources.CHECKOUT,
        check=True,
        capture_output=True,
        text=True,
        timeout=250,
    )
    (built,) = directory.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> frozenset[str]:
    with zipfile.ZipFile(wheel) as opened:
        return frozenset(opened.namelist())


def files(directory: str) -> set[str]:
    """What there is below a directory of the checkout, but for what Python leaves there."""
    root = resources.CHECKOUT / directory
    found = (each for each in root.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
    return {each.relative_to(resources.CHECKOUT).as_posix() for each in found}


@pytest.mark.parametrize("directory", DATA)
def test_data_are_where_an_installed_package_looks_for_them(
    names: frozenset[str], directory: str
) -> None:
    place = resources.DATA.relative_to(resources.CHECKOUT).as_posix()
    there = files(directory)
    assert there
    assert {f"{place}/{name}" for name in there} <= names


@pytest.mark.parametrize("directory", CODE)
def test_every_module_and_what_it_reads_is_there(names: frozenset[str], directory: str) -> None:
    there = files(directory)
    assert there
    assert there <= names


def test_nothing_else_is_in_it(names: frozenset[str]) -> None:
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(CODE)
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_command_and_the_plugin_are_declared(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (place,) = (each for each in opened.namelist() if each.endswith("entry_points.txt"))
        text = opened.read(place).decode("utf-8")
    assert "queuecheck = queuecheck.cli:main" in text
    assert "[pytest11]\nqueuecheck = queuecheck.plugin" in text
