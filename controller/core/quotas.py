"""Quotas, their ancestors, and what is used of them.

Quotas are known by name in the whole cluster; of two with one name the older one counts. Use is
charged to a name whether or not a quota of that name exists, and counts for every ancestor that the
name's chain reaches. Totals are kept, so that asking for one never walks other queues; they are
rebuilt only when a quota comes, goes or gets another parent.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from controller.core.model import Quota
from controller.core.quantity import Resources, times, total
from controller.core.vocabulary import ROOT_QUOTAS


@dataclass(frozen=True)
class Chain:
    """A quota and its ancestors, the quota itself first. ``problem`` says where it breaks off."""

    quotas: tuple[Quota, ...]
    problem: str = ""


class Quotas:
    """All quotas and their use."""

    def __init__(self) -> None:
        self._named: dict[str, dict[tuple[str, str], Quota]] = {}
        self._own: dict[str, dict[str, int]] = {}
        self._chains: dict[str, Chain] = {}
        self._totals: dict[str, dict[str, int]] = {}
        self._below: dict[str, set[str]] | None = None

    def put(self, quota: Quota) -> frozenset[str]:
        """Learn of a new or changed quota; returns the names whose limits this may change."""
        known = self._named.get(quota.ref.name, {})
        return self._replace(quota.ref.name, {**known, _identity(quota): quota})

    def drop(self, quota: Quota) -> frozenset[str]:
        """Forget a deleted quota; returns the names whose limits this may change."""
        known = dict(self._named.get(quota.ref.name, {}))
        known.pop(_identity(quota), None)
        return self._replace(quota.ref.name, known)

    def named(self, name: str) -> tuple[Quota, ...]:
        """The quotas of a name; the first one counts, the others are younger."""
        found = self._named.get(name, {}).values()
        return tuple(sorted(found, key=lambda quota: (quota.created, str(quota.ref))))

    def chain(self, name: str) -> Chain:
        """The quota of a name and its ancestors, up to the root or to where the chain breaks."""
        if name not in self._chains:
            self._chains[name] = self._follow(name)
        return self._chains[name]

    def used(self, name: str) -> Resources:
        """What the units of a quota and of all its descendants hold."""
        self._reaches()
        return self._totals.get(name, {})

    def charge(self, name: str, more: Resources) -> None:
        """Add to what the units labelled with a name hold; negative amounts give back."""
        if not any(more.values()):
            return
        self._own[name] = _without_zeros(total((self._own.get(name, {}), more)))
        if self._below is not None:
            for quota in self.chain(name).quotas:
                held = total((self._totals.get(quota.ref.name, {}), more))
                self._totals[quota.ref.name] = _without_zeros(held)

    def relatives(self, name: str) -> frozenset[str]:
        """The names that share some limit with this one, itself included."""
        reaches = self._reaches()
        related = {name}
        for quota in self.chain(name).quotas:
            related |= reaches.get(quota.ref.name, set())
        return frozenset(related)

    def names(self) -> frozenset[str]:
        """The names that have a quota."""
        return frozenset(self._named)

    def _replace(self, name: str, quotas: Mapping[tuple[str, str], Quota]) -> frozenset[str]:
        before = self.named(name)
        after = tuple(sorted(quotas.values(), key=lambda quota: (quota.created, str(quota.ref))))
        if before == after:
            return frozenset()
        old, new = (before or (None,))[0], (after or (None,))[0]
        affected = self._reached_from(name)
        self._named.pop(name, None)
        if quotas:
            self._named[name] = dict(quotas)
        if old is None or new is None or old.parent != new.parent:
            affected |= self.relatives(name)
            self._chains.clear()
            self._below = None
            affected |= self.relatives(name)
        else:
            self._chains.clear()
        return affected | self._reached_from(name)

    def _reached_from(self, name: str) -> frozenset[str]:
        return frozenset({name} | self._reaches().get(name, set()))

    def _reaches(self) -> dict[str, set[str]]:
        """By quota, the names whose chains pass through it; totals are rebuilt with it."""
        if self._below is None:
            self._below = {}
            self._totals = {}
            for name in self._named.keys() | self._own.keys():
                for quota in self.chain(name).quotas:
                    above = quota.ref.name
                    self._below.setdefault(above, set()).add(name)
                    held = total((self._totals.get(above, {}), self._own.get(name, {})))
                    self._totals[above] = _without_zeros(held)
        return self._below

    def _follow(self, name: str) -> Chain:
        quotas: list[Quota] = []
        seen: set[str] = set()
        while True:
            found = self.named(name)
            if not found:
                return Chain(tuple(quotas), f"quota {name} not found")
            if name in seen:
                return Chain(tuple(quotas), f"quota {name} is its own ancestor")
            seen.add(name)
            quotas.append(found[0])
            if found[0].parent in ROOT_QUOTAS:
                return Chain(tuple(quotas))
            name = found[0].parent


def difference(after: Resources, before: Resources) -> dict[str, int]:
    """What has to be added to ``before`` to get ``after``; resources that agree are left out."""
    return _without_zeros(total((after, times(before, -1))))


def _identity(quota: Quota) -> tuple[str, str]:
    return (quota.ref.namespace, quota.ref.name)


def _without_zeros(resources: Resources) -> dict[str, int]:
    return {resource: number for resource, number in resources.items() if number}
