"""Which cluster a run is on: what the options say, and what is taken where they say nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from queuecheck.cluster import automatic
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.kind_options import AS_IT_COMES, KindOptions

ON_KIND = {
    "--kind-nodes 0: it has to be 1 to 9": KindOptions(nodes=0),
    "--kind-name Dev: small letters, digits, dots and hyphens make a name": KindOptions(name="Dev"),
    "--kind-image and --kind-kubernetes: one of them says which nodes are meant": KindOptions(
        image="mine", kubernetes="1.36"
    ),
    "--kind-reuse needs --kind-name: which cluster is written to is never guessed": KindOptions(
        reuse=True
    ),
    "--kind-load nowhere.tar: there is no such file": KindOptions(load=(Path("nowhere.tar"),)),
}


@pytest.mark.parametrize("told", ON_KIND)
def test_an_option_that_means_nothing_is_told(told: str) -> None:
    assert list(ClusterChoice("kind", kind=ON_KIND[told]).problems()) == [told]


def test_options_of_one_provider_are_refused_by_another() -> None:
    (problem,) = ClusterChoice("local", kind=KindOptions(nodes=2)).problems()
    assert problem == "--kind-… are options for --cluster kind; this run is on local"
    (problem,) = ClusterChoice("kind", context="dev").problems()
    assert problem == "--context is for --cluster existing; this run is on kind"


def test_a_choice_can_be_said_again() -> None:
    kind = KindOptions(nodes=2, keep=True, load=(Path("a.tar"),))
    assert list(kind.words("--kind-")) == ["--kind-nodes=2", "--kind-keep", "--kind-load=a.tar"]
    assert not list(AS_IT_COMES.words("--kind-"))


def test_what_was_not_said_is_as_it_comes(tmp_path: Path) -> None:
    nothing = {"name": None, "nodes": None, "keep": False, "load": ()}
    assert KindOptions.of(nothing, directory=tmp_path) == AS_IT_COMES
    said = KindOptions.of({"nodes": 2, "load": ("a.tar",)}, directory=tmp_path)
    assert said == KindOptions(nodes=2, load=(tmp_path / "a.tar",))


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with a kind and a Docker that answers, and nothing else."""
    info = json.dumps({"ServerVersion": "28.0"})
    for name, said in (("docker", info), ("kind", "")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{said}'\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_kind_is_taken_where_docker_and_kind_are_there(programs: Path) -> None:
    provider, why = automatic.choose(kind=None)
    assert (provider, why) == ("kind", f"Docker 28.0 answers and {programs / 'kind'} is there")


@pytest.mark.parametrize(
    ("missing", "why"),
    [("kind", "there is no kind on the PATH"), ("docker", "there is no docker on the PATH")],
)
def test_local_is_taken_where_one_of_them_is_missing(
    programs: Path, missing: str, why: str
) -> None:
    (programs / missing).unlink()
    assert automatic.choose(kind=None) == ("local", why)


def test_local_is_taken_where_docker_does_not_answer(programs: Path) -> None:
    (programs / "docker").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    provider, why = automatic.choose(kind=None)
    assert provider == "local"
    assert why.startswith("no Docker engine answers at ")
