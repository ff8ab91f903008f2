"""Who leads: a Lease as its candidates read and write it. Nothing here knows the time of day.

A candidate counts a lease's duration from the moment at which it first saw the lease as it is, on
its own steady clock; what other machines' clocks wrote into it is never compared. The leader
counts from before it sent its last renewal. So the leader's time is over before anybody else's
patience is, however the clocks differ, as long as they run at about the same speed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controller.core.instants import Instant, to_text

Spec = Mapping[str, Any]
LEAST_DURATION = 1.0


@dataclass(frozen=True)
class Terms:
    """Seconds: how long a lease lasts, how long a leader acts on one renewal, how often it renews.

    A write that is sent before ``deadline`` has to be over within ``grace``, so before the lease.
    """

    duration: float = 15.0
    deadline: float = 10.0
    period: float = 2.0

    @property
    def grace(self) -> float:
        """What is left of the lease when its leader stops acting on it."""
        return self.duration - self.deadline

    def problem(self) -> str:
        """Why these terms cannot be kept, or ""."""
        if self.duration < LEAST_DURATION or self.duration != int(self.duration):
            return "the lease's duration has to be whole seconds, at least 1s"
        if not 0 < self.period < self.deadline < self.duration:
            return (
                "the retry period has to be shorter than the renew deadline, and that shorter "
                "than the lease's duration"
            )
        return ""


@dataclass(frozen=True)
class Sighting:
    """A lease's spec, and when on the steady clock it was first seen so."""

    spec: Spec
    at: float

    @property
    def holder(self) -> str:
        """Who has it, or "" when it was given back."""
        return str(self.spec.get("holderIdentity") or "")

    def free(self, now: float, terms: Terms) -> bool:
        """Whether a candidate who does not hold it may take it."""
        return not self.holder or now >= self.at + _duration(self.spec, terms)


def sighted(before: Sighting | None, spec: Spec, now: float) -> Sighting:
    """The lease as it was just read; as long as nothing in it changes, its time runs on."""
    return before if before is not None and before.spec == spec else Sighting(spec, now)


def claimed(spec: Spec, identity: str, terms: Terms, wall: Instant) -> dict[str, Any]:
    """The spec with which ``identity`` takes the lease, or renews its own."""
    stamp = to_text(wall)
    renewed = {
        **spec,
        "holderIdentity": identity,
        "leaseDurationSeconds": int(terms.duration),
        "renewTime": stamp,
    }
    if spec.get("holderIdentity") != identity:
        before = spec.get("leaseTransitions")
        count = before + 1 if isinstance(before, int) else 0
        renewed |= {"acquireTime": stamp, "leaseTransitions": count}
    return renewed


def given_back(spec: Spec, wall: Instant) -> dict[str, Any]:
    """The spec with which its holder leaves it to whoever comes next, at once."""
    return {**spec, "holderIdentity": None, "leaseDurationSeconds": 1, "renewTime": to_text(wall)}


def _duration(spec: Spec, terms: Terms) -> float:
    value = spec.get("leaseDurationSeconds")
    return float(value) if isinstance(value, int) and value > 0 else terms.duration
