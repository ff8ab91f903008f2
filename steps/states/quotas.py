"""What is used of a quota: what all the units that name it hold, taken together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from queuecheck.kube import KubeObject
from queuecheck.timeline import Selection, SetState
from steps.states import units

QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
UNIT_FIELDS = ("metadata.name", "status.phase", "status.admissions[0].replicas")


class Asking(Protocol):
    """What a Job asks for: so many cpu for each of its pods."""

    @property
    def cpu(self) -> str:
        """So many cpu, as text."""


@dataclass(frozen=True)
class Users:
    """The units that name a quota. ``asks``: what the Job of each of them asks for."""

    namespace: str
    name: str
    alias: str
    asks: Mapping[str, Asking]

    @property
    def selection(self) -> Selection:
        """The units, by the label of their Jobs that they carry."""
        return Selection(
            "QueueUnit",
            self.namespace,
            lambda unit: (unit["metadata"].get("labels") or {}).get(QUOTA_LABEL) == self.name,
            f'the units that name "{self.alias}"',
        )

    def cpu(self, found: tuple[KubeObject, ...]) -> int:
        """What they hold; finished units hold nothing."""
        return sum(
            sum(units.held(unit).values()) * int(self.asks[unit["metadata"]["name"]].cpu)
            for unit in found
            if units.phase(unit) not in units.FINISHED
        )


def used(users: Users, cpu: str) -> SetState:
    """Exactly so many cpu are held."""
    return _using(users, f"used for {cpu} cpu", lambda held: held == int(cpu))


def used_beyond(users: Users, cpu: str) -> SetState:
    """More than so many cpu are held."""
    return _using(users, f"used beyond {cpu} cpu", lambda held: held > int(cpu))


def _using(users: Users, sentence: str, test: Callable[[int], bool]) -> SetState:
    return SetState(
        users.selection,
        f'the quota "{users.alias}" is {sentence}',
        lambda found: test(users.cpu(found)),
        UNIT_FIELDS,
    )
