"""What keeps kind from making a cluster: seen beforehand, or told from what kind said. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MEGABYTE = 1024**2
# Seen: the first node takes 26 instances and 600 MB, each further one 13 and 250 MB. The rest is
# for what else runs, on the nodes and beside them.
FIRST_INSTANCES = 48
FURTHER_INSTANCES = 16
FIRST_MEMORY = 1200 * MEGABYTE
FURTHER_MEMORY = 400 * MEGABYTE


@dataclass(frozen=True)
class Machine:
    """What a machine has; None where it does not say so. ``memory`` is what is free, in bytes."""

    inotify_instances: int | None
    memory: int | None


def shortages(machine: Machine, *, nodes: int) -> Iterator[str]:
    """Why so many nodes would not come up, or fail later: each in a sentence."""
    needed = FIRST_INSTANCES + FURTHER_INSTANCES * (nodes - 1)
    instances = machine.inotify_instances
    if instances is not None and instances < needed:
        yield (
            f"fs.inotify.max_user_instances is {instances}, and {nodes} node{'s'[: nodes > 1]} "
            f"of kind need{'s'[: nodes == 1]} {needed}: sysctl fs.inotify.max_user_instances=1024"
        )
    wanted = FIRST_MEMORY + FURTHER_MEMORY * (nodes - 1)
    if machine.memory is not None and machine.memory < wanted:
        yield (
            f"{machine.memory // MEGABYTE} MB of memory are free, and {nodes} "
            f"node{'s'[: nodes > 1]} of kind need{'s'[: nodes == 1]} {wanted // MEGABYTE} MB"
        )


# What kind says, and what it means: the first that fits. {name} and {image} are put in.
MEANINGS = (
    (
        r"failed to pull image|manifest unknown|pull access denied|not found: manifest",
        (
            "the node image {image} is not here and cannot be pulled: load it into Docker, or "
            "name another by --kind-image"
        ),
    ),
    (
        r"already exist for a cluster with the name",
        "a cluster named {name} is there already: name another by --kind-name",
    ),
    (
        r"too many open files|inotify",
        (
            "the kernel has no room for more watches: sysctl fs.inotify.max_user_instances=1024 "
            "fs.inotify.max_user_watches=524288"
        ),
    ),
    (
        r"could not find a log line that matches|unknown flag|unknown apiVersion",
        (
            "this kind and the node image {image} do not fit together: install a newer kind, or "
            "take another image by --kind-image"
        ),
    ),
    (
        r"no space left on device",
        "there is no room left on the disk of Docker: docker system prune",
    ),
    (
        r"[Cc]annot connect to the Docker daemon|error during connect",
        "Docker stopped answering",
    ),
    (
        r"permission denied.*docker|docker.*permission denied",
        "Docker refuses this user: put the user into the group docker",
    ),
    (
        r"cannot allocate memory|[Oo]ut of memory|OOM",
        "there is not enough memory for the nodes",
    ),
)


def meaning(said: str, *, name: str, image: str) -> str:
    """Why kind failed, in a sentence, from all that it said."""
    for pattern, sentence in MEANINGS:
        if re.search(pattern, said):
            return sentence.format(name=name, image=image or "of this kind")
    errors = [line for line in said.splitlines() if line.startswith("ERROR")]
    lines = errors or [line for line in said.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "kind failed without a word"
