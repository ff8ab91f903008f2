"""How many scenarios are played at a time, and what holds that number down. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import Descriptor

MOST_WORKERS = 6
# Seen at the end of a whole run: a worker's control plane, controllers and own process; and the
# last one alone.
WORKER_MEMORY = 1_800_000_000
SHARED_WORKER_MEMORY = 400_000_000


@dataclass(frozen=True)
class Machine:
    """What a run may use: ``processors``, and ``memory`` in bytes, None where nobody says."""

    processors: int
    memory: int | None


@dataclass(frozen=True)
class Workers:
    """So many scenarios at a time. ``note`` says why no more, where more were wanted, or is ""."""

    number: int
    note: str = ""


def workers_of(
    asked: int,
    tests: int | None,
    *,
    choice: ClusterChoice,
    descriptor: Descriptor,
    machine: Machine,
) -> Workers:
    """``asked`` is what somebody has said, or 0; ``tests`` is how many there are to play, if known.

    A scenario waits for half of its time: one more than there are processors keeps them busy.
    """
    if not (asked or choice.bears_workers(descriptor.processes)):
        return Workers(1, "" if choice.somebodys or tests == 1 else _alone(descriptor))
    useful = asked or min(machine.processors + 1, MOST_WORKERS)
    wanted = min(useful, tests or useful)
    limits = list(_limits(asked, choice, descriptor, machine))
    number, why = min(limits, default=(wanted, ""))
    if number >= wanted:
        return Workers(wanted)
    return Workers(number, f"{number} instead of {wanted} scenarios at a time: {why}")


def _limits(
    asked: int, choice: ClusterChoice, descriptor: Descriptor, machine: Machine
) -> Iterator[tuple[int, str]]:
    if descriptor.instances is not None:
        why = f"so many instances of {descriptor.title} a machine bears"
        yield descriptor.instances, why
    if machine.memory is not None and not asked:
        each = SHARED_WORKER_MEMORY if choice.shared else WORKER_MEMORY
        why = f"{machine.memory / 1e9:.1f} GB of memory are free, and each takes {each / 1e9:.1f}"
        yield max(machine.memory // each, 1), why


def _alone(descriptor: Descriptor) -> str:
    return (
        f"one scenario at a time: {descriptor.title} is run as processes, and all scenarios share "
        "one cluster"
    )
