"""How many scenarios are played at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuecheck import resources
from queuecheck.cli.run import Options, manned
from queuecheck.cli.workers import MOST_WORKERS, Machine, Workers, workers_of
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import Descriptor, load_descriptor

ROOT = resources.implementations_root()
PROCESSES = load_descriptor(ROOT / "reference.yaml")
DEPLOYMENTS = load_descriptor(ROOT / "reference-in-cluster.yaml")
LARGE = Machine(16, 64_000_000_000)
LOCAL, KIND, EXISTING = (ClusterChoice(each) for each in ("local", "kind", "existing"))


def found(
    asked: int = 0,
    tests: int | None = None,
    *,
    choice: ClusterChoice = LOCAL,
    descriptor: Descriptor = PROCESSES,
    machine: Machine = LARGE,
) -> Workers:
    return workers_of(asked, tests, choice=choice, descriptor=descriptor, machine=machine)


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (LARGE, Workers(6)),
        (Machine(16, None), Workers(6)),
        (Machine(1, None), Workers(2)),
        (Machine(2, 16_000_000_000), Workers(3)),
        (
            Machine(8, 8_000_000_000),
            Workers(
                4,
                "4 instead of 6 scenarios at a time: 8.0 GB of memory are free, and each takes 1.8",
            ),
        ),
        (
            Machine(2, 1_000_000_000),
            Workers(
                1,
                "1 instead of 3 scenarios at a time: 1.0 GB of memory are free, and each takes 1.8",
            ),
        ),
    ],
)
def test_no_more_than_processors_and_memory_bear(machine: Machine, expected: Workers) -> None:
    assert found(machine=machine) == expected


def test_what_somebody_has_said_is_done() -> None:
    assert found(9, machine=Machine(1, 1)) == Workers(9)


@given(asked=st.integers(0, 9), tests=st.none() | st.integers(1, 9), processors=st.integers(1, 9))
def test_the_least_of_what_is_asked_there_and_borne_is_taken(
    asked: int, tests: int | None, processors: int
) -> None:
    borne = [asked] if asked else [processors + 1, MOST_WORKERS]
    there = [] if tests is None else [tests]
    assert found(asked, tests, machine=Machine(processors, None)) == Workers(min([*borne, *there]))


def test_no_more_than_there_are_scenarios_and_nothing_is_said_of_what_they_need_not() -> None:
    small = Machine(8, 4_000_000_000)
    assert found(tests=2, machine=small) == Workers(2)
    assert found(9, tests=1) == Workers(1)
    assert found(tests=1, choice=KIND) == Workers(1)


def test_no_more_than_a_machine_bears_instances_and_the_least_limit_is_the_one_told() -> None:
    mine = replace(PROCESSES, name="mine", version="2", instances=2)
    told = "2 instead of {} scenarios at a time: so many instances of mine 2 a machine bears"
    assert found(2, descriptor=mine) == Workers(2)
    assert found(3, descriptor=mine) == Workers(2, told.format(3))
    assert found(descriptor=mine, machine=Machine(8, 9_000_000_000)) == Workers(2, told.format(6))
    short = found(descriptor=mine, machine=Machine(8, 2_000_000_000))
    assert (short.number, "2.0 GB of memory" in short.note) == (1, True)


def test_processes_belong_to_one_worker_on_a_cluster_that_all_share() -> None:
    assert found(choice=KIND) == Workers(
        1,
        "one scenario at a time: reference 0.1.0 is run as processes, and all scenarios share one "
        "cluster",
    )
    assert found(choice=EXISTING) == Workers(1)


def test_deployments_are_shared_by_all_workers_of_a_kind_cluster() -> None:
    assert found(choice=KIND, descriptor=DEPLOYMENTS, machine=Machine(4, None)) == Workers(5)
    assert found(choice=EXISTING, descriptor=DEPLOYMENTS) == Workers(1)
    little = found(choice=KIND, descriptor=DEPLOYMENTS, machine=Machine(4, 1_000_000_000))
    assert little.number == 2


def test_a_run_asks_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("queuecheck.cli.run.processors_for_us", lambda: 4)
    monkeypatch.setattr("queuecheck.cli.run.free_for_us", lambda: 4_000_000_000)
    options, note = manned(Options(repeat=2), tests=2)
    assert options.workers == 2
    assert note.startswith("2 instead of 4 scenarios at a time: 4.0 GB")
    assert manned(Options(workers=3), tests=9)[0].workers == 3
