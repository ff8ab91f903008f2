"""Which cluster a run was asked for: what the options say, before anything is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from queuecheck.cluster.kind_options import AS_IT_COMES, MOST_NODES, KindOptions

PROVIDERS = ("local", "kind", "existing")
AUTO = "auto"
NODES = ("real", "simulated")
NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,48}[a-z0-9])?")


@dataclass(frozen=True)
class ClusterChoice:
    """A provider, and what it has to be told.

    ``nodes`` says of an existing cluster who plays the kubelet: ``real`` nodes have one,
    ``simulated`` ones are added by the suite, which plays it. ``workload`` is the repository from
    which real nodes pull what pods run; without it they have it already. ``why`` tells what the
    provider was chosen for, where nobody named it.
    """

    provider: str = "local"
    kubeconfig: Path | None = None
    context: str | None = None
    nodes: str = "real"
    workload: str | None = None
    kind: KindOptions = AS_IT_COMES
    why: str = ""

    @property
    def shared(self) -> bool:
        """Whether all workers stand on one cluster, and the implementation is the same for all."""
        return self.provider in {"kind", "existing"}

    def bears_workers(self, processes: Sequence[object]) -> bool:
        """Whether several scenarios may be played at a time, by an implementation of these.

        Processes belong to the worker that started them; on a cluster that all workers share there
        would be one implementation beside another.
        """
        return self.provider == "local" or (self.provider == "kind" and not processes)

    @property
    def somebodys(self) -> bool:
        """Whether it is there before us, and goes on after us."""
        return self.provider == "existing"

    def problems(self) -> Iterator[str]:
        """What is wrong with the options, each in one line."""
        yield from self._problems_of_kind()
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

    def _problems_of_kind(self) -> Iterator[str]:
        kind = self.kind
        if self.provider != "kind":
            if kind != AS_IT_COMES:
                yield f"--kind-… are options for --cluster kind; this run is on {self.provider}"
            return
        if not 1 <= kind.nodes <= MOST_NODES:
            yield f"--kind-nodes {kind.nodes}: it has to be 1 to {MOST_NODES}"
        if kind.name is not None and not NAME.fullmatch(kind.name):
            yield f"--kind-name {kind.name}: small letters, digits, dots and hyphens make a name"
        if kind.image is not None and kind.kubernetes is not None:
            yield "--kind-image and --kind-kubernetes: one of them says which nodes are meant"
        if kind.reuse and kind.name is None:
            yield "--kind-reuse needs --kind-name: which cluster is written to is never guessed"
        for file in kind.load:
            if not file.is_file():
                yield f"--kind-load {file}: there is no such file"
