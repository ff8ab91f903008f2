"""Which cluster a run was asked for: what the options say, before anything is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROVIDERS = ("local", "existing")
NODES = ("real", "simulated")


@dataclass(frozen=True)
class ClusterChoice:
    """A provider, and what it has to be told.

    ``nodes`` says of an existing cluster who plays the kubelet: ``real`` nodes have one,
    ``simulated`` ones are added by the suite, which plays it. ``workload`` is the repository from
    which real nodes pull what pods run; without it they have it already.
    """

    provider: str = "local"
    kubeconfig: Path | None = None
    context: str | None = None
    nodes: str = "real"
    workload: str | None = None

    @property
    def shared(self) -> bool:
        """Whether all workers stand on one cluster, and the implementation is the same for all."""
        return self.provider == "existing"

    def problems(self) -> Iterator[str]:
        """What is wrong with the options, each in one line."""
        if self.provider == "existing":
            missing = [
                option
                for option, value in (
                    ("--kubeconfig FILE", self.kubeconfig),
                    ("--context NAME", self.context),
                )
                if value is None
            ]
            if missing:
                yield (
                    f"--cluster existing needs {' and '.join(missing)} too: "
                    "which cluster is written to is never guessed"
                )
            return
        for option, given in (
            ("--kubeconfig", self.kubeconfig is not None),
            ("--context", self.context is not None),
            ("--nodes", self.nodes != "real"),
            ("--workload-image", self.workload is not None),
        ):
            if given:
                yield f"{option} is for --cluster existing; this run is on {self.provider}"
