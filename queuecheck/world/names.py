"""Names that no other scenario, worker or run can have.

A namespace is ``qc-<run>-<id>-<nth>``, what is outside of it ``<alias>-<run>-<id>-<nth>``; ``nth``
starts with the worker's letter, so that workers on one cluster do not meet. A name that is longer
than Kubernetes allows keeps its end, which makes it unique, and loses the middle, for which it gets
a digest.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

OUR_PREFIX = "queuecheck.dev/"
RUN_LABEL = f"{OUR_PREFIX}run"
REQUIREMENT_LABEL = f"{OUR_PREFIX}requirement"
# Annotations of a run's own namespace.
QUEUE_NAMESPACE_NOTE = f"{OUR_PREFIX}queue-namespace"
DEPLOYMENT_NAMESPACES_NOTE = f"{OUR_PREFIX}deployment-namespaces"
STARTED_NOTE = f"{OUR_PREFIX}started"
LONGEST = 63

__all__ = [
    "DEPLOYMENT_NAMESPACES_NOTE",
    "OUR_PREFIX",
    "QUEUE_NAMESPACE_NOTE",
    "REQUIREMENT_LABEL",
    "RUN_LABEL",
    "STARTED_NOTE",
    "Names",
    "canary_name",
    "fit",
    "is_of_run",
    "run_namespace",
    "worker_letters",
]


@dataclass(frozen=True)
class Names:
    """The names of scenario number ``nth`` ("a3": third of the first worker) of a run."""

    run: str
    requirement: str
    nth: str

    @property
    def suffix(self) -> str:
        """What tells this scenario's things from all others of the run."""
        return f"{self.requirement.lower()}-{self.nth}"

    @property
    def tail(self) -> str:
        """What no other scenario of any run has in a name."""
        return f"{self.run}-{self.suffix}"

    @property
    def namespace(self) -> str:
        """The scenario's namespace."""
        return fit(f"qc-{self.run}", self.suffix)

    def further_namespace(self, number: int) -> str:
        """The scenario's second namespace, third and so on."""
        return fit(f"qc-{self.run}", f"{self.suffix}-{number}")

    @property
    def labels(self) -> dict[str, str]:
        """On everything that the harness creates for the scenario."""
        return {RUN_LABEL: self.run, REQUIREMENT_LABEL: self.requirement}

    def unique(self, alias: str) -> str:
        """The name, on the whole cluster, of what the scenario calls ``alias``."""
        return fit(alias, self.tail)

    def slot(self, job: str) -> str:
        """The slot of a Job of the scenario."""
        return fit(job, self.tail)


def worker_letters(worker: str) -> str:
    """``gw0`` is a, ``gw27`` is ab; without workers a."""
    digits = "".join(character for character in worker if character.isdigit())
    number = int(digits or "0")
    letters = chr(ord("a") + number % 26)
    while number >= 26:
        number = number // 26 - 1
        letters = chr(ord("a") + number % 26) + letters
    return letters


def fit(head: str, tail: str) -> str:
    """``head-tail``, at most 63 characters; the tail stays whole."""
    whole = f"{head}-{tail}"
    if len(whole) <= LONGEST:
        return whole
    digest = hashlib.sha256(head.encode()).hexdigest()[:6]
    room = LONGEST - len(tail) - len(digest) - 2
    return f"{head[:room]}-{digest}-{tail}"


def run_namespace(run: str) -> str:
    """The namespace that a run has of its own, there from its beginning to its end."""
    return f"qc-{run}"


def canary_name(run: str, letters: str) -> str:
    """The canary's namespace, and its quota."""
    return f"qc-{run}-canary-{letters}"


def is_of_run(name: str, run: str) -> bool:
    """Whether it is the name of something that a scenario or the canary of the run has made."""
    made = re.escape(run)
    scenario = rf".+-{made}-[a-z]+-[a-z]+-\d+-[a-z]+\d+"
    return re.fullmatch(rf"{scenario}|{canary_name(made, '[a-z]+')}", name) is not None
