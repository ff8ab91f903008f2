"""What can be asked of any implementation, however it runs.

Steps use nothing else to reach the controller. A component is ``queue`` or ``extension``, or
``all`` of an implementation that runs both in one process: that one cannot hold one of them back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class Sample:
    """One line of a metrics page."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True)
class LogMark:
    """A place in the log of each component, to read on from."""

    positions: Mapping[str, int]


@dataclass(frozen=True)
class Attempt:
    """What came of an attempt to start: None is a process that was ready, or had not ended in time.

    ``output`` is all that it said; ``file`` the configuration that it was given.
    """

    exit_code: int | None
    output: str
    file: Path


class Implementation(Protocol):
    """A running controller, as one or more instances of its components.

    Verbs return when their effect is there, and raise ImplementationError, with the last lines
    of the log, when it does not come.
    """

    @property
    def name(self) -> str:
        """Name and version, as they are printed."""
        ...

    @property
    def queue_namespace(self) -> str:
        """Where it has its queues."""
        ...

    @property
    def features(self) -> frozenset[str]:
        """What it declares to have."""
        ...

    @property
    def restart_count(self) -> int:
        """How many times a component was started again."""
        ...

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration file of its descriptor, to be changed and given to a verb."""
        ...

    @property
    def instances(self) -> tuple[str, ...]:
        """What verbs may name: every component, and the second instances there are."""
        ...

    def start(self, instance: str | None = None) -> None:
        """Starts the instance, or all of them, and waits until each is ready."""
        ...

    def stop(self, instance: str | None = None) -> None:
        """Ends it, or all, in an orderly way."""
        ...

    def restart(self, instance: str | None = None) -> None:
        """Stop, then start."""
        ...

    def kill(self, instance: str | None = None) -> None:
        """Ends it, or all, at once, as a crash would; nothing is started again."""
        ...

    def hold(self, instance: str | None = None) -> None:
        """From now on it does nothing, as if frozen, and keeps what it knows; others go on.

        What a cluster runs cannot be frozen: it keeps what the API server keeps for it.
        """
        ...

    def release(self, instance: str | None = None) -> None:
        """It goes on, and is ready."""
        ...

    def second(self, component: str) -> str:
        """Starts one more instance of the component; the name by which verbs reach it."""
        ...

    def reconfigure(self, config: Mapping[str, Any]) -> None:
        """What runs is started again with that configuration file."""
        ...

    def reroute(self, server: str | None, instance: str | None = None) -> None:
        """What runs, or that instance alone, is started again and reaches the API server there.

        None is its own address.
        """
        ...

    def attempt(self, config: Mapping[str, Any] | str, *, component: str | None = None) -> Attempt:
        """What comes of starting one component beside the others with that configuration.

        A text is the file as it stands. The first component is taken where none is named. One
        whose ports are fixed is stopped meanwhile.
        """
        ...

    def uninstall(self) -> None:
        """Stops everything and takes away what installing it brought, but no user's object."""
        ...

    def restore(self) -> None:
        """As after ``start``, whatever a scenario did: nothing is held and all is ready.

        There is no second instance, the configuration and the way to the API server are its own.
        """
        ...

    def close(self) -> None:
        """The run is over: what the suite started ends, and what it found is as it was found."""
        ...

    def log_mark(self) -> LogMark:
        """Here and now, for ``logs``."""
        ...

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:
        """What each component has logged since then, or ever."""
        ...

    def metrics(self, instance: str | None = None) -> Sequence[Sample]:
        """The samples of the instance, or of every one, as they are now."""
        ...

    def alive(self) -> str | None:
        """None, or why nothing can be expected of it any more: it ended without being asked."""
        ...
