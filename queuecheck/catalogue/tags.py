"""The words that features may carry as tags, and what is wrong with those that they do carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from queuecheck.catalogue.catalogue import Catalogue
from queuecheck.catalogue.features import Scenario, Tag
from queuecheck.catalogue.requirement import Level
from queuecheck.profiles import Profile
from queuecheck.suggestion import did_you_mean

NEEDS_PREFIX = "needs:"
LEVELS = {
    "must": "the governing text states it",
    "should": "upstream's documentation or code, or users, expect it",
    "may": "our own choice on an open point",
}
OTHERS = {
    "serial": "no other scenario may run on the cluster at the same time",
    "slow": "takes seconds: it starts a controller again, or waits for a time of its own",
}


@dataclass(frozen=True, order=True)
class Problem:
    """Something in a file that is not as it has to be; ``remedy`` is what to do, or ""."""

    file: str
    line: int
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.file}:{self.line}: {self.message}{remedy}"


@dataclass(frozen=True)
class Vocabulary:
    """Every tag that means something. ``needs`` are the words after ``needs:``.

    A scenario that needs one of ``slow_needs`` has to be @slow.
    """

    profile: str
    catalogue: Catalogue
    needs: frozenset[str]
    slow_needs: frozenset[str] = frozenset()

    @classmethod
    def of(cls, catalogue: Catalogue, profile: Profile, capabilities: Iterable[str]) -> Vocabulary:
        """The tags of a profile's features; ``capabilities`` are what clusters may have."""
        return cls(
            profile=profile.name,
            catalogue=catalogue,
            needs=frozenset(profile.features) | frozenset(capabilities),
            slow_needs=frozenset(each.name for each in profile.features.values() if each.slow),
        )

    def markers(self) -> Iterator[tuple[str, str]]:
        """Each tag with what it means, ``needs:…`` once."""
        yield self.profile, "a requirement of this profile"
        yield from LEVELS.items()
        yield from OTHERS.items()
        yield NEEDS_PREFIX.rstrip(":"), "what an implementation or a cluster has to have for it"
        for area in self.catalogue.areas.values():
            yield area.tag, area.title
        for row in self.catalogue:
            yield row.id, f"{row.level}: {row.text}"

    @property
    def words(self) -> frozenset[str]:
        """Every known tag as it is written."""
        plain = {name for name, _ in self.markers()} - {NEEDS_PREFIX.rstrip(":")}
        return frozenset(plain | {NEEDS_PREFIX + word for word in self.needs})


def check(scenarios: Iterable[Scenario], vocabulary: Vocabulary) -> tuple[Problem, ...]:
    """Every problem, by file and line; a tag that is inherited is reported once."""
    seen: dict[tuple[str, str], Scenario] = {}
    problems: set[Problem] = set()
    words = vocabulary.words
    for scenario in scenarios:
        for tag in (*scenario.tags, *scenario.examples_tags):
            if tag.name not in words:
                problems.add(Problem(scenario.file, tag.line, _unknown(tag, words)))
        for message in (
            *_about_one(scenario, vocabulary.catalogue),
            *_slowness(scenario, vocabulary),
        ):
            problems.add(Problem(scenario.file, scenario.line, message))
        first = seen.setdefault((scenario.file, scenario.name), scenario)
        if first is not scenario:
            # pytest-bdd keeps one of the two and says nothing
            message = f"scenario {scenario.name!r} has the name of the one in line {first.line}"
            problems.add(Problem(scenario.file, scenario.line, message, "give it another"))
    return tuple(sorted(problems))


def _unknown(tag: Tag, words: frozenset[str]) -> str:
    return f"unknown tag @{tag.name}{did_you_mean(tag.name, words)}"


def _about_one(scenario: Scenario, catalogue: Catalogue) -> Iterator[str]:
    known: Sequence[str] = [name for name in scenario.requirements if name in catalogue]
    if not scenario.requirements:
        yield f"scenario {scenario.name!r} has no requirement's ID among its tags"
    if not known:
        return
    primary = catalogue.get(known[0])
    if primary.level is Level.WITHDRAWN:
        yield f"{primary.id} was withdrawn: {primary.text}"
        return
    levels = sorted(scenario.words & set(LEVELS))
    if levels != [str(primary.level)]:
        found = " and ".join(f"@{level}" for level in levels) or "no level"
        yield f"{primary.id} is @{primary.level}, but the scenario has {found}"


def _slowness(scenario: Scenario, vocabulary: Vocabulary) -> Iterator[str]:
    words = scenario.words | {tag.name for tag in scenario.examples_tags}
    slow = sorted(words & {NEEDS_PREFIX + need for need in vocabulary.slow_needs})
    if slow and "slow" not in words:
        yield f"scenario {scenario.name!r} is @{slow[0]}, so it takes seconds, and is not @slow"
