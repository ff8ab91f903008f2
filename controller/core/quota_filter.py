"""The quota filter: whether a request fits what every quota on the chain still has."""

from collections.abc import Iterator
from dataclasses import dataclass

from controller.core.model import Quota, Unit
from controller.core.quantity import Resources, times, total
from controller.core.quotas import Chain, Quotas


@dataclass(frozen=True)
class Room:
    """The limits that hold for one queue and what is used of them, at one moment of a pass."""

    chain: Chain
    used: tuple[Resources, ...]

    @classmethod
    def of(cls, quotas: Quotas, queue: str) -> "Room":
        """The room of a queue by what is known now."""
        chain = quotas.chain(queue)
        return cls(chain, tuple(quotas.used(quota.ref.name) for quota in chain.quotas))

    def taken(self, more: Resources) -> "Room":
        """The same limits after somebody of the queue has been given ``more``."""
        return Room(self.chain, tuple(total((used, more)) for used in self.used))

    def freed(self, less: Resources) -> "Room":
        """The same limits if somebody of the queue gave ``less`` back."""
        return self.taken(times(less, -1))

    def refusal(self, unit: Unit) -> str:
        """The filter's result: "" if the unit fits, else the text of its message."""
        if self.chain.problem:
            return self.chain.problem
        for quota, resource in self._short(unit.request):
            return f"limited quotaName:{quota.ref.name}, limited resKey:{resource},"
        return ""

    def can_say(self, message: str) -> bool:
        """Whether a message begins like a refusal by one of these limits."""
        starts = [f"limited quotaName:{quota.ref.name}," for quota in self.chain.quotas]
        if self.chain.problem:
            starts.append(self.chain.problem)
        return message.startswith(tuple(starts))

    def admits(self, unit: Unit) -> bool:
        """Whether the unit fits."""
        return not self.refusal(unit)

    def _short(self, request: Resources) -> Iterator[tuple[Quota, str]]:
        for quota, used in zip(self.chain.quotas, self.used, strict=True):
            for resource in sorted(request.keys() & quota.maximum.keys()):
                if used.get(resource, 0) + request[resource] > quota.maximum[resource]:
                    yield quota, resource
